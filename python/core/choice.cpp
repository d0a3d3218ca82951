#include "choice.hpp"

#include <pybind11/numpy.h>

#include <cmath>
#include <cstring>
#include <new>
#include <vector>

#include "arrays.hpp"
#include "errors.hpp"
#include "sau/core/text.hpp"

namespace sau::python {
namespace {

PyTypeObject* choice_type = nullptr;

ChoiceObject* cast(PyObject* self) { return reinterpret_cast<ChoiceObject*>(self); }

// Whether its probability is known or can still be worked out.
bool is_fresh(const ChoiceObject* choice) {
  return !std::isnan(choice->probability) ||
         (choice->core && !choice->core->busy && choice->core->turn == choice->turn);
}

double probability_of(ChoiceObject* choice) {
  if (!std::isnan(choice->probability)) return choice->probability;
  if (!choice->core) throw Error("the probability of this choice is not known");
  if (!is_fresh(choice)) {
    throw Error(
        "the probability of this choice was not asked for in time: the agent has chosen or learned "
        "since; ask before that, or choose with probability=True");
  }
  AnyAgent& agent = *choice->core->agent;
  std::vector<double> chance(agent.shape().actions);
  agent.last_probabilities(choice->view(), chance);
  choice->probability = chance[choice->action];
  return choice->probability;
}

PyObject* get_action(PyObject* self, void*) { return PyLong_FromUnsignedLong(cast(self)->action); }
PyObject* get_value(PyObject* self, void*) { return PyFloat_FromDouble(cast(self)->value); }

PyObject* get_probability(PyObject* self, void*) {
  return guarded([&] { return PyFloat_FromDouble(probability_of(cast(self))); });
}

// A read-only view without a copy. It keeps the choice alive.
PyObject* get_context(PyObject* self, void*) {
  return guarded([&] {
    py::array_t<double> view({Py_SIZE(self)}, {sizeof(double)}, cast(self)->context(),
                             py::handle(self));
    view.attr("flags").attr("writeable") = false;
    return view.release().ptr();
  });
}

PyObject* to_tuple(PyObject* self) {
  return guarded([&] {
    auto* choice = cast(self);
    return py::make_tuple(choice->action, choice->value, probability_of(choice)).release().ptr();
  });
}

PyObject* iterate(PyObject* self) {
  PyObject* tuple = to_tuple(self);
  if (tuple == nullptr) return nullptr;
  PyObject* iterator = PyObject_GetIter(tuple);
  Py_DECREF(tuple);
  return iterator;
}

PyObject* represent(PyObject* self) {
  return guarded([&] {
    auto* choice = cast(self);
    std::string text = "Choice(action=" + std::to_string(choice->action) +
                       ", value=" + format_number(choice->value);
    if (!std::isnan(choice->probability)) {
      text += ", probability=" + format_number(choice->probability);
    }
    return py::str(text + ")").release().ptr();
  });
}

// Pickles the probability too, if it is known or can still be worked out.
PyObject* reduce(PyObject* self, PyObject*) {
  return guarded([&] {
    auto* choice = cast(self);
    py::object probability = py::none();
    if (is_fresh(choice)) probability = py::float_(probability_of(choice));
    const py::array_t<double> context(Py_SIZE(self), choice->context());
    return py::make_tuple(py::handle(reinterpret_cast<PyObject*>(choice_type)),
                          py::make_tuple(choice->action, choice->value, context, probability))
        .release()
        .ptr();
  });
}

PyObject* construct(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"action", "value", "context", "probability", nullptr};
  long action = 0;
  double value = 0.0;
  PyObject* context = nullptr;
  PyObject* probability = nullptr;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, "ld|OO:Choice", const_cast<char**>(names), &action,
                                  &value, &context, &probability) == 0) {
    return nullptr;
  }
  return guarded([&] {
    if (action < 0 || action > 0xFFFFFFFF) {
      throw UsageError("Choice: action " + std::to_string(action) +
                       " is not allowed; expected a whole number, at least 0");
    }
    if (!std::isfinite(value)) throw UsageError("Choice: the value is not finite");
    double chance = kUnknown;
    if (probability != nullptr && probability != Py_None) {
      chance = PyFloat_AsDouble(probability);
      if (PyErr_Occurred() != nullptr) throw py::error_already_set();
      if (!(chance >= 0.0 && chance <= 1.0)) {
        throw UsageError("Choice: probability " + format_number(chance) +
                         " is not allowed; expected a number from 0 to 1");
      }
    }
    return new_choice({static_cast<Action>(action), value}, ContextArgument(context).get(), chance,
                      nullptr);
  });
}

void destroy(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  std::destroy_at(&cast(self)->core);
  type->tp_free(self);
  Py_DECREF(type);
}

PyGetSetDef getters[] = {
    {"action", get_action, nullptr, "The action to play, counted from 0.", nullptr},
    {"value", get_value, nullptr, "The reward predicted for it at that moment.", nullptr},
    {"probability", get_probability, nullptr,
     "The exact chance that this action had. It is worked out when you first ask for it, which "
     "must be\n"
     "before the agent chooses or learns again; choose(x, probability=True) does it right away.",
     nullptr},
    {"context", get_context, nullptr, "The context it was chosen for; read-only.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, "For pickle and copy."},
                         {nullptr, nullptr, 0, nullptr}};

constexpr const char* kDoc =
    "Choice(action, value, context=None, probability=None)\n--\n\n"
    "A decision: what Agent.choose() returns and Agent.learn() takes back, however late.\n\n"
    "It unpacks into action, value and probability. It can be pickled until its reward arrives,\n"
    "or made again from what was kept in a log.\n\n"
    "Examples\n"
    "--------\n"
    ">>> import sau\n"
    ">>> agent = sau.Agent(\"epsilon_greedy\", n_actions=4, epsilon=0.2)\n"
    ">>> choice = agent.choose()\n"
    ">>> action, value, probability = choice\n"
    ">>> round(probability, 12)\n"
    "0.85\n"
    ">>> agent.learn(sau.Choice(action=2, value=0.0), 1.0)\n";

}  // namespace

bool is_choice(PyObject* object) noexcept { return Py_TYPE(object) == choice_type; }

PyObject* new_choice(Choice made, Context x, double probability,
                     const std::shared_ptr<AgentCore>& core) noexcept {
  PyObject* self = choice_type->tp_alloc(choice_type, static_cast<Py_ssize_t>(x.size()));
  if (self == nullptr) return nullptr;
  auto* choice = cast(self);
  std::construct_at(&choice->core, core);
  choice->turn = core ? core->turn : 0;
  choice->value = made.value;
  choice->probability = probability;
  choice->learned_by = 0;
  choice->action = made.action;
  if (!x.empty()) std::memcpy(choice->context(), x.data(), x.size_bytes());
  return self;
}

void define_choice(py::module_& module) {
  PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>(kDoc)},
                         {Py_tp_new, reinterpret_cast<void*>(construct)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
                         {Py_tp_repr, reinterpret_cast<void*>(represent)},
                         {Py_tp_iter, reinterpret_cast<void*>(iterate)},
                         {Py_tp_getset, getters},
                         {Py_tp_methods, methods},
                         {0, nullptr}};
  PyType_Spec spec = {"sau.Choice", static_cast<int>(sizeof(ChoiceObject)),
                      static_cast<int>(sizeof(double)),
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots};
  choice_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (choice_type == nullptr) throw py::error_already_set();
  module.add_object("Choice", py::handle(reinterpret_cast<PyObject*>(choice_type)));
}

}  // namespace sau::python
