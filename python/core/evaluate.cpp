// sau.evaluate: what a policy would have earned, from a log in arrays.
#include "sau/evaluate/evaluate.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "parts.hpp"
#include "sau/core/error.hpp"
#include "sau/core/spec.hpp"
#include "sau/evaluate/array_choices.hpp"
#include "sau/evaluate/evaluation_text.hpp"

namespace sau::python {
namespace {

using namespace py::literals;

// A policy whose chances are the rows of an array.
class ArrayTarget final : public Target {
 public:
  ArrayTarget(std::string name, std::span<const double> chances, std::size_t actions)
      : Target(std::move(name)), chances_(chances), actions_(actions) {}

  void probabilities(const LoggedChoice& choice, std::span<double> out) override {
    const auto row = chances_.subspan((choice.line - 1) * actions_, actions_);
    std::ranges::copy(row, out.begin());
  }

 private:
  std::span<const double> chances_;
  std::size_t actions_;
};

// The settings of an evaluation, from keyword arguments that Python has checked for their types.
EvaluateOptions options_of(const py::dict& settings) {
  EvaluateOptions options;
  const auto get = [&]<class T>(const char* name, T) { return settings[name].cast<T>(); };
  options.score.estimators = get("estimators", std::vector<std::string>{});
  for (const std::string& name : options.score.estimators) estimator_info(name);
  detail::read_value("evaluate", "interval", get("interval", std::string{}), {},
                     options.score.interval);
  options.score.alpha = get("alpha", 0.0);
  options.score.rewards = {get("least", 0.0), get("most", 0.0)};
  options.score.settings = {get("clip", 0.0), get("tau", 0.0), get("lambda_", 0.0)};
  options.reward_model = get("reward_model", std::string{});
  options.folds = get("folds", std::uint64_t{});
  options.train = get("train", 0.0);
  options.accept = get("accept", 0.0);
  options.seed = get("seed", std::uint64_t{});
  options.threads = get("threads", unsigned{});
  return options;
}

// The actions, as whole numbers below `limit`.
py::array_t<std::int64_t> checked_actions(const py::object& given, std::size_t rows, Action limit) {
  const std::vector<Action> actions = actions_of(given, rows, limit, "actions");
  py::array_t<std::int64_t> out(static_cast<py::ssize_t>(rows));
  std::ranges::copy(actions, out.mutable_data());
  return out;
}

// Returns the JSON and the text of the result.
std::pair<std::string, std::string> evaluate_arrays(
    const py::object& contexts, const py::object& chosen, const py::object& rewards,
    const py::object& chance, const py::object& chances, Action actions, const py::list& policies,
    const py::dict& settings) {
  const Matrix x(contexts, "X");
  const std::vector<Action> played = actions_of(chosen, x.rows(), actions, "actions");
  const Doubles paid = column_of(rewards, x.rows(), "rewards");
  const Doubles by = column_of(chance, x.rows(), "probabilities");
  std::optional<Matrix> all;
  if (!chances.is_none()) all.emplace(chances, "probabilities");
  std::vector<Matrix> given;  // keeps the arrays of policies alive
  given.reserve(policies.size());
  Learning learning{};
  detail::read_value("evaluate", "learning", settings["learning"].cast<std::string>(), {},
                     learning);
  const EvaluateOptions options = options_of(settings);
  std::vector<PolicyPlan> plans;
  for (const py::handle each : policies) {
    const auto [name, policy] = each.cast<std::pair<std::string, py::object>>();
    if (py::isinstance<py::str>(policy)) {
      plans.push_back({make_target(policy.cast<std::string>(), options.seed), learning});
    } else {
      given.emplace_back(policy, "policy");
      plans.push_back(
          {std::make_unique<ArrayTarget>(name, span_of(given.back().array()), actions), learning});
    }
  }
  const auto source =
      open_array_choices({.rows = x.rows(),
                          .dim = x.columns(),
                          .actions = actions,
                          .contexts = span_of(x.array()),
                          .chosen = played,
                          .rewards = span_of(paid),
                          .chance = span_of(by),
                          .chances = all ? span_of(all->array()) : std::span<const double>()},
                         "the log");
  EvaluationResult result;
  std::atomic<bool> stop = false;
  EvaluateOptions watched = options;
  watched.progress = [&stop](std::uint64_t) {
    if (stop) throw Error("stopped");
  };
  run_interruptibly(
      stop, [&] { result = evaluate(*source, std::move(plans), {}, watched); }, [] {});
  const bool force = settings["force"].cast<bool>();
  return {evaluation_json(result, force), evaluation_text(result, force)};
}

}  // namespace

void define_evaluate(py::module_& module) {
  module.def("checked_actions", &checked_actions, "actions"_a, "rows"_a, "limit"_a);
  module.def("evaluate_arrays", &evaluate_arrays, "contexts"_a, "actions"_a, "rewards"_a,
             "chance"_a, "chances"_a, "n_actions"_a, "policies"_a, "settings"_a);
}

}  // namespace sau::python
