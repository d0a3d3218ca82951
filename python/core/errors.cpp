#include "errors.hpp"

#include <new>

#include "sau/data/source.hpp"

namespace sau::python {
namespace {

// Never freed: exceptions may be thrown until the interpreter ends.
PyObject* error_type = nullptr;
PyObject* usage_type = nullptr;
PyObject* missing_type = nullptr;

PyObject* define(py::module_& module, const char* name, const char* doc, const py::tuple& bases) {
  const std::string full = std::string("sau.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr);
  if (type == nullptr) throw py::error_already_set();
  module.add_object(name, py::handle(type));
  return type;
}

}  // namespace

void set_error(const std::exception_ptr& error, bool usage) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (py::error_already_set& raised) {
    raised.restore();
  } catch (const MissingData& missing) {
    PyErr_SetString(missing_type, missing.what());
  } catch (const UsageError& wrong) {
    PyErr_SetString(usage_type, wrong.what());
  } catch (const Error& failed) {
    PyErr_SetString(usage ? usage_type : error_type, failed.what());
  } catch (const py::builtin_exception& builtin) {
    builtin.set_error();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& other) {
    PyErr_SetString(PyExc_RuntimeError, other.what());
  }
}

void define_errors(py::module_& module) {
  error_type = define(module, "Error",
                      "An error. The message says in one line what was wrong, the value found, and "
                      "what was expected.",
                      py::make_tuple(py::handle(PyExc_Exception)));
  usage_type = define(module, "UsageError",
                      "The request itself was wrong: an unknown name, a setting out of range, an "
                      "array of the wrong shape.",
                      py::make_tuple(py::handle(error_type), py::handle(PyExc_ValueError)));
  missing_type = define(module, "MissingData",
                        "A data set that was asked for is not in the data folder; the message says "
                        "how to get it.",
                        py::make_tuple(py::handle(error_type), py::handle(PyExc_LookupError)));
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(std::move(error));
    } catch (const Error&) {
      set_error(std::current_exception(), false);
    }
  });
}

}  // namespace sau::python
