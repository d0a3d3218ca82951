// choose() and learn() for one context. Python calls them directly, without pybind11 in between, so
// they take little longer than the agent itself.
#include <vector>

#include "agent.hpp"
#include "arrays.hpp"
#include "choice.hpp"
#include "errors.hpp"
#include "offer_choice.hpp"

namespace sau::python {
namespace {

// The arguments of a call, by position or by name. Throws TypeError as Python's own functions do.
class Arguments {
 public:
  Arguments(const char* function, PyObject* const* args, Py_ssize_t count, PyObject* names)
      : function_(function), args_(args), count_(count), names_(names) {}

  // The argument at position `place`, or called `name`; null if it was not given. A negative place
  // means by name only.
  PyObject* take(Py_ssize_t place, const char* name) {
    PyObject* found = place >= 0 && place < count_ ? args_[place] : nullptr;
    if (found != nullptr) ++taken_;
    const Py_ssize_t named = names_ == nullptr ? 0 : PyTuple_GET_SIZE(names_);
    for (Py_ssize_t i = 0; i < named; ++i) {
      if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names_, i), name) != 0) continue;
      if (found != nullptr) {
        throw py::type_error(std::string(function_) + "() got multiple values for argument '" +
                             name + "'");
      }
      found = args_[count_ + i];
      ++taken_;
    }
    return found;
  }
  PyObject* need(Py_ssize_t place, const char* name) {
    PyObject* found = take(place, name);
    if (found != nullptr) return found;
    throw py::type_error(std::string(function_) + "() needs the argument '" + name + "'");
  }

  // Call this after taking every argument.
  void finish() const {
    if (taken_ == count_ + (names_ == nullptr ? 0 : PyTuple_GET_SIZE(names_))) return;
    throw py::type_error(std::string(function_) + "() got an argument that it does not know");
  }

 private:
  const char* function_;
  PyObject* const* args_;
  Py_ssize_t count_;
  PyObject* names_;
  Py_ssize_t taken_ = 0;
};

bool is_true(PyObject* object) {
  const int truth = object == nullptr ? 0 : PyObject_IsTrue(object);
  if (truth < 0) throw py::error_already_set();
  return truth != 0;
}

PyObject* choose_one(PyObject* self, PyObject* x, bool wants_probability) {
  const ContextArgument context(x);
  AgentCore& core = begun(self, context.get().size());
  std::vector<double> chance;
  if (wants_probability) {
    chance.resize(core.agent->shape().actions);
    core.agent->probabilities(context.get(), chance);
  }
  const Choice made = core.agent->choose(context.get(), core.rng);
  ++core.turn;
  return new_choice(made, context.get(), wants_probability ? chance[made.action] : kUnknown,
                    handle_in(self).shared());
}

PyObject* choose(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return guarded([&] {
    const AgentHandle& handle = handle_in(self);
    if (names == nullptr && count == 1 && !handle.has_offers()) {
      return choose_one(self, args[0], false);
    }
    Arguments arguments("choose", args, count, names);
    PyObject* x = arguments.take(0, "x");
    PyObject* actions = arguments.take(1, "actions");
    PyObject* context = arguments.take(-1, "context");
    PyObject* excluded = arguments.take(-1, "excluded");
    const bool probability = is_true(arguments.take(-1, "probability"));
    arguments.finish();
    x = one_context(x, context);
    if (handle.has_offers()) return choose_offered(handle, x, actions, excluded);
    refuse_offer(actions, excluded);
    return choose_one(self, x, probability);
  });
}

