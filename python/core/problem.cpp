// The library's problems, played step by step from Python.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>

#include "errors.hpp"
#include "parts.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/problem/offer_problem.hpp"

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
    data_ = offers_by_id(spec_) ? make_offer_problem(spec_, {})->data()
                                : make_problem(spec_, {})->data();
    restart(seed, trial);
  }

  // Calls use() with the problem, of either kind.
  template <class Use>
  auto with_problem(const Use& use) const {
    return problem_ ? use(*problem_) : use(*offers_);
  }
  // None if actions come and go.
  py::object n_actions() const {
    return problem_ ? py::object(py::int_(problem_->shape().actions)) : py::none();
  }
  py::object context_dim() const {
    return problem_ ? py::object(py::int_(problem_->shape().dim)) : py::none();
  }
  const std::string& spec() const { return spec_; }
  const Stream& stream() const { return stream_; }
  // The scope of the streams that an agent has on this problem in a run.
  std::uint64_t agent_scope(const std::string& canonical_agent) const {
    return agent_stream(spec_, canonical_agent, stream_.seed, stream_.trial, data_).scope;
  }

  // The first context, or the first offer as JSON.
  py::object reset(std::optional<std::uint64_t> seed, std::optional<std::uint64_t> trial) {
    restart(seed.value_or(stream_.seed), trial.value_or(stream_.trial));
    return next();
  }

  // The next context or offer, the reward, and the regret.
  py::tuple step(Action action) {
    if (!waiting_) throw UsageError("step: call reset() first");
    const std::size_t actions = problem_ ? problem_->shape().actions : now_.actions.size();
    if (action >= actions) {
      throw UsageError("step: action " + std::to_string(action) + " is not one of 0 to " +
                       std::to_string(actions - 1));
    }
    if (!problem_ && now_.actions[action].excluded) {
      throw UsageError("step: action " + std::to_string(action) + ", '" +
                       std::string(now_.actions[action].id) + "', is excluded");
    }
    const auto [reward, regret] = with_problem([&](auto& problem) {
      const double received = problem.pull(action, rng_);
      return std::pair(received, problem.regret(action));
    });
    return py::make_tuple(next(), reward, regret);
  }

 private:
  void restart(std::uint64_t seed, std::uint64_t trial) {
    stream_ = problem_stream(spec_, seed, trial, data_);
    rng_ = Rng(stream_);
    waiting_ = false;
    if (offers_by_id(spec_)) {
      offers_ = make_offer_problem(spec_, stream_.with(Role::kSetup));
    } else {
      problem_ = make_problem(spec_, stream_.with(Role::kSetup));
    }
  }

  // Returns a copy: the problem overwrites its context in the next step.
  py::object next() {
    waiting_ = false;
    py::object given;
    if (problem_) {
      const Context x = problem_->next(rng_);
      given = py::array_t<double>(static_cast<py::ssize_t>(x.size()), x.data());
    } else {
      now_ = offers_->next(rng_);
      given = py::str(offers_->request());
    }
    waiting_ = true;
    return given;
  }

  std::string spec_;
  std::string data_;  // fingerprint of its data
  Stream stream_;
  Rng rng_;
  // One of them is null.
  std::unique_ptr<Problem> problem_;
  std::unique_ptr<OfferProblem> offers_;
  Situation now_;  // of offers_
  bool waiting_ = false;
};

}  // namespace

void define_problem(py::module_& module) {
  py::class_<Trial>(module, "Problem", "The part of sau.Problem that is written in C++.")
      .def(py::init<const std::string&, std::uint64_t, std::uint64_t>(), "spec"_a, "seed"_a,
           "trial"_a)
      .def("_reset", &Trial::reset, "seed"_a, "trial"_a)
      .def("_step", &Trial::step, "action"_a)
      .def("_agent_scope", &Trial::agent_scope, "canonical_agent"_a)
      .def_property_readonly("spec", &Trial::spec, "The canonical spec.")
      .def_property_readonly(
          "seed", [](const Trial& trial) { return trial.stream().seed; },
          "The seed it was last started with.")
      .def_property_readonly(
          "trial", [](const Trial& trial) { return trial.stream().trial; },
          "The number of the trial, from 0.")
      .def_property_readonly("n_actions", &Trial::n_actions,
                             "The number of actions; None if they come and go.")
      .def_property_readonly(
          "context_dim", &Trial::context_dim,
          "The length of a context; 0 for a multi-armed problem, None if actions "
          "come and go.")
      .def_property_readonly(
          "reward_range",
          [](const Trial& trial) {
            const RewardRange range =
                trial.with_problem([](const auto& problem) { return problem.rewards(); });
            return py::make_tuple(range.min, range.max);
          },
          "The smallest and the largest possible reward.")
      .def_property_readonly(
          "default_steps",
          [](const Trial& trial) {
            return trial.with_problem([](const auto& problem) { return problem.default_steps(); });
          },
          "The number of steps of a trial, unless you ask for another.");
}

}  // namespace sau::python
