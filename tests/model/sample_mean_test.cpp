#include "sau/model/sample_mean.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sau/core/rng.hpp"
#include "sau/model/value_model.hpp"
#include "support/setups.hpp"

namespace sau {
namespace {

using testing::actions;

static_assert(ValueModel<SampleMean> && Mergeable<SampleMean> && !PosteriorModel<SampleMean>);

TEST(SampleMean, AnActionNeverPlayedHasTheValueZero) {
  const SampleMean model(actions(3));
  for (const double value : model.values({})) EXPECT_EQ(value, 0.0);
}

// 1, then 1 + (4 - 1) / 2 = 2.5, then 2.5 + (1 - 2.5) / 3 = 2.
TEST(SampleMean, FollowsTheRecurrence) {
  SampleMean model(actions(2));
  model.update({}, 1, 1.0);
  EXPECT_EQ(model.values({})[1], 1.0);
  model.update({}, 1, 4.0);
  EXPECT_EQ(model.values({})[1], 2.5);
  model.update({}, 1, 1.0);
  EXPECT_EQ(model.values({})[1], 2.0);
  EXPECT_EQ(model.values({})[0], 0.0);
}

TEST(SampleMean, EqualsThePlainMean) {
  for (const double size : {1.0, 1e-12, 1e150}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      SampleMean model(actions(3));
      std::vector<long double> sum(3);
      std::vector<int> count(3);
      Rng rng({.seed = seed});
      for (int n = 0; n < 1000; ++n) {
        const auto action = static_cast<Action>(rng.below(3));
        const double reward = size * rng.normal();
        model.update({}, action, reward);
        sum[action] += reward;
        ++count[action];
      }
      for (std::size_t a = 0; a < 3; ++a) {
        EXPECT_NEAR(model.values({})[a], static_cast<double>(sum[a] / count[a]), 1e-13 * size);
      }
    }
  }
}

TEST(SampleMean, MergedPartsEqualTheWhole) {
  SampleMean whole(actions(4)), left(actions(4)), right(actions(4));
  Rng rng({.seed = 2});
  for (int n = 0; n < 300; ++n) {
    // Action 0 occurs only on the left, 1 only on the right, 3 never.
    const auto action = static_cast<Action>(rng.below(3));
    const double reward = rng.normal();
    whole.update({}, action, reward);
    (action == 0 || (action == 2 && n % 3 == 0) ? left : right).update({}, action, reward);
  }
  left.merge(right);
  for (std::size_t a = 0; a < 4; ++a) {
    EXPECT_NEAR(left.values({})[a], whole.values({})[a], 1e-14) << a;
  }
  // The counts are merged too: the next reward has the same weight.
  for (Action a = 0; a < 4; ++a) {
    whole.update({}, a, 10.0);
    left.update({}, a, 10.0);
    EXPECT_NEAR(left.values({})[a], whole.values({})[a], 1e-14) << a;
  }
}

}  // namespace
}  // namespace sau
