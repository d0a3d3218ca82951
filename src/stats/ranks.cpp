#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sau/core/error.hpp"
#include "sau/stats/compare.hpp"
#include "sau/stats/summary.hpp"
#include "stats/resampling.hpp"

namespace sau {
namespace {

constexpr double kTail = 0.025;  // at each end of a 95 % interval

// One problem: the regrets of each algorithm, only of trials that all algorithms have.
struct Played {
  std::vector<std::vector<double>> regret;
  std::size_t trials = 0;
};

// Ranks of the values, from 1; ties share the mean of their ranks.
void rank_values(std::span<const double> values, std::span<double> ranks) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    double rank = 1.0;
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (j != i) rank += values[j] < values[i] ? 1.0 : values[j] == values[i] ? 0.5 : 0.0;
    }
    ranks[i] = rank;
  }
}

const AlgorithmRegrets& regrets_of(const ProblemRegrets& problem, const std::string& name) {
  const auto found = std::ranges::find(problem.algorithms, name, &AlgorithmRegrets::algorithm);
  if (found == problem.algorithms.end()) {
    throw Error("ranks need every algorithm on every problem: " + problem.problem + " is without " +
                name);
  }
  return *found;
}

Played play_of(const ProblemRegrets& problem, std::span<const std::string> names) {
  Played played;
  std::vector<const std::vector<double>*> all;
  std::size_t shortest = std::numeric_limits<std::size_t>::max();
  for (const std::string& name : names) {
    const AlgorithmRegrets& algorithm = regrets_of(problem, name);
    if (algorithm.source != problem.algorithms.front().source) return played;
    all.push_back(&algorithm.regret);
    shortest = std::min(shortest, algorithm.regret.size());
  }
  played.regret.resize(names.size());
  for (std::size_t trial = 0; trial < shortest; ++trial) {
    const bool complete =
        std::ranges::none_of(all, [&](const auto* regret) { return std::isnan((*regret)[trial]); });
    if (!complete) continue;
    ++played.trials;
    for (std::size_t i = 0; i < all.size(); ++i) played.regret[i].push_back((*all[i])[trial]);
  }
  return played;
}

// Adds the ranks of every resample of a problem to `sums`, which has one row per resample and one
// column per algorithm.
void add_resampled(const Played& played, const std::string& problem, std::uint64_t resamples,
                   std::span<double> sums) {
  const std::size_t count = played.regret.size();
  detail::Resampler resampler(played.trials, detail::resample_stream(problem, "ranks"));
  std::vector<double> means(count), ranks(count);
  for (std::uint64_t i = 0; i < resamples; ++i) {
    const auto weights = resampler.next();
    for (std::size_t a = 0; a < count; ++a) {
      means[a] = detail::weighted_mean(played.regret[a], weights);
    }
    rank_values(means, ranks);
    for (std::size_t a = 0; a < count; ++a) sums[i * count + a] += ranks[a];
  }
}

}  // namespace

RankTable rank_algorithms(std::span<const ProblemRegrets> problems) {
  RankTable table;
  if (problems.empty()) return table;
  std::vector<std::string> names;
  for (const auto& algorithm : problems.front().algorithms) names.push_back(algorithm.algorithm);
  const std::size_t count = names.size();
  std::vector<Played> all;
  std::uint64_t most = 0;
  for (const ProblemRegrets& problem : problems) {
    Played played = play_of(problem, names);
    if (played.trials == 0) continue;
    most = std::max<std::uint64_t>(most, played.trials);
    table.problems.push_back(problem.problem);
    all.push_back(std::move(played));
  }
  if (all.empty()) return table;
  const std::uint64_t resamples = resamples_for(most);
  std::vector<double> sums(resamples * count, 0.0), means(count), ranks(count);
  table.algorithms.resize(count);
  for (std::size_t p = 0; p < all.size(); ++p) {
    add_resampled(all[p], table.problems[p], resamples, sums);
    for (std::size_t a = 0; a < count; ++a) means[a] = summarise(all[p].regret[a]).mean;
    rank_values(means, ranks);
    for (std::size_t a = 0; a < count; ++a) table.algorithms[a].ranks.push_back(ranks[a]);
  }
  const bool single = std::ranges::all_of(all, [](const Played& p) { return p.trials == 1; });
  const auto shared = static_cast<double>(all.size());
  for (std::size_t a = 0; a < count; ++a) {
    MeanRank& mean = table.algorithms[a];
    mean.algorithm = names[a];
    const double sum = std::accumulate(mean.ranks.begin(), mean.ranks.end(), 0.0);
    std::vector<double> resampled(resamples);
    for (std::uint64_t i = 0; i < resamples; ++i) resampled[i] = sums[i * count + a] / shared;
    std::ranges::sort(resampled);
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    mean.rank = {sum / shared, single ? kNone : quantile(resampled, kTail),
                 single ? kNone : quantile(resampled, 1.0 - kTail)};
  }
  std::ranges::stable_sort(table.algorithms, {},
                           [](const MeanRank& mean) { return mean.rank.value; });
  return table;
}

}  // namespace sau
