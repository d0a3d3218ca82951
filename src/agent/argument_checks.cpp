#include "sau/agent/argument_checks.hpp"

#include <cmath>
#include <string>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

std::string describe(const RewardRange& range) {
  return "rewards from " + format_number(range.min) + " to " + format_number(range.max);
}

}  // namespace

std::string describe(const Shape& shape) {
  return std::to_string(shape.actions) + " actions and contexts of length " +
         std::to_string(shape.dim);
}

void check_context(Context x, const Shape& shape) {
  if (x.size() != shape.dim) {
    throw Error("the context has " + std::to_string(x.size()) + " numbers, expected " +
                std::to_string(shape.dim));
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) {
      throw Error("the context's number " + std::to_string(i) + " is not finite");
    }
  }
}

void check_action(const Choice& made, const Shape& shape) {
  if (made.action >= shape.actions) {
    throw Error("learn: action " + std::to_string(made.action) + " is not one of " +
                std::to_string(shape.actions));
  }
  if (!std::isfinite(made.value)) throw Error("learn: the choice's value is not finite");
}

void check_reward(double reward, const RewardRange& rewards, std::string_view learner) {
  if (rewards.contains(reward)) return;  // NaN is in no range
  throw Error("learn: reward " + format_number(reward) + " is not allowed; " +
              std::string(learner) + " learns from " + describe(rewards));
}

void check_room(std::span<const double> out, const Shape& shape) {
  if (out.size() == shape.actions) return;
  throw Error("probabilities: room for " + std::to_string(out.size()) + " actions, expected " +
              std::to_string(shape.actions));
}

void check_problem(const Problem& problem, const Shape& shape, const RewardRange& rewards,
                   std::string_view learner) {
  if (problem.shape() != shape) {
    throw Error("the agent was made for " + describe(shape) + ", the problem has " +
                describe(problem.shape()));
  }
  if (!rewards.contains(problem.rewards())) {
    throw UsageError(std::string(learner) + " learns from " + describe(rewards) +
                     ", the problem pays " + describe(problem.rewards()));
  }
}

void check_finite(const char* where, HashedFeatures features) {
  for (const HashedFeature& feature : features) {
    if (!std::isfinite(feature.value)) {
      throw Error(std::string(where) + " has a feature whose value is not a finite number");
    }
  }
}

void check_same(const AnyAgent& other, const AnyAgent& own) {
  if (other.spec() == own.spec() && other.shape() == own.shape()) return;
  throw Error("merge: cannot add " + other.spec() + " for " + describe(other.shape()) + " to " +
              own.spec() + " for " + describe(own.shape()));
}

void refuse_merge(const std::string& spec) {
  throw Error("merge: " + spec + " cannot be merged; its state is not a sum");
}

}  // namespace sau
