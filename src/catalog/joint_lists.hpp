#pragma once

#include "catalog/lists.hpp"
#include "sau/explore/joint_epsilon_greedy.hpp"
#include "sau/explore/joint_sau_sampling.hpp"
#include "sau/explore/joint_sau_ucb.hpp"
#include "sau/model/hashed_linear.hpp"
#include "sau/model/hashed_mlp.hpp"

namespace sau {

// What a joint agent can be made of: a new one is its header above and its name here.
using JointModels = TypeList<HashedLinear, HashedMlp>;
using JointStrategies = TypeList<JointSauSampling, JointSauUcb, JointEpsilonGreedy>;

}  // namespace sau
