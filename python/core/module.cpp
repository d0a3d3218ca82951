#include <pybind11/pybind11.h>

#include "agent.hpp"
#include "choice.hpp"
#include "errors.hpp"
#include "offer_choice.hpp"
#include "parts.hpp"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The C++ core of sau. Use it through the package: import sau.";
  sau::python::define_errors(module);
  sau::python::define_choice(module);
  sau::python::define_offer_choice(module);
  sau::python::define_agent(module);
  sau::python::define_catalog(module);
  sau::python::define_problem(module);
  sau::python::define_data(module);
  sau::python::define_run(module);
  sau::python::define_results(module);
  sau::python::define_evaluate(module);
  sau::python::define_notes();
}
