#pragma once

#include <pybind11/pybind11.h>

#include <limits>
#include <memory>

#include "agent.hpp"
#include "sau/core/types.hpp"

namespace sau::python {

// sau.Choice: one small object per decision, with its context behind it in the same block.
struct ChoiceObject {
  PyObject_VAR_HEAD  // ob_size: numbers in the context
      std::shared_ptr<AgentCore>
          core;        // the agent that made it; null: not known
  std::uint64_t turn;  // the agent's turn just after the choice
  double value;
  double probability;        // NaN: not asked for yet
  std::uint64_t learned_by;  // number of the agent that learned from it last; 0: none
  Action action;

  double* context() noexcept { return reinterpret_cast<double*>(this + 1); }
  Context view() noexcept { return {context(), static_cast<std::size_t>(Py_SIZE(this))}; }
};

// The probability of a choice while it is not known.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

void define_choice(py::module_& module);

bool is_choice(PyObject* object) noexcept;

// A new reference, or null with an error set.
PyObject* new_choice(Choice made, Context x, double probability,
                     const std::shared_ptr<AgentCore>& core) noexcept;

}  // namespace sau::python
