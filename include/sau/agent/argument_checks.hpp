#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sau/agent/any_agent.hpp"
#include "sau/core/types.hpp"
#include "sau/model/joint_features.hpp"
#include "sau/problem/problem.hpp"

namespace sau {

// Checks of the arguments of an agent's functions. Each throws an Error that says what it expected.

void check_context(Context x, const Shape& shape);
void check_action(const Choice& made, const Shape& shape);
void check_reward(double reward, const RewardRange& rewards, std::string_view learner);
void check_room(std::span<const double> out, const Shape& shape);
void check_problem(const Problem& problem, const Shape& shape, const RewardRange& rewards,
                   std::string_view learner);

void check_finite(const char* where, HashedFeatures features);

std::string describe(const Shape& shape);

// For merge(). check_same() throws if `other` has another spec or shape. refuse_merge() says that
// what the agent has learned is not a sum.
void check_same(const AnyAgent& other, const AnyAgent& own);
[[noreturn]] void refuse_merge(const std::string& spec);

}  // namespace sau
