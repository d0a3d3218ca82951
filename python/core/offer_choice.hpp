#pragma once

#include <pybind11/pybind11.h>

#include "agent.hpp"
#include "offer.hpp"

namespace sau::python {

// sau.OfferChoice: one small object per decision, with the features it was made from behind it in
// the same block. It does not refer to the agent, so its reward may come at any time.
struct OfferChoiceObject {
  PyObject_VAR_HEAD  // ob_size: features of the context and of the action
      PyObject* id;  // a str
  double value;
  double probability;        // NaN: not known
  std::uint64_t learned_by;  // as in ChoiceObject
  std::size_t action;        // its index in the list of offered actions
  std::size_t context_end;

  HashedFeature* features() noexcept { return reinterpret_cast<HashedFeature*>(this + 1); }
  HashedFeatures context() noexcept { return {features(), context_end}; }
  // The action that was chosen.
  OfferedAction offered();
};

void define_offer_choice(py::module_& module);

bool is_offer_choice(PyObject* object) noexcept;

// A new reference, or null with an error set.
PyObject* new_offer_choice(const py::object& id, std::size_t action, double value,
                           double probability, HashedFeatures context,
                           HashedFeatures features) noexcept;

}  // namespace sau::python