void learn_one(PyObject* self, PyObject* given, PyObject* reward) {
  const double received = PyFloat_AsDouble(reward);
  if (received == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  if (is_offer_choice(given)) {
    const AgentHandle& handle = handle_in(self);
    if (handle.has_offers()) return learn_offered(handle, given, received);
    throw UsageError(
        "learn: the choice is among actions that were offered by id, but the agent has a fixed set "
        "of actions, n_actions");
  }
  auto* choice = reinterpret_cast<ChoiceObject*>(given);
  const Context x = choice->view();
  AgentCore& core = begun(self, x.size());
  refuse_second(choice->learned_by, core.number);
  core.agent->learn(x, {choice->action, choice->value}, received);
  choice->learned_by = core.number;
  ++core.turn;
}

PyObject* learn(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return guarded([&] {
    if (names == nullptr && count == 2 && (is_choice(args[0]) || is_offer_choice(args[0]))) {
      learn_one(self, args[0], args[1]);
      Py_RETURN_NONE;
    }
    Arguments arguments("learn", args, count, names);
    PyObject* choice = arguments.need(0, "choice");
    PyObject* reward = arguments.need(1, "reward");
    arguments.finish();
    if (!is_choice(choice) && !is_offer_choice(choice)) {
      throw py::type_error(
          std::string("learn() expected the Choice that choose() returned, found ") +
          Py_TYPE(choice)->tp_name + "; learn_batch() takes many at once");
    }
    learn_one(self, choice, reward);
    Py_RETURN_NONE;
  });
}

constexpr const char* kChooseDoc =
    "choose($self, x=None, actions=None, *, context=None, excluded=None, probability=False)\n"
    "--\n\n"
    "Chooses an action for one context.\n\n"
    "Parameters\n"
    "----------\n"
    "x : array_like of context_dim numbers, or dict of features, optional\n"
    "    The context. Leave it out if there are no contexts. A float64 array of one dimension is\n"
    "    used as it is; everything else is converted. For an agent that was made without\n"
    "    n_actions it is a dictionary.\n"
    "actions : list of dict or str\n"
    "    Only for an agent that was made without n_actions: the actions to choose from. Each is a\n"
    "    dictionary with its \"id\" and its features, or its id alone.\n"
    "context\n"
    "    Another name for `x`.\n"
    "excluded : list of str, optional\n"
    "    Ids of actions that must not be chosen.\n"
    "probability : bool, default False\n"
    "    Whether to work out ``choice.probability`` right away. Otherwise this happens when you\n"
    "    ask for it, which must be before the agent chooses or learns again. If actions are\n"
    "    offered, it is always there.\n\n"
    "Returns\n"
    "-------\n"
    "Choice or OfferChoice\n"
    "    Both have ``action``, ``value`` and ``probability``. A Choice also has ``context``, an\n"
    "    OfferChoice ``id``.\n\n"
    "Examples\n"
    "--------\n"
    ">>> import sau\n"
    ">>> agent = sau.Agent(\"linear+sau_sampling\", context_dim=2, n_actions=3)\n"
    ">>> choice = agent.choose([0.5, -1.0])\n"
    ">>> choice.action, choice.value, choice.probability\n"
    "(0, 0.0, 1.0)\n\n"
    "Actions that are offered by id:\n\n"
    ">>> agent = sau.Agent(\"hashed_linear+sau_sampling\", seed=1)\n"
    ">>> choice = agent.choose({\"device\": \"mobile\"}, [{\"id\": \"a\", \"price\": 2.5}, "
    "\"b\"])\n"
    ">>> choice.id in (\"a\", \"b\"), choice.value, choice.probability\n"
    "(True, 0.0, 0.5)\n";

constexpr const char* kLearnDoc =
    "learn($self, choice, reward)\n--\n\n"
    "Learns the reward of a choice, now or later.\n\n"
    "Parameters\n"
    "----------\n"
    "choice : Choice or OfferChoice\n"
    "    What ``choose`` returned. It holds the context and the value predicted then, so the\n"
    "    agent may have made and learned from other choices since.\n"
    "reward : float\n"
    "    What the action paid.\n\n"
    "Examples\n"
    "--------\n"
    ">>> import sau\n"
    ">>> agent = sau.Agent(\"sau_ucb\", n_actions=2)\n"
    ">>> first, second = agent.choose(), agent.choose()\n"
    ">>> agent.learn(second, 1.0)\n"
    ">>> agent.learn(first, 0.0)\n"
    ">>> agent.values().tolist()\n"
    "[0.0, 1.0]\n";

PyCFunction as_function(PyObject* (*f)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}

}  // namespace

AgentHandle& handle_in(PyObject* self) {
  const auto* instance = reinterpret_cast<py::detail::instance*>(self);
  void* value = instance->simple_layout ? instance->simple_value_holder[0]
                                        : instance->nonsimple.values_and_holders[0];
  if (value == nullptr) throw py::type_error("the agent's __init__ was not called");
  return *static_cast<AgentHandle*>(value);
}

PyObject* one_context(PyObject* x, PyObject* context) {
  if (context == nullptr || context == Py_None) return x;
  if (x == nullptr || x == Py_None) return context;
  throw py::type_error("x and context are two names for the same argument; give one of them");
}

void refuse_offer(PyObject* actions, PyObject* excluded) {
  const auto given = [](PyObject* argument) { return argument != nullptr && argument != Py_None; };
  if (!given(actions) && !given(excluded)) return;
  throw UsageError(
      "the agent has a fixed set of actions, n_actions; actions can be offered only to an agent "
      "made without n_actions");
}

AgentCore& begun(PyObject* self, std::size_t dim) {
  AgentHandle& handle = handle_in(self);
  if (!handle.started() && !handle.has_offers()) py::handle(self).attr("_begin")(dim);
  return handle.core();
}

void define_decisions(AgentClass& type) {
  static PyMethodDef methods[] = {
      {"choose", as_function(choose), METH_FASTCALL | METH_KEYWORDS, kChooseDoc},
      {"learn", as_function(learn), METH_FASTCALL | METH_KEYWORDS, kLearnDoc}};
  for (PyMethodDef& method : methods) {
    type.attr(method.ml_name) = py::reinterpret_steal<py::object>(
        PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &method));
  }
}

}  // namespace sau::python
