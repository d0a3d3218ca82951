#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sau/agent/any_agent.hpp"
#include "sau/problem/problem.hpp"

namespace sau::python {

namespace py = pybind11;

// Thrown in a trial when the run was asked to stop.
struct StopRequested {};

// What is known about a problem before it is played.
struct ProblemShape {
  Shape shape;
  RewardRange rewards;
  std::uint64_t default_steps = 0;
};

// A problem written in Python: reset(seed=...) returns the first context. step(action) returns the
// next context, the reward and, last, a dictionary that may have "regret". Without it the regret is
// minus the reward: differences between agents are still right. After the end of an episode it is
// reset. All calls take the interpreter's lock themselves.
class PythonProblem final : public Problem {
 public:
  // Call with the lock held. `stop` ends a trial at its next step by throwing StopRequested.
  PythonProblem(py::object problem, const ProblemShape& known, std::uint64_t seed,
                const std::atomic<bool>* stop);
  ~PythonProblem() override;
  PythonProblem(const PythonProblem&) = delete;
  PythonProblem& operator=(const PythonProblem&) = delete;

  Shape shape() const override { return known_.shape; }
  RewardRange rewards() const override { return known_.rewards; }
  std::uint64_t default_steps() const override { return known_.default_steps; }

  Context next(Rng& rng) override;
  double pull(Action action, Rng& rng) override;
  double regret(Action) const override { return regret_; }

 private:
  void take_context(py::handle observation);

  py::object problem_, step_;
  ProblemShape known_;
  std::uint64_t seed_;
  const std::atomic<bool>* stop_;
  // The current context must not change before next(): the agent learns after pull().
  std::vector<double> x_, coming_;
  double regret_ = 0.0;
  enum class State { kNew, kOver, kReady } state_ = State::kNew;
};

// An agent written in Python: choose(x) returns an action, learn(x, action, reward) is given its
// reward. All calls take the interpreter's lock themselves.
class PythonAgent final : public AnyAgent {
 public:
  // Call with the lock held.
  PythonAgent(const py::object& agent, std::string name, Shape shape,
              const std::atomic<bool>* stop);
  ~PythonAgent() override;
  PythonAgent(const PythonAgent&) = delete;
  PythonAgent& operator=(const PythonAgent&) = delete;

  const std::string& spec() const noexcept override { return name_; }
  Shape shape() const noexcept override { return shape_; }
  RewardRange rewards() const noexcept override { return {}; }

  Choice choose(Context x, Rng& rng) override;
  void learn(Context x, Choice made, double reward) override;
  void play(Problem& problem, Streams& rng, std::uint64_t steps, Recorder& record) override;
  std::string fault() const override { return {}; }

  // A run calls none of these.
  void probabilities(Context x, std::span<double> out) override;
  void last_probabilities(Context x, std::span<double> out) override;
  std::span<const double> values(Context x) override;
  void merge(const AnyAgent& other) override;
  std::unique_ptr<AnyAgent> clone() const override;
  void save(StateWriter& writer) const override;
  void load(StateReader& reader) override;

 private:
  [[noreturn]] static void cannot(const char* what);

  py::object choose_, learn_;
  std::string name_;
  Shape shape_;
  const std::atomic<bool>* stop_;
};

}  // namespace sau::python
