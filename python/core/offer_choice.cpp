#include "offer_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "choice.hpp"
#include "errors.hpp"
#include "sau/core/text.hpp"

namespace sau::python {
namespace {

static_assert(sizeof(OfferChoiceObject) % alignof(HashedFeature) == 0);

PyTypeObject* offer_choice_type = nullptr;

OfferChoiceObject* as_offer_choice(PyObject* self) {
  return reinterpret_cast<OfferChoiceObject*>(self);
}

PyObject* offer_choice_id(PyObject* self, void*) {
  PyObject* id = as_offer_choice(self)->id;
  Py_INCREF(id);
  return id;
}
PyObject* offer_choice_action(PyObject* self, void*) {
  return PyLong_FromSize_t(as_offer_choice(self)->action);
}
PyObject* offer_choice_value(PyObject* self, void*) {
  return PyFloat_FromDouble(as_offer_choice(self)->value);
}
PyObject* offer_choice_probability(PyObject* self, void*) {
  return guarded([&] {
    const double probability = as_offer_choice(self)->probability;
    if (std::isnan(probability)) throw Error("the probability of this choice is not known");
    return PyFloat_FromDouble(probability);
  });
}

PyObject* represent_offer_choice(PyObject* self) {
  return guarded([&] {
    auto* choice = as_offer_choice(self);
    std::string text = "OfferChoice(id=" + std::string(py::repr(py::handle(choice->id))) +
                       ", action=" + std::to_string(choice->action) +
                       ", value=" + format_number(choice->value);
    if (!std::isnan(choice->probability)) {
      text += ", probability=" + format_number(choice->probability);
    }
    return py::str(text + ")").release().ptr();
  });
}

// Features as bytes: the hash and the value of each, without the padding between them.
constexpr std::size_t kPacked = sizeof(std::uint64_t) + sizeof(float);

py::bytes packed(HashedFeatures features) {
  std::string bytes(features.size() * kPacked, '\0');
  char* to = bytes.data();
  for (const HashedFeature& feature : features) {
    std::memcpy(to, &feature.hash, sizeof feature.hash);
    std::memcpy(to + sizeof feature.hash, &feature.value, sizeof feature.value);
    to += kPacked;
  }
  return py::bytes(bytes);
}

std::vector<HashedFeature> unpacked(const py::bytes& given) {
  const std::string_view bytes(given);
  if (bytes.size() % kPacked != 0) throw UsageError("OfferChoice: its features are damaged");
  std::vector<HashedFeature> features(bytes.size() / kPacked);
  const char* from = bytes.data();
  for (HashedFeature& feature : features) {
    std::memcpy(&feature.hash, from, sizeof feature.hash);
    std::memcpy(&feature.value, from + sizeof feature.hash, sizeof feature.value);
    from += kPacked;
  }
  return features;
}

double known_probability(PyObject* given) {
  if (given == nullptr || given == Py_None) return kUnknown;
  const double probability = PyFloat_AsDouble(given);
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  if (probability >= 0.0 && probability <= 1.0) return probability;
  throw UsageError("OfferChoice: probability " + format_number(probability) +
                   " is not allowed; expected a number from 0 to 1");
}

PyObject* reduce_offer_choice(PyObject* self, PyObject*) {
  return guarded([&] {
    auto* choice = as_offer_choice(self);
    py::object probability = py::none();
    if (!std::isnan(choice->probability)) probability = py::float_(choice->probability);
    const OfferedAction offered = choice->offered();
    return py::make_tuple(
               py::module_::import("sau._choices").attr("restore_offer_choice"),
               py::make_tuple(py::handle(choice->id), choice->action, choice->value, probability,
                              packed(choice->context()), packed(offered.features)))
        .release()
        .ptr();
  });
}

// For pickle: an offer choice from its parts.
py::object restore_offer_choice(const py::str& id, std::size_t action, double value,
                                const py::object& probability, const py::bytes& context,
                                const py::bytes& features) {
  PyObject* made = new_offer_choice(id, action, value, known_probability(probability.ptr()),
                                    unpacked(context), unpacked(features));
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

PyObject* construct_offer_choice(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"offered", "value", "context", "probability", "action", nullptr};
  PyObject* offered = nullptr;
  double value = 0.0;
  PyObject* context = nullptr;
  PyObject* probability = nullptr;
  Py_ssize_t action = 0;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, "Od|OOn:OfferChoice", const_cast<char**>(names),
                                  &offered, &value, &context, &probability, &action) == 0) {
    return nullptr;
  }
  return guarded([&] {
    if (action < 0) {
      throw UsageError("OfferChoice: action " + std::to_string(action) +
                       " is not allowed; expected a whole number, at least 0");
    }
    if (!std::isfinite(value)) throw UsageError("OfferChoice: the value is not finite");
    StackMemory<4096> memory;
    FeatureList features(memory.resource());
    features.reserve(64);
    DictionaryReader reader(features);
    reader.read(context, detail::kContextSide, {.outer = nullptr, .name = "context"});
    const std::size_t context_end = features.size();
    const ActionArgument chosen(offered, reader, {.outer = nullptr, .name = "offered"});
    const HashedFeatures all(features);
    return new_offer_choice(chosen.object(), static_cast<std::size_t>(action), value,
                            known_probability(probability), all.first(context_end),
                            all.subspan(context_end));
  });
}

