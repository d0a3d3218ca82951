// The library's problems, played step by step from Python.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <vector>

#include "errors.hpp"
#include "parts.hpp"
#include "sau/catalog/catalog.hpp"

namespace sau::python {
namespace {

using namespace py::literals;

// One trial: the same draws as trial `trial` of a run with this seed.
class Trial {
 public:
  Trial(const std::string& spec, std::uint64_t seed, std::uint64_t trial)
      : spec_(canonical_problem(spec)), rng_(Stream{}) {
    if (lateness_of(spec_) != Lateness{}) {
      throw UsageError("Problem: " + spec_ +
                       ": a problem that is played step by step cannot have late rewards; leave "
                       "'+late' out");
    }
    restart(seed, trial);
    problem_ = make_problem(spec_, stream_.with(Role::kSetup));
  }

  const Problem& problem() const { return *problem_; }
  const std::string& spec() const { return spec_; }
  const Stream& stream() const { return stream_; }

  py::array_t<double> reset(std::optional<std::uint64_t> seed, std::optional<std::uint64_t> trial) {
    restart(seed.value_or(stream_.seed), trial.value_or(stream_.trial));
    problem_ = make_problem(spec_, stream_.with(Role::kSetup));
    return next();
  }

  // The next context, the reward, and the regret.
  py::tuple step(Action action) {
    if (!waiting_) throw UsageError("step: call reset() first");
    const Shape shape = problem_->shape();
    if (action >= shape.actions) {
      throw UsageError("step: action " + std::to_string(action) + " is not one of 0 to " +
                       std::to_string(shape.actions - 1));
    }
    const double reward = problem_->pull(action, rng_);
    const double regret = problem_->regret(action);
    return py::make_tuple(next(), reward, regret);
  }

 private:
  void restart(std::uint64_t seed, std::uint64_t trial) {
    stream_ = problem_stream(spec_, seed, trial);
    rng_ = Rng(stream_);
    waiting_ = false;
  }

  // Returns a copy: the problem overwrites its context in the next step.
  py::array_t<double> next() {
    const Context x = problem_->next(rng_);
    waiting_ = true;
    return py::array_t<double>(static_cast<py::ssize_t>(x.size()), x.data());
  }

  std::string spec_;
  Stream stream_;
  Rng rng_;
  std::unique_ptr<Problem> problem_;
  bool waiting_ = false;
};

}  // namespace

void define_problem(py::module_& module) {
  py::class_<Trial>(module, "Problem", "The part of sau.Problem that is written in C++.")
      .def(py::init<const std::string&, std::uint64_t, std::uint64_t>(), "spec"_a, "seed"_a,
           "trial"_a)
      .def("_reset", &Trial::reset, "seed"_a, "trial"_a)
      .def("_step", &Trial::step, "action"_a)
      .def_property_readonly("spec", &Trial::spec, "The canonical spec.")
      .def_property_readonly(
          "seed", [](const Trial& trial) { return trial.stream().seed; },
          "The seed it was last started with.")
      .def_property_readonly(
          "trial", [](const Trial& trial) { return trial.stream().trial; },
          "The number of the trial, from 0.")
      .def_property_readonly(
          "n_actions", [](const Trial& trial) { return trial.problem().shape().actions; },
          "The number of actions.")
      .def_property_readonly(
          "context_dim", [](const Trial& trial) { return trial.problem().shape().dim; },
          "The length of a context; 0 for a multi-armed problem.")
      .def_property_readonly(
          "reward_range",
          [](const Trial& trial) {
            const RewardRange range = trial.problem().rewards();
            return py::make_tuple(range.min, range.max);
          },
          "The smallest and the largest possible reward.")
      .def_property_readonly(
          "default_steps", [](const Trial& trial) { return trial.problem().default_steps(); },
          "The number of steps of a trial, unless you ask for another.");
}

}  // namespace sau::python
