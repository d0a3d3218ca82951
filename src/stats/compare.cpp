#include "sau/stats/compare.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sau/stats/summary.hpp"
#include "stats/bootstrap.hpp"
#include "stats/resampling.hpp"

namespace sau {
namespace {

constexpr double kFarOut = 3.0;  // 10-90 % ranges from the median
constexpr std::size_t kFewest = 10;
constexpr double kRounding = 1e-9;  // relative; smaller differences are rounding errors

// The differences of one pair, ready to be resampled.
struct Pair {
  std::vector<double> differences, sorted;
  std::vector<std::uint32_t> order;    // sorted[i] = differences[order[i]]
  std::vector<double> means, medians;  // of the resamples
  PairComparison* result = nullptr;
};

std::vector<std::size_t> shared_trials(const AlgorithmRegrets& a, const AlgorithmRegrets& b) {
  std::vector<std::size_t> trials;
  if (a.source != b.source) return trials;
  for (std::size_t i = 0; i < std::min(a.regret.size(), b.regret.size()); ++i) {
    if (!std::isnan(a.regret[i]) && !std::isnan(b.regret[i])) trials.push_back(i);
  }
  return trials;
}

Pair make_pair(const std::vector<double>& a, const std::vector<double>& b,
               std::span<const std::size_t> trials, PairComparison& result) {
  Pair pair;
  pair.result = &result;
  for (const std::size_t trial : trials) {
    const double larger = std::max(std::abs(a[trial]), std::abs(b[trial]));
    double difference = a[trial] - b[trial];
    if (std::abs(difference) <= kRounding * larger) difference = 0.0;
    pair.differences.push_back(difference);
    ++(difference < 0.0 ? result.wins : difference > 0.0 ? result.losses : result.ties);
  }
  result.trials = trials.size();
  pair.order.resize(trials.size());
  for (std::size_t i = 0; i < pair.order.size(); ++i) pair.order[i] = static_cast<std::uint32_t>(i);
  std::ranges::stable_sort(pair.order, {}, [&](std::uint32_t i) { return pair.differences[i]; });
  for (const std::uint32_t i : pair.order) pair.sorted.push_back(pair.differences[i]);
  return pair;
}

// All pairs with the same trials share the resamples, because it is trials that are drawn.
void resample(std::span<Pair> pairs, std::string_view problem, std::uint64_t resamples) {
  const std::size_t trials = pairs.front().differences.size();
  detail::Resampler resampler(trials, detail::resample_stream(problem, "pairs"));
  for (std::uint64_t i = 0; i < resamples; ++i) {
    const auto weights = resampler.next();
    for (Pair& pair : pairs) {
      pair.means.push_back(detail::weighted_mean(pair.differences, weights));
      pair.medians.push_back(detail::weighted_median(pair.sorted, pair.order, weights));
    }
  }
}

void estimate(Pair& pair) {
  PairComparison& result = *pair.result;
  const double mean = detail::mean_of(pair.differences), median = detail::median_of(pair.sorted);
  if (pair.means.empty()) {
    result.mean = {mean, NAN, NAN};
    result.median = {median, NAN, NAN};
  } else {
    result.mean =
        detail::bca_interval(mean, pair.means, detail::mean_acceleration(pair.differences));
    result.median =
        detail::bca_interval(median, pair.medians, detail::median_acceleration(pair.sorted));
  }
  const SignedRankTest test = signed_rank_test(pair.differences);
  result.p = test.p;
  result.exact = test.exact;
}

}  // namespace

bool heavy_tailed(std::span<const double> values) {
  if (values.size() < kFewest) return false;
  const Summary all = summarise(values);
  std::vector<double> near;
  for (const double value : values) {
    if (std::abs(value - all.median) <= kFarOut * (all.p90 - all.p10)) near.push_back(value);
  }
  if (near.size() == values.size()) return false;
  const Summary rest = summarise(near);
  return std::abs(all.mean - rest.mean) > rest.sem;
}

ProblemComparison compare(const ProblemRegrets& problem) {
  ProblemComparison result;
  result.problem = problem.problem;
  for (const AlgorithmRegrets& algorithm : problem.algorithms) {
    result.algorithms.push_back(algorithm.algorithm);
    std::vector<double> counted;
    std::ranges::copy_if(algorithm.regret, std::back_inserter(counted),
                         [](double regret) { return !std::isnan(regret); });
    if (heavy_tailed(counted)) result.heavy.push_back(algorithm.algorithm);
  }
  result.heavy_tails = !result.heavy.empty();
  const std::size_t count = problem.algorithms.size();
  result.pairs.reserve(count * count / 2);  // the pairs below point into it
  std::vector<std::pair<std::vector<std::size_t>, std::vector<Pair>>>
      groups;  // pairs grouped by their trials
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      const AlgorithmRegrets &one = problem.algorithms[a], &two = problem.algorithms[b];
      auto trials = shared_trials(one, two);
      if (trials.empty()) continue;
      PairComparison& pair = result.pairs.emplace_back();
      pair.a = a;
      pair.b = b;
      Pair made = make_pair(one.regret, two.regret, trials, pair);
      auto group = std::ranges::find(groups, trials, &decltype(groups)::value_type::first);
      if (group == groups.end()) {
        groups.emplace_back(std::move(trials), std::vector<Pair>{});
        group = std::prev(groups.end());
      }
      group->second.push_back(std::move(made));
    }
  }
  for (auto& [trials, pairs] : groups) {
    const std::uint64_t resamples = resamples_for(trials.size());
    result.resamples = std::max(result.resamples, resamples);
    if (trials.size() > 1) resample(pairs, problem.problem, resamples);
    std::ranges::for_each(pairs, estimate);
  }
  std::vector<double> p;
  for (const PairComparison& pair : result.pairs) p.push_back(pair.p);
  const auto corrected = holm(p);
  for (std::size_t i = 0; i < corrected.size(); ++i) result.pairs[i].p_holm = corrected[i];
  return result;
}

}  // namespace sau
