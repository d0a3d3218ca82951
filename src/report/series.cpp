#include <algorithm>
#include <cmath>
#include <limits>

#include "report/gathered.hpp"
#include "stats/distributions.hpp"

namespace sau::detail {
namespace {

constexpr std::size_t kSampleTrials = 20;  // curves of single trials that are shown
constexpr std::size_t kPoints = 200;       // of a distribution, evenly chosen in sorted order
constexpr std::size_t kEnds = 10;          // plus this many from each end, where points are sparse

double two_sided(std::uint64_t count) {
  return student_quantile(0.975, static_cast<double>(count - 1));
}

// `wanted` of 0, ..., count - 1, evenly spaced, including both ends; all if there are fewer.
std::vector<std::size_t> evenly(std::size_t count, std::size_t wanted) {
  std::vector<std::size_t> chosen;
  if (count <= wanted) wanted = count;
  for (std::size_t i = 0; i < wanted; ++i) {
    chosen.push_back(wanted == 1 ? 0 : i * (count - 1) / (wanted - 1));
  }
  return chosen;
}

void add_curves(const std::vector<const TrialRecord*>& trials, std::size_t points, Series& series) {
  const double wide = trials.size() > 1 ? two_sided(trials.size()) : 0.0;
  std::vector<double> values(trials.size());
  for (std::size_t p = 0; p < points; ++p) {
    for (std::size_t i = 0; i < trials.size(); ++i) values[i] = trials[i]->curve[p];
    const Summary summary = summarise(values);
    series.mean.push_back(summary.mean);
    series.median.push_back(summary.median);
    if (trials.size() > 1) {
      series.low.push_back(summary.mean - wide * summary.sem);
      series.high.push_back(summary.mean + wide * summary.sem);
    }
  }
}

void add_distribution(std::vector<double> regret, Series& series) {
  std::ranges::sort(regret);
  series.minimum = regret.front();
  series.maximum = regret.back();
  series.q25 = quantile(regret, 0.25);
  series.final_median = quantile(regret, 0.5);
  series.q75 = quantile(regret, 0.75);
  const double reach = 1.5 * (series.q75 - series.q25);
  series.whisker_low = *std::ranges::lower_bound(regret, series.q25 - reach);
  series.whisker_high = *std::prev(std::ranges::upper_bound(regret, series.q75 + reach));
  series.all_points = regret.size() <= kPoints + 2 * kEnds;
  if (series.all_points) {
    series.points = std::move(regret);
    return;
  }
  std::vector<std::size_t> chosen = evenly(regret.size(), kPoints);
  for (std::size_t i = 0; i < kEnds; ++i) {
    chosen.push_back(i);
    chosen.push_back(regret.size() - 1 - i);
  }
  std::ranges::sort(chosen);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  for (const std::size_t i : chosen) series.points.push_back(regret[i]);
}

}  // namespace

Estimate mean_estimate(double mean, double sem, std::uint64_t count) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (count < 2) return {mean, kNone, kNone};
  const double wide = two_sided(count) * sem;
  return {mean, mean - wide, mean + wide};
}

Series make_series(const CellResults& results, const CellSummary& summary) {
  Series series;
  series.algorithm = results.cell.agent;
  series.agent_spec = results.cell.agent_spec;
  series.trials = summary.trials;
  series.asked = results.cell.trials;
  series.failed = summary.failures.size();
  series.stuck = summary.stuck;
  series.groups = summary.groups;
  series.seconds = summary.seconds;
  std::vector<const TrialRecord*> counted;
  std::vector<std::uint64_t> numbers;
  std::vector<double> regret;
  for (std::size_t i = 0; i < summary.trials; ++i) {
    if (results.trials[i].failed()) continue;
    counted.push_back(&results.trials[i]);
    numbers.push_back(i);
    regret.push_back(results.trials[i].regret);
  }
  series.final_mean = mean_estimate(summary.regret.mean, summary.regret.sem, counted.size());
  add_curves(counted, results.points.size(), series);
  for (const std::size_t i : evenly(counted.size(), kSampleTrials)) {
    series.sample_trials.push_back(numbers[i]);
    series.sample.push_back(counted[i]->curve);
  }
  add_distribution(std::move(regret), series);
  return series;
}

}  // namespace sau::detail
