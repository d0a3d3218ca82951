// Some pairs of model and strategy can merge two agents, the others refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "support/catalogue_types.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using testing::PairCase;
using testing::state_bytes;

// Models and strategies whose state is not a sum over the steps. A pair with one of them must
// refuse to merge; every other pair must merge.
constexpr std::string_view kNotSums[] = {
    "mlp",       "neural_linear", "hashed_linear",   "hashed_mlp",
    "committee", "exp3",          "neural_gradient", "langevin_mlp",
    "bootstrap", "restarting",    "windowed",        "random_features"};

bool merges(const PairCase& pair) {
  return std::ranges::count(kNotSums, pair.model) + std::ranges::count(kNotSums, pair.strategy) ==
         0;
}

std::vector<PairCase> pairs_that(bool merge) {
  std::vector<PairCase> pairs = testing::pair_cases(testing::FittingPairs{});
  std::erase_if(pairs, [merge](const PairCase& pair) { return merges(pair) != merge; });
  return pairs;
}

class MergingPair : public ::testing::TestWithParam<PairCase> {};
INSTANTIATE_TEST_SUITE_P(Pairs, MergingPair, ::testing::ValuesIn(pairs_that(true)),
                         testing::pair_name);

class RefusingPair : public ::testing::TestWithParam<PairCase> {};
INSTANTIATE_TEST_SUITE_P(Pairs, RefusingPair, ::testing::ValuesIn(pairs_that(false)),
                         testing::pair_name);

class EveryPair : public ::testing::TestWithParam<PairCase> {};
INSTANTIATE_TEST_SUITE_P(Pairs, EveryPair, testing::every_pair(), testing::pair_name);

// Two agents each learn half of the same decisions. After the merge, values and chances equal those
// of the agent that saw everything. The values are fixed in advance, as with late rewards.
TEST_P(MergingPair, MergedHalvesEqualTheWhole) {
  const auto whole = GetParam().make(4), left = GetParam().make(4), right = GetParam().make(4);
  auto world = GetParam().world(4);
  Rng rng({.seed = 9, .role = Role::kAgent}), aside({.seed = 10, .role = Role::kAgent});
  for (int n = 0; n < 200; ++n) {
    const Context x = world.next();
    const Choice made = whole->choose(x, rng);
    const double reward = world.reward(made.action);
    whole->learn(x, made, reward);
    AnyAgent& half = n % 3 == 0 ? *left : *right;
    half.choose(x, aside);  // counts the step
    half.learn(x, made, reward);
  }
  left->merge(*right);
  const Context x = world.next();
  std::vector<double> merged(4), expected(4);
  left->probabilities(x, merged);
  whole->probabilities(x, expected);
  for (std::size_t a = 0; a < 4; ++a) {
    EXPECT_NEAR(left->values(x)[a], whole->values(x)[a], 1e-9);
    EXPECT_NEAR(merged[a], expected[a], 1e-7);
  }
}

TEST_P(RefusingPair, MergingIsRefusedAndChangesNothing) {
  const auto left = GetParam().make(4), right = GetParam().make(4);
  auto world = GetParam().world(4);
  Rng rng({.seed = 9, .role = Role::kAgent});
  testing::play_steps(*left, world, rng, 50);
  testing::play_steps(*right, world, rng, 50);
  const std::string before = state_bytes(*left);
  EXPECT_THAT(error_of([&] { left->merge(*right); }),
              HasSubstr("merge: " + left->spec() + " cannot be merged; its state is not a sum"));
  EXPECT_EQ(state_bytes(*left), before);
}

TEST_P(EveryPair, MergingAgentsThatDoNotMatchIsRefused) {
  const auto agent = GetParam().make(4);
  const auto wider = GetParam().make(5);
  const std::string before = state_bytes(*agent);
  const std::string error = error_of([&] { agent->merge(*wider); });
  EXPECT_THAT(error, HasSubstr("merge: cannot add " + GetParam().spec() + " for 5 actions"));
  EXPECT_THAT(error, HasSubstr("for 4 actions"));
  const auto stranger =
      make_agent(agent->spec().ends_with("+greedy") ? "uniform" : "greedy", GetParam().setup(4));
  EXPECT_THAT(error_of([&] { agent->merge(*stranger); }), HasSubstr(stranger->spec()));
  EXPECT_EQ(state_bytes(*agent), before);
}

}  // namespace
}  // namespace sau