void destroy_offer_choice(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(as_offer_choice(self)->id);
  type->tp_free(self);
  Py_DECREF(type);
}

PyGetSetDef offer_choice_getters[] = {
    {"id", offer_choice_id, nullptr, "The id of the action to use.", nullptr},
    {"action", offer_choice_action, nullptr,
     "Its place among the actions that were offered, counted from 0.", nullptr},
    {"value", offer_choice_value, nullptr, "The reward predicted for it at that moment.", nullptr},
    {"probability", offer_choice_probability, nullptr,
     "The exact chance that this action had. Raises an error if the choice was made without it.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef offer_choice_methods[] = {
    {"__reduce__", reduce_offer_choice, METH_NOARGS, "For pickle and copy."},
    {nullptr, nullptr, 0, nullptr}};

constexpr const char* kOfferChoiceDoc =
    "OfferChoice(offered, value, context=None, probability=None, action=0)\n--\n\n"
    "A decision among actions that were offered by id.\n\n"
    "It is what Agent.choose() returns when actions are offered, and what Agent.learn() takes\n"
    "back, however late. It holds the features of the context and of the action. It can be "
    "pickled\n"
    "until its reward arrives, or made again from what was kept in a log.\n\n"
    "Parameters\n"
    "----------\n"
    "offered : dict or str\n"
    "    The action as it was offered: a dictionary with its id and its features, or its id.\n"
    "value : float\n"
    "    The reward that was predicted for it.\n"
    "context : dict, optional\n"
    "    The context that it was chosen for.\n"
    "probability : float, optional\n"
    "    The chance that it had.\n"
    "action : int, default 0\n"
    "    Its place among the actions that were offered.\n\n"
    "Examples\n"
    "--------\n"
    ">>> import sau\n"
    ">>> agent = sau.Agent(\"hashed_linear+epsilon_greedy\", epsilon=0.2)\n"
    ">>> choice = agent.choose({\"hour\": 9}, [\"news\", \"sport\"])\n"
    ">>> choice.id == [\"news\", \"sport\"][choice.action]\n"
    "True\n"
    ">>> kept = sau.OfferChoice({\"id\": \"sport\", \"minutes\": 3}, 0.5, {\"hour\": 9})\n"
    ">>> agent.learn(kept, 1.0)\n";

}  // namespace

OfferedAction OfferChoiceObject::offered() {
  const auto size = static_cast<std::size_t>(Py_SIZE(this));
  return {.id = utf8_of(id, {.outer = nullptr, .name = "id"}),
          .features = {features() + context_end, size - context_end},
          .excluded = false};
}

bool is_offer_choice(PyObject* object) noexcept { return Py_TYPE(object) == offer_choice_type; }

PyObject* new_offer_choice(const py::object& id, std::size_t action, double value,
                           double probability, HashedFeatures context,
                           HashedFeatures features) noexcept {
  const std::size_t size = context.size() + features.size();
  PyObject* self = offer_choice_type->tp_alloc(offer_choice_type, static_cast<Py_ssize_t>(size));
  if (self == nullptr) return nullptr;
  auto* choice = as_offer_choice(self);
  choice->id = id.inc_ref().ptr();
  choice->value = value;
  choice->probability = probability;
  choice->learned_by = 0;
  choice->action = action;
  choice->context_end = context.size();
  std::ranges::copy(features, std::ranges::copy(context, choice->features()).out);
  return self;
}

void define_offer_choice(py::module_& module) {
  PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>(kOfferChoiceDoc)},
                         {Py_tp_new, reinterpret_cast<void*>(construct_offer_choice)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(destroy_offer_choice)},
                         {Py_tp_repr, reinterpret_cast<void*>(represent_offer_choice)},
                         {Py_tp_getset, offer_choice_getters},
                         {Py_tp_methods, offer_choice_methods},
                         {0, nullptr}};
  PyType_Spec spec = {"sau.OfferChoice", static_cast<int>(sizeof(OfferChoiceObject)),
                      static_cast<int>(sizeof(HashedFeature)),
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots};
  offer_choice_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (offer_choice_type == nullptr) throw py::error_already_set();
  module.add_object("OfferChoice", py::handle(reinterpret_cast<PyObject*>(offer_choice_type)));
  using namespace py::literals;
  module.def("restore_offer_choice", &restore_offer_choice, "id"_a, "action"_a, "value"_a,
             "probability"_a.none(true), "context"_a, "features"_a);
}

}  // namespace sau::python
