#pragma once

#include <pybind11/pybind11.h>

#include <memory_resource>
#include <span>
#include <vector>

#include "features.hpp"
#include "sau/agent/offer_agent.hpp"
#include "sau/core/stack_memory.hpp"

namespace sau::python {

// One offered action: its id alone, or a dictionary with its id and its features.
class ActionArgument {
 public:
  // Adds its features to those of `reader`. Throws UsageError, naming the place.
  ActionArgument(PyObject* given, DictionaryReader& reader, const FeaturePlace& place);

  // The id as a plain str, and its UTF-8, which lives as long as the str.
  const py::object& object() const noexcept { return id_; }
  std::string_view text() const noexcept { return text_; }

 private:
  py::object id_;
  std::string_view text_;
};

// What a call offers: a context, actions by id, and which of them are excluded. It owns everything
// that it returns. Small offers are stored on the stack.
class OfferArgument {
 public:
  // Null and None mean that an argument was not given. Throws UsageError.
  OfferArgument(PyObject* context, PyObject* actions, PyObject* excluded);
  OfferArgument(const OfferArgument&) = delete;
  OfferArgument& operator=(const OfferArgument&) = delete;
  ~OfferArgument() = default;

  HashedFeatures context() const noexcept { return HashedFeatures(features_).first(context_end_); }
  std::span<const OfferedAction> actions() const noexcept { return offered_; }
  const py::object& id(std::size_t action) const noexcept { return ids_[action].object(); }

  std::pmr::memory_resource* memory() noexcept { return memory_.resource(); }

 private:
  void read_actions(PyObject* actions, DictionaryReader& reader);
  void exclude(PyObject* excluded);

  StackMemory<16384> memory_;
  FeatureList features_;  // of the context, then of the actions in order
  std::size_t context_end_ = 0;
  std::pmr::vector<ActionArgument> ids_;
  std::pmr::vector<OfferedAction> offered_;
  std::pmr::vector<std::pair<std::string_view, std::size_t>> places_;  // id and index, by id
};

}  // namespace sau::python
