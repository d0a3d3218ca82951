#include "sau/core/floor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "sau/core/rng.hpp"

namespace sau {
namespace {

std::vector<double> raised(double floor, std::vector<double> probability) {
  raise_to_floor(floor, probability);
  return probability;
}

TEST(Floor, MixesInAsFewUniformChoicesAsAreNeeded) {
  EXPECT_EQ(raised(0.2, {1.0, 0.0}), (std::vector<double>{0.9, 0.1}));
  // Nothing is below a tenth of a half.
  EXPECT_EQ(raised(0.1, {0.9, 0.1}), (std::vector<double>{0.9, 0.1}));
  EXPECT_EQ(raised(0.0, {1.0, 0.0}), (std::vector<double>{1.0, 0.0}));
  EXPECT_EQ(raised(0.5, {1.0}), (std::vector<double>{1.0}));
  EXPECT_EQ(raised(1.0, {0.7, 0.3}), (std::vector<double>{0.5, 0.5}));
  EXPECT_TRUE(raised(0.5, {}).empty());
  // A strategy that explores by itself in a share of 0.3 is not changed by a floor of 0.3.
  const std::vector<double> greedy{0.1, 0.8, 0.1};
  const std::vector<double> same = raised(0.3, greedy);
  for (std::size_t i = 0; i < greedy.size(); ++i) EXPECT_NEAR(same[i], greedy[i], 1e-15);
}

TEST(Floor, HoldsForAnyProbabilities) {
  Rng rng(Stream{.seed = 1, .role = Role::kProblem});
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> p(1 + rng.below(40));
    for (double& each : p) each = rng.below(3) == 0 ? 0.0 : rng.uniform();
    p[0] += 0.001;
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& each : p) each /= sum;
    const double floor = rng.below(4) == 0 ? 0.02 : rng.uniform();
    const std::vector<double> q = raised(floor, p);
    EXPECT_NEAR(std::accumulate(q.begin(), q.end(), 0.0), 1.0, 1e-12);
    EXPECT_GE(*std::ranges::min_element(q), floor / static_cast<double>(q.size()) * (1 - 1e-15));
    for (std::size_t a = 1; a < p.size(); ++a) {
      EXPECT_EQ(p[a] < p[0], q[a] < q[0] || (p[a] < p[0] && q[a] == q[0]));  // the order stays
    }
  }
}

}  // namespace
}  // namespace sau
