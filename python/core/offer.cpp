#include "offer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sau/core/error.hpp"

namespace sau::python {
namespace {

constexpr std::size_t kMaxIdBytes = 256;  // as in the service

// The elements of any iterable, in a list or tuple.
py::object elements_of(PyObject* given, const char* what, const char* expected) {
  PyObject* list = PyUnicode_Check(given) || PyDict_Check(given)
                       ? nullptr
                       : PySequence_Fast(given, "not iterable");
  if (list != nullptr) return py::reinterpret_steal<py::object>(list);
  if (PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw py::error_already_set();
    PyErr_Clear();
  }
  throw UsageError(
      fmt::format("{}: expected {}, found {}", what, expected, Py_TYPE(given)->tp_name));
}

// A plain str, since a subclass could hold anything.
py::object plain_text(PyObject* text) {
  PyObject* plain = PyUnicode_FromObject(text);
  if (plain == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(plain);
}

}  // namespace

ActionArgument::ActionArgument(PyObject* given, DictionaryReader& reader,
                               const FeaturePlace& place) {
  if (PyUnicode_Check(given)) {
    id_ = plain_text(given);
  } else if (PyDict_Check(given)) {
    static PyObject* const kId = PyUnicode_InternFromString("id");
    PyObject* id = PyDict_GetItemWithError(given, kId);
    if (id == nullptr || !PyUnicode_Check(id)) {
      if (PyErr_Occurred() != nullptr) throw py::error_already_set();
      throw UsageError(fmt::format("{}.id: expected a text, found {}", place.text(),
                                   id == nullptr ? "nothing" : Py_TYPE(id)->tp_name));
    }
    id_ = plain_text(id);
    reader.read_action(given, place);
  } else {
    throw UsageError(fmt::format("{}: expected an id, or a dictionary with \"id\", found {}",
                                 place.text(), Py_TYPE(given)->tp_name));
  }
  text_ = utf8_of(id_.ptr(), place);
  if (text_.empty()) throw UsageError(place.text() + ".id: an id is not empty");
  if (text_.size() > kMaxIdBytes) {
    throw UsageError(fmt::format("{}.id: an id has at most {} bytes, not {}", place.text(),
                                 kMaxIdBytes, text_.size()));
  }
}

OfferArgument::OfferArgument(PyObject* context, PyObject* actions, PyObject* excluded)
    : features_(memory()), ids_(memory()), offered_(memory()), places_(memory()) {
  if (actions == nullptr || actions == Py_None) {
    throw UsageError(
        "actions is missing: the agent was made without n_actions, so every call must offer some");
  }
  features_.reserve(128);
  DictionaryReader reader(features_);
  reader.read(context, detail::kContextSide, {.outer = nullptr, .name = "context"});
  context_end_ = features_.size();
  read_actions(actions, reader);
  if (excluded != nullptr && excluded != Py_None) exclude(excluded);
}

void OfferArgument::read_actions(PyObject* actions, DictionaryReader& reader) {
  const py::object list = elements_of(actions, "actions", "a list of actions");
  const auto count = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(list.ptr()));
  if (count == 0) throw UsageError("actions: there is no action to choose from");
  ids_.reserve(count);
  offered_.reserve(count);
  places_.reserve(count);
  std::pmr::vector<std::size_t> ends(memory());
  ends.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    // The list belongs to the caller, and reading a feature may run the caller's code.
    if (std::cmp_greater_equal(i, PySequence_Fast_GET_SIZE(list.ptr()))) {
      throw UsageError("actions: the list became shorter while it was read");
    }
    const auto action = py::reinterpret_borrow<py::object>(
        PySequence_Fast_GET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i)));
    ids_.emplace_back(action.ptr(), reader,
                      FeaturePlace{.outer = nullptr, .name = "actions", .index = i});
    ends.push_back(features_.size());
    places_.emplace_back(ids_.back().text(), i);
  }
  std::size_t start = context_end_;
  for (std::size_t i = 0; i < count; ++i) {
    offered_.push_back({.id = ids_[i].text(),
                        .features = {features_.data() + start, ends[i] - start},
                        .excluded = false});
    start = ends[i];
  }
  std::ranges::sort(places_);
  const auto twice =
      std::ranges::adjacent_find(places_, {}, [](const auto& place) { return place.first; });
  if (twice == places_.end()) return;
  throw UsageError(fmt::format("actions[{}].id: the id '{}' is that of actions[{}] as well",
                               std::next(twice)->second, twice->first, twice->second));
}

void OfferArgument::exclude(PyObject* excluded) {
  const py::object list = elements_of(excluded, "excluded", "a list of ids");
  std::size_t left = offered_.size();
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.ptr()); ++i) {
    PyObject* id = PySequence_Fast_GET_ITEM(list.ptr(), i);
    if (!PyUnicode_Check(id)) {
      throw UsageError(fmt::format("excluded[{}]: expected the id of an action, found {}", i,
                                   Py_TYPE(id)->tp_name));
    }
    const std::string_view text = utf8_of(id, {.outer = nullptr, .name = "excluded"});
    const auto found =
        std::ranges::lower_bound(places_, text, {}, [](const auto& place) { return place.first; });
    // An action that is not offered cannot be chosen anyway.
    if (found == places_.end() || found->first != text) continue;
    OfferedAction& action = offered_[found->second];
    if (!action.excluded) --left;
    action.excluded = true;
  }
  if (left == 0) throw UsageError("excluded: all actions are excluded");
}

}  // namespace sau::python
