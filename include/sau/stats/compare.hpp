#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/rng.hpp"

namespace sau {

// An estimate with its 95 % interval. Without one, as for a single trial, both ends are NaN.
struct Estimate {
  double value = 0.0, low = 0.0, high = 0.0;

  bool has_interval() const noexcept { return !std::isnan(low); }
};

// How algorithm `a` did against algorithm `b`, trial by trial. The trials of a problem share their
// contexts and noise, so the differences a - b of their regrets are taken within each trial.
struct PairComparison {
  std::size_t a = 0, b = 0;                      // places in ProblemComparison::algorithms
  std::uint64_t trials = 0;                      // that both have and neither failed
  std::uint64_t wins = 0, ties = 0, losses = 0;  // of a: lower regret wins
  Estimate mean;                                 // of the differences, bootstrap interval (BCa)
  Estimate median;                               // the same: not moved by a few stuck trials
  double p = 1.0;                                // Wilcoxon signed-rank, two-sided
  bool exact = false;                            // whether p is from the exact distribution
  double p_holm = 1.0;  // corrected over all pairs of the problem (Holm 1979)
};

struct ProblemComparison {
  std::string problem;
  std::vector<std::string> algorithms;
  bool heavy_tails = false;           // some agent's mean is moved by few trials: go by the medians
  std::vector<std::string> heavy;     // these agents'
  std::uint64_t resamples = 0;        // behind every bootstrap interval
  std::vector<PairComparison> pairs;  // every a < b with trials in common
};

// Mean rank of an algorithm over problems: 1 is the lowest mean regret, equal ones share a rank.
struct MeanRank {
  std::string algorithm;
  Estimate rank;              // interval: bootstrap over the trials of each problem
  std::vector<double> ranks;  // one a problem
};
struct RankTable {
  std::vector<std::string> problems;  // those on which all of the algorithms were run
  std::vector<MeanRank> algorithms;   // lowest mean rank first
};

// The total regrets of an algorithm on a problem, by number of the trial; NaN where it failed.
struct AlgorithmRegrets {
  std::string algorithm;
  std::vector<double> regret;
  // Where the trials are from: those of one source share contexts and noise, those of two do not.
  std::uint64_t source = 0;
};
struct ProblemRegrets {
  std::string problem;  // also names the random stream of the resamples
  std::vector<AlgorithmRegrets> algorithms;
};

// Every pair of algorithms. The result is a function of the arguments alone, and that of a pair
// does not depend on which other algorithms are there, but for p_holm.
ProblemComparison compare(const ProblemRegrets& problem);

// All problems have the same algorithms, in any order. Ranks are those of the trials that all of
// the algorithms have; a problem without such trials, or with trials of several sources, is left
// out.
RankTable rank_algorithms(std::span<const ProblemRegrets> problems);

// The pieces.

// Whether the mean is moved by few trials: trials further from the median than three times the
// 10-90 % range are far out, and the mean of the others is more than one of their own standard
// errors away from the mean of all. At least 10 values, or the answer is no.
bool heavy_tailed(std::span<const double> values);

struct SignedRankTest {
  double p = 1.0;
  bool exact = false;
};
// Wilcoxon's signed-rank test of whether the differences lie symmetrically about 0, two-sided.
// Up to 50 differences without ties or zeros: from all 2^n signs. Otherwise the normal
// approximation with continuity correction, tied ranks averaged, zeros ranked with the others and
// then left out (Pratt 1959).
SignedRankTest signed_rank_test(std::span<const double> differences);

// p-values corrected for their number (Holm 1979), in the same order.
std::vector<double> holm(std::span<const double> p);

enum class Location { kMean, kMedian };
// Bootstrap interval, bias-corrected and accelerated (Efron 1987). No interval for fewer than two
// values, and none for a resample count of 0.
Estimate bootstrap(std::span<const double> values, Location location, std::uint64_t resamples,
                   const Stream& stream);

// Resamples for that many trials: 2000, and fewer beyond 10,000 trials, where intervals are narrow
// and resampling slow.
std::uint64_t resamples_for(std::uint64_t trials) noexcept;

}  // namespace sau
