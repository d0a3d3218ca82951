#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sau/core/draw.hpp"
#include "sau/core/rng.hpp"
#include "sau/evaluate/array_choices.hpp"
#include "sau/evaluate/evaluate.hpp"

namespace sau::testing {

// A log in memory that owns its arrays. Contexts have one column, +1 or -1; action 0 pays with
// chance `good` for +1 and `bad` for -1, action 1 the other way round, further actions `bad`.
struct SimulatedLog {
  Action actions = 2;
  double good = 0.7, bad = 0.3;
  bool all_chances = true;
  std::vector<double> contexts, rewards, chance, chances;
  std::vector<Action> chosen;

  double mean_reward(double x, Action a) const { return a == (x > 0.0 ? 0U : 1U) ? good : bad; }

  // Adds a decision by these chances; returns the reward.
  double add(double x, const std::vector<double>& by, Rng& rng) {
    const auto a = static_cast<Action>(draw_from(by, rng.uniform()));
    const double reward = rng.uniform() < mean_reward(x, a) ? 1.0 : 0.0;
    contexts.push_back(x);
    chosen.push_back(a);
    rewards.push_back(reward);
    chance.push_back(by[a]);
    chances.insert(chances.end(), by.begin(), by.end());
    return reward;
  }

  std::unique_ptr<ChoiceSource> source() const {
    ChoiceArrays arrays{.rows = chosen.size(),
                        .dim = 1,
                        .actions = actions,
                        .contexts = contexts,
                        .chosen = chosen,
                        .rewards = rewards,
                        .chance = chance,
                        .chances = {}};
    if (all_chances) arrays.chances = chances;
    return open_array_choices(arrays, "simulated");
  }
};

// Decisions whose chances depend on the context, with two actions unless told.
inline SimulatedLog simulated_log(std::size_t rows, std::uint64_t seed, double first = 0.8,
                                  double good = 0.7, double bad = 0.3) {
  SimulatedLog log;
  log.good = good;
  log.bad = bad;
  Rng rng(Stream{.seed = seed});
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = rng.uniform() < 0.5 ? 1.0 : -1.0;
    const double p = x > 0.0 ? first : 0.5;
    log.add(x, {p, 1.0 - p}, rng);
  }
  return log;
}

inline EvaluationResult evaluated(const SimulatedLog& log, const std::vector<std::string>& policies,
                                  const EvaluateOptions& options = {},
                                  Learning learning = Learning::kFollowing) {
  std::vector<PolicyPlan> plans;
  for (const std::string& policy : policies) plans.push_back({make_target(policy, 1), learning});
  const auto source = log.source();
  return evaluate(*source, std::move(plans), {}, options);
}

inline const EstimateResult& estimate(const PolicyResult& policy, const std::string& name) {
  for (const EstimateResult& one : policy.estimates) {
    if (one.estimator == name) return one;
  }
  throw Error("no estimator " + name);
}

}  // namespace sau::testing
