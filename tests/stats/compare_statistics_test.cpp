#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sau/core/rng.hpp"
#include "sau/stats/compare.hpp"

namespace sau {
namespace {

constexpr int kRepetitions = 2000;
// The standard error of a share of 5 % in this many repetitions.
const double kError = std::sqrt(0.05 * 0.95 / kRepetitions);

// How often the 95 % interval contains the true value. In theory (Hall 1988) the error of BCa is of
// order 1/n for the mean and 1/sqrt(n) for the median, whose resamples are discrete. At n = 100 we
// allow one and a half percentage points, and three standard errors of the simulation.
TEST(BootstrapStatistics, IntervalsContainTheTrueValueAsOftenAsTheyClaim) {
  constexpr std::size_t kSize = 100;
  Rng rng(Stream{.seed = 21});
  int mean = 0, median = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    std::vector<double> values(kSize);
    for (double& value : values) value = -std::log(rng.uniform_positive());  // exponential, skewed
    const Stream stream{.seed = 22, .trial = static_cast<std::uint64_t>(i)};
    const Estimate m = bootstrap(values, Location::kMean, 500, stream);
    mean += m.low <= 1.0 && 1.0 <= m.high ? 1 : 0;
    const Estimate half = bootstrap(values, Location::kMedian, 500, stream);
    median += half.low <= std::log(2.0) && std::log(2.0) <= half.high ? 1 : 0;
  }
  EXPECT_NEAR(mean, 0.95 * kRepetitions, (0.015 + 3.0 * kError) * kRepetitions);
  EXPECT_NEAR(median, 0.95 * kRepetitions, (0.015 + 3.0 * kError) * kRepetitions);
}

// Five algorithms that do not differ: the chance that any of the ten pairs is called different at
// the 5 % level is at most 5 % after Holm's correction, and far more before it.
TEST(CompareStatistics, NoDifferenceIsFoundWhereThereIsNone) {
  Rng rng(Stream{.seed = 23});
  int before = 0, after = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    std::vector<std::vector<double>> regret(5, std::vector<double>(20));
    for (std::size_t trial = 0; trial < 20; ++trial) {
      const double shared = rng.normal();
      for (auto& algorithm : regret) algorithm[trial] = shared + rng.normal();
    }
    std::vector<double> p;
    for (std::size_t a = 0; a < regret.size(); ++a) {
      for (std::size_t b = a + 1; b < regret.size(); ++b) {
        std::vector<double> differences(20);
        for (std::size_t t = 0; t < 20; ++t) differences[t] = regret[a][t] - regret[b][t];
        p.push_back(signed_rank_test(differences).p);
      }
    }
    before += std::ranges::min(p) < 0.05 ? 1 : 0;
    after += std::ranges::min(holm(p)) < 0.05 ? 1 : 0;
  }
  EXPECT_LE(after, (0.05 + 3.0 * kError) * kRepetitions);
  EXPECT_GE(after, 0.01 * kRepetitions) << "the correction is too strong";
  EXPECT_GE(before, 0.15 * kRepetitions);
}

}  // namespace
}  // namespace sau
