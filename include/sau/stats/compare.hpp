#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/rng.hpp"

namespace sau {

// An estimate with its 95 % interval. Both ends are NaN if there is none, as for a single trial.
struct Estimate {
  double value = 0.0, low = 0.0, high = 0.0;

  bool has_interval() const noexcept { return !std::isnan(low); }
};

// How algorithm `a` did against algorithm `b`, trial by trial. The trials of a problem share their
// contexts and noise, so the differences a - b of their regrets are taken within each trial.
struct PairComparison {
  std::size_t a = 0, b = 0;                      // indices into ProblemComparison::algorithms
  std::uint64_t trials = 0;                      // trials that both have and neither failed
  std::uint64_t wins = 0, ties = 0, losses = 0;  // for a: lower regret wins
  Estimate mean;        // of the differences a - b, bootstrap interval (BCa)
  Estimate median;      // of the same; a few stuck trials do not move it
  double p = 1.0;       // Wilcoxon signed-rank, two-sided
  bool exact = false;   // whether p is from the exact distribution
  double p_holm = 1.0;  // corrected over all pairs of the problem (Holm 1979)
};

struct ProblemComparison {
  std::string problem;
  std::vector<std::string> algorithms;
  bool heavy_tails = false;           // a few trials dominate some agent's mean: trust the medians
  std::vector<std::string> heavy;     // names of these agents
  std::uint64_t resamples = 0;        // behind every bootstrap interval
  std::vector<PairComparison> pairs;  // all pairs a < b with trials in common
};

// Mean rank of an algorithm over problems: 1 is the lowest mean regret; ties share a rank.
struct MeanRank {
  std::string algorithm;
  Estimate rank;              // interval: bootstrap over the trials of each problem
  std::vector<double> ranks;  // one per problem
};
struct RankTable {
  std::vector<std::string> problems;  // those on which all algorithms were run
  std::vector<MeanRank> algorithms;   // lowest mean rank first
};

// The total regrets of an algorithm on a problem, by trial number; NaN for a failed trial.
struct AlgorithmRegrets {
  std::string algorithm;
  std::vector<double> regret;
  // Where the trials come from: trials of one source share contexts and noise, others do not.
  std::uint64_t source = 0;
};
struct ProblemRegrets {
  std::string problem;  // also selects the random stream for resampling
  std::vector<AlgorithmRegrets> algorithms;
};

// Compares every pair of algorithms. The result depends only on the arguments, and a pair's result,
// except p_holm, does not depend on the other algorithms.
ProblemComparison compare(const ProblemRegrets& problem);

// All problems must have the same algorithms, in any order. Uses the trials that all algorithms
// have; leaves out a problem without such trials, or with trials from several sources.
RankTable rank_algorithms(std::span<const ProblemRegrets> problems);

// The building blocks.

// Whether a few trials dominate the mean. Outliers are further from the median than three times the
// 10-90 % range; true if the mean of the other values differs from the mean of all by more than
// their own standard error. False for fewer than 10 values.
bool heavy_tailed(std::span<const double> values);

struct SignedRankTest {
  double p = 1.0;
  bool exact = false;
};
// Wilcoxon's signed-rank test of whether the differences lie symmetrically about 0, two-sided.
// Exact, over all 2^n choices of signs, for up to 50 differences without ties or zeros. Otherwise
// the normal approximation with continuity correction: tied ranks are averaged, zeros are ranked
// with the others and then left out (Pratt 1959).
SignedRankTest signed_rank_test(std::span<const double> differences);

// p-values corrected for multiple testing (Holm 1979), in the same order.
std::vector<double> holm(std::span<const double> p);

enum class Location { kMean, kMedian };
// Bootstrap interval, bias-corrected and accelerated (Efron 1987). No interval for fewer than two
// values or for 0 resamples.
Estimate bootstrap(std::span<const double> values, Location location, std::uint64_t resamples,
                   const Stream& stream);

// How many resamples to draw: 2000, and fewer beyond 10,000 trials, where intervals are narrow and
// resampling is slow.
std::uint64_t resamples_for(std::uint64_t trials) noexcept;

}  // namespace sau
