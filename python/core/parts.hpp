#pragma once

#include <pybind11/pybind11.h>

namespace sau::python {

// Each source file adds its part to the module.
void define_catalog(pybind11::module_& module);
void define_problem(pybind11::module_& module);
void define_data(pybind11::module_& module);
void define_run(pybind11::module_& module);
void define_results(pybind11::module_& module);
void define_evaluate(pybind11::module_& module);
// Sends the library's notes to Python's logging.
void define_notes();

}  // namespace sau::python
