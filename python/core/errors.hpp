#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <utility>

#include "sau/core/error.hpp"

namespace sau::python {

namespace py = pybind11;

// sau.Error, sau.UsageError, sau.MissingData, and how the library's exceptions become them.
void define_errors(py::module_& module);

// Sets the Python error that stands for `error`. With `usage`, every Error of the library becomes a
// UsageError: for calls where only the arguments can be wrong.
void set_error(const std::exception_ptr& error, bool usage) noexcept;

// Calls f, turning Errors of the library into UsageErrors.
template <class F>
decltype(auto) as_usage(F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

// For methods that Python calls directly: returns f(), or null with the error set.
template <class F>
PyObject* guarded(F&& f) noexcept {
  try {
    return f();
  } catch (...) {
    set_error(std::current_exception(), true);
    return nullptr;
  }
}

}  // namespace sau::python
