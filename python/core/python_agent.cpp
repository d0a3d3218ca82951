#include "arrays.hpp"
#include "errors.hpp"
#include "python_parts.hpp"
#include "sau/agent/play.hpp"

namespace sau::python {
namespace {

// A new array every time, since the agent may keep it.
py::array_t<double> context_array(Context x) {
  return py::array_t<double>(static_cast<py::ssize_t>(x.size()), x.data());
}

// The action given as an int, as anything that can be an index, or as a Choice.
Action action_of(py::handle chosen, Action actions) {
  const py::object action = py::hasattr(chosen, "action")
                                ? chosen.attr("action")
                                : py::reinterpret_borrow<py::object>(chosen);
  const Py_ssize_t number = PyNumber_AsSsize_t(action.ptr(), PyExc_OverflowError);
  if (number == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw UsageError("the agent's choose: expected an action, found " +
                     std::string(py::repr(chosen)));
  }
  if (number < 0 || static_cast<std::uint64_t>(number) >= actions) {
    throw UsageError("the agent's choose: action " + std::to_string(number) +
                     " is not one of 0 to " + std::to_string(actions - 1));
  }
  return static_cast<Action>(number);
}

}  // namespace

PythonAgent::PythonAgent(const py::object& agent, std::string name, Shape shape,
                         const std::atomic<bool>* stop)
    : choose_(agent.attr("choose")),
      learn_(agent.attr("learn")),
      name_(std::move(name)),
      shape_(shape),
      stop_(stop) {}

PythonAgent::~PythonAgent() {
  const py::gil_scoped_acquire locked;
  choose_ = learn_ = py::object();
}

Choice PythonAgent::choose(Context x, Rng&) {
  if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) throw StopRequested{};
  const py::gil_scoped_acquire locked;
  return {action_of(choose_(context_array(x)), shape_.actions), 0.0};
}

void PythonAgent::learn(Context x, Choice made, double reward) {
  const py::gil_scoped_acquire locked;
  learn_(context_array(x), made.action, reward);
}

void PythonAgent::play(Problem& problem, Streams& rng, std::uint64_t steps, Recorder& record) {
  sau::play(problem, *this, rng, steps, record);
}

void PythonAgent::cannot(const char* what) {
  throw Error(std::string(what) + " is not available for an agent written in Python");
}

void PythonAgent::probabilities(Context, std::span<double>) { cannot("probabilities"); }
void PythonAgent::last_probabilities(Context, std::span<double>) { cannot("probabilities"); }
std::span<const double> PythonAgent::values(Context) { cannot("values"); }
void PythonAgent::merge(const AnyAgent&) { cannot("merge"); }
std::unique_ptr<AnyAgent> PythonAgent::clone() const { cannot("a copy"); }
void PythonAgent::save(StateWriter&) const { cannot("a file"); }
void PythonAgent::load(StateReader&) { cannot("a file"); }

}  // namespace sau::python
