#include <cmath>
#include <optional>

#include "arrays.hpp"
#include "errors.hpp"
#include "python_parts.hpp"
#include "sau/core/text.hpp"

namespace sau::python {
namespace {

double number_of(py::handle object, const char* what) {
  const double number = PyFloat_AsDouble(object.ptr());
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw UsageError(std::string(what) + ": expected a number, found " +
                     std::string(py::repr(object)));
  }
  return number;
}

py::tuple tuple_of(const py::object& object, std::size_t size, const char* expected) {
  if (!py::isinstance<py::tuple>(object) || py::len(object) != size) {
    throw UsageError(std::string(expected) + ", found " + std::string(py::repr(object)));
  }
  return object;
}

}  // namespace

PythonProblem::PythonProblem(py::object problem, const ProblemShape& known, std::uint64_t seed,
                             const std::atomic<bool>* stop)
    : problem_(std::move(problem)),
      step_(problem_.attr("step")),
      known_(known),
      seed_(seed),
      stop_(stop),
      x_(known.shape.dim),
      coming_(known.shape.dim) {}

PythonProblem::~PythonProblem() {
  const py::gil_scoped_acquire locked;
  step_ = py::object();
  problem_ = py::object();
}

void PythonProblem::take_context(py::handle observation) {
  Context row;
  std::optional<Doubles> copy;
  if (!observation.is_none() && !is_plain_row(observation.ptr(), row)) {
    row = span_of(copy.emplace(doubles_of(observation, "the problem's context")));
  }
  if (row.size() != coming_.size()) {
    throw UsageError("the problem's context has " + std::to_string(row.size()) +
                     " numbers, expected " + std::to_string(coming_.size()));
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!std::isfinite(row[i])) {
      throw UsageError("number " + std::to_string(i) + " of the problem's context is not finite");
    }
    coming_[i] = row[i];
  }
}

Context PythonProblem::next(Rng&) {
  using namespace py::literals;
  if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) throw StopRequested{};
  if (state_ != State::kReady) {
    const py::gil_scoped_acquire locked;
    const py::object reset = problem_.attr("reset");
    const py::object answer = state_ == State::kNew ? reset("seed"_a = seed_) : reset();
    const py::tuple parts = tuple_of(answer, 2, "the problem's reset: expected (context, info)");
    take_context(parts[0]);
    state_ = State::kReady;
  }
  x_.swap(coming_);
  return x_;
}

double PythonProblem::pull(Action action, Rng&) {
  const py::gil_scoped_acquire locked;
  const py::tuple parts =
      tuple_of(step_(action), 5,
               "the problem's step: expected (context, reward, terminated, truncated, info)");
  const double reward = number_of(parts[1], "the problem's reward");
  if (!known_.rewards.contains(reward)) {
    throw UsageError("the problem's reward " + format_number(reward) +
                     " is not in its reward_range, from " + format_number(known_.rewards.min) +
                     " to " + format_number(known_.rewards.max));
  }
  regret_ = -reward;
  const py::object info = parts[4];
  if (py::isinstance<py::dict>(info) && info.contains("regret")) {
    regret_ = number_of(info["regret"], "the problem's regret");
    if (!std::isfinite(regret_)) throw UsageError("the problem's regret is not finite");
  }
  const bool over = py::bool_(parts[2]) || py::bool_(parts[3]);
  state_ = over ? State::kOver : State::kReady;
  if (!over) take_context(parts[0]);
  return reward;
}

}  // namespace sau::python
