#include "sau/evaluate/intervals.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "sau/core/rng.hpp"
#include "stats/distributions.hpp"

namespace sau {
namespace {

TEST(Intervals, NormalIsSymmetric) {
  const Interval found = normal_interval(0.3, 0.01, 0.05);
  EXPECT_NEAR(found.low, 0.3 - 1.959963984540054 * 0.1, 1e-12);
  EXPECT_NEAR(found.high, 0.3 + 1.959963984540054 * 0.1, 1e-12);
}

// n = 101 numbers in [0, 2] with a squared error of 0.01: sqrt(2 * 0.01 ln 80) + 7 * 2 ln 80 / 300.
TEST(Intervals, BernsteinByHand) {
  const double log_term = std::log(80.0);
  const double half = std::sqrt(0.02 * log_term) + 14.0 * log_term / 300.0;
  const Interval found = bernstein_interval(1.0, 0.01, 101, 2.0, 0.05);
  EXPECT_NEAR(found.low, 1.0 - half, 1e-12);
  EXPECT_NEAR(found.high, 1.0 + half, 1e-12);
  EXPECT_TRUE(std::isnan(bernstein_interval(1.0, 0.01, 1, 2.0, 0.05).low));
}

struct Pair {
  double w, r;
};

// The least and the largest sum of q w r, by projecting onto the constraints.
Interval projected(const std::vector<Pair>& pairs, double distance) {
  const auto n = static_cast<Eigen::Index>(pairs.size());
  const auto size = static_cast<double>(n);
  Eigen::MatrixXd a(2, n);
  Eigen::VectorXd z(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Pair& pair = pairs[static_cast<std::size_t>(i)];
    a(0, i) = 1.0;
    a(1, i) = pair.w;
    z(i) = pair.w * pair.r;
  }
  const Eigen::VectorXd even = Eigen::VectorXd::Constant(n, 1.0 / size);
  const Eigen::Vector2d wanted(1.0, 1.0);
  const Eigen::Matrix2d gram = a * a.transpose();
  const Eigen::VectorXd closest = even + a.transpose() * gram.inverse() * (wanted - a * even);
  const Eigen::VectorXd along = z - a.transpose() * gram.inverse() * (a * z);
  // n sum (q - 1/n)^2 may grow by distance / n.
  const double reach = std::sqrt(distance / (size * size)) * along.norm();
  return {closest.dot(z) - reach, closest.dot(z) + reach};
}

TEST(Intervals, LikelihoodIsAProjection) {
  Rng rng(Stream{.seed = 21});
  std::vector<Pair> pairs;
  LikelihoodSums sums;
  for (int i = 0; i < 40; ++i) {
    pairs.push_back({2.0 * rng.uniform(), rng.uniform()});
    sums.add(pairs.back().w, pairs.back().r);
  }
  const double t = detail::student_quantile(0.975, 39.0);
  double low = 1e9, high = -1e9;
  for (const double weight : {0.0, 2.0}) {
    for (const double reward : {0.0, 1.0}) {
      std::vector<Pair> more = pairs;
      more.push_back({weight, reward});
      const Interval found = projected(more, t * t);
      if (reward == 0.0) low = std::min(low, found.low);
      if (reward == 1.0) high = std::max(high, found.high);
    }
  }
  const Interval found = likelihood_interval(sums, 2.0, {0.0, 1.0}, 0.05);
  EXPECT_NEAR(found.low, low, 1e-10);
  EXPECT_NEAR(found.high, high, 1e-10);
}

TEST(Intervals, LikelihoodStaysInTheRange) {
  LikelihoodSums sums;
  for (int i = 0; i < 5; ++i) sums.add(1.0, 1.0);
  const Interval found = likelihood_interval(sums, 10.0, {0.0, 1.0}, 0.05);
  EXPECT_GE(found.low, 0.0);
  EXPECT_EQ(found.high, 1.0);
  LikelihoodSums one;
  one.add(1.0, 1.0);
  EXPECT_TRUE(std::isnan(likelihood_interval(one, 1.0, {0.0, 1.0}, 0.05).low));
}

}  // namespace
}  // namespace sau
