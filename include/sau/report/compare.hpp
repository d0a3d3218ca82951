#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sau {

// An estimate with its 95 % interval.
struct Estimate {
  double value = 0.0, low = 0.0, high = 0.0;
};

// How algorithm `a` did against algorithm `b`, trial by trial. The trials of a problem share their
// contexts and noise, so the differences a - b of their regrets are taken within each trial.
struct PairComparison {
  std::size_t a = 0, b = 0;                      // places in ProblemComparison::algorithms
  std::uint64_t trials = 0;                      // that neither failed
  std::uint64_t wins = 0, ties = 0, losses = 0;  // of a: lower regret wins
  Estimate mean;                                 // of the differences, bootstrap interval (BCa)
  Estimate median;                               // the same: not moved by a few stuck trials
  double p = 1.0;                                // Wilcoxon signed-rank, two-sided
  double p_holm = 1.0;  // corrected over all pairs of the problem (Holm 1979)
};

struct ProblemComparison {
  std::string problem;
  std::vector<std::string> algorithms;
  bool heavy_tails = false;           // some agent's mean is moved by few trials: go by the medians
  std::vector<PairComparison> pairs;  // every a < b
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

}  // namespace sau
