// The library's notes go to Python's logging, to the logger "sau".
#include "parts.hpp"
#include "sau/core/note.hpp"

namespace sau::python {

namespace py = pybind11;

void define_notes() {
  set_note_function([](const Note& note) {
    // A thread that outlives the interpreter has nobody to tell.
    if (Py_IsInitialized() == 0) return;
    const py::gil_scoped_acquire locked;
    try {
      const char* level = note.kind == Note::Kind::kWarning ? "warning" : "info";
      const py::object logger = py::module_::import("logging").attr("getLogger")("sau");
      logger.attr(level)("%s", note.text);
    } catch (py::error_already_set& error) {
      error.discard_as_unraisable("a note of sau");
    }
  });
}

}  // namespace sau::python
