#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numbers>

#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/run/runner.hpp"
#include "theory/parts.hpp"

// Theorems 1 and 2 (appendix A.7): the bounds on the regret against measured regret.
namespace sau::detail {
namespace {

constexpr std::uint64_t kSteps = 100'000;

// The paper's own problem, and some on which the bound is below the regret of always playing the
// worst action.
struct Case {
  const char *id, *problem;
};
constexpr Case kCases[] = {{"10-0.1", "bernoulli(best=0)"},
                           {"4-mixed", "bernoulli(means=0.9x0.8x0.5x0.2)"},
                           {"10-0.4", "bernoulli(gap=0.4,best=0)"},
                           {"2-0.5", "bernoulli(actions=2,gap=0.5,mean=0.8,best=0)"}};

std::vector<double> gaps_of(const std::string& spec) {
  const auto problem = make_problem(spec, {});
  std::vector<double> gaps;
  for (Action a = 0; a < problem->shape().actions; ++a) {
    if (problem->regret(a) > 0.0) gaps.push_back(problem->regret(a));
  }
  return gaps;
}

// The regret of an agent at some steps, over the same trials as in `sau run`.
struct Curve {
  Cell cell;
  std::vector<std::uint64_t> points;
  std::vector<Moments> regret;
};

Curve measure(const std::string& problem, const std::string& agent, const TheoryOptions& options) {
  Curve curve{.cell = make_cell(problem, agent, kSteps, options.trials),
              .points = curve_points(kSteps),
              .regret = {}};
  curve.regret.resize(curve.points.size());
  TrialRecord record;
  for (std::uint64_t trial = 0; trial < options.trials; ++trial) {
    if (!run_trial(curve.cell, options.seed, trial, curve.points, options.stop, record)) break;
    if (record.failed()) throw Error(fmt::format("{} on {}: {}", agent, problem, record.failure));
    for (std::size_t k = 0; k < curve.points.size(); ++k) curve.regret[k].add(record.curve[k]);
  }
  return curve;
}

double upper(const Moments& regret) { return regret.mean() + kErrors * regret.error(); }

std::string measured(const Curve& curve) {
  return fmt::format("{:.1f} +- {:.1f}", curve.regret.back().mean(), curve.regret.back().error());
}

// The smallest bound(n) / (mean + 5 standard errors) over the steps n >= `first`.
template <class Bound>
double margin(const Curve& curve, double first, Bound bound) {
  double least = 1e300;
  for (std::size_t k = 0; k < curve.points.size(); ++k) {
    const auto n = static_cast<double>(curve.points[k]);
    if (n >= first && upper(curve.regret[k]) > 0.0) {
      least = std::min(least, bound(n) / upper(curve.regret[k]));
    }
  }
  return least;
}

// The smallest n from which on n >= max(24 log n / gap^2, 4); n / log n grows from n = 3 on.
double first_step(double gap) {
  double n = 4.0;
  while (n < 24.0 * std::log(n) / (gap * gap)) n += 1.0;
  return n;
}

TheoryCheck check_sampling(const Case& tried, const TheoryOptions& options) {
  const std::vector<double> gaps = gaps_of(tried.problem);
  const double first = first_step(*std::ranges::min_element(gaps));
  const Curve curve = measure(tried.problem, "sau_sampling", options);
  const double bound = sampling_bound(gaps, kSteps);
  const double trivial = *std::ranges::max_element(gaps) * static_cast<double>(kSteps);
  return TheoryCheck{
      .id = fmt::format("theorem1.{}", tried.id),
      .where = "theorem 1, appendix A.7",
      .statement =
          "regret of SAU-Sampling <= sum_a D_a (96 log(n)/D_a^2 + 6) for n >= max(24 "
          "log(n)/min D_a^2, 4)",
      .statistic = fmt::format("least bound / (mean regret + 5 standard errors) on {}, n = {:.0f} "
                               "... {}",
                               tried.problem, first, kSteps),
      .value = margin(curve, first, [&](double n) { return sampling_bound(gaps, n); }),
      .relation = Relation::kAtLeast,
      .expected = 1.0,
      .tolerance = 0.0,
      .reason = "none: 5 standard errors of the trials are in the statistic",
      .note =
          fmt::format("at n = 10^5: bound {:.0f}, measured {} over {} trials, margin {:.0f}; "
                      "always playing the worst action would cost {:.0f}, so the bound {}",
                      bound, measured(curve), options.trials, bound / curve.regret.back().mean(),
                      trivial, bound < trivial ? "says something here" : "says nothing here")}
      .judged();
}

// The bonus b sqrt(ln n / n_a), b = kappa tau*, is UCB1's with alpha = b / sqrt(2).
TheoryCheck check_fixed(const TheoryOptions& options) {
  const std::string problem = kCases[std::size(kCases) - 1].problem;
  const std::vector<double> gaps = gaps_of(problem);
  bool printed = true;
  double least = 1e300;
  std::string table;
  for (const double b : {2.0, 4.0}) {
    const Curve curve =
        measure(problem, fmt::format("ucb1(alpha={:.17g})", b / std::numbers::sqrt2), options);
    least = std::min(least, margin(curve, 4.0, [&](double n) { return ucb_bound(gaps, n, b); }));
    printed = printed && upper(curve.regret.back()) <= ucb_bound(gaps, kSteps);
    table +=
        fmt::format("{}{} with kappa tau* = {}", table.empty() ? "" : ", ", measured(curve), b);
  }
  return TheoryCheck{
      .id = "theorem2.kappa",
      .where = "theorem 2, appendix A.7",
      .statement =
          "with a fixed tau*, bonus kappa tau* sqrt(log(n)/n_a), kappa tau* >= sqrt(2): "
          "regret <= sum_a D_a (4 (kappa tau*)^2 log(n)/D_a^2 + 1 + pi^2/3)",
      .statistic =
          "least bound / (mean regret + 5 standard errors), kappa tau* = 2 and 4, on " + problem,
      .value = least,
      .relation = Relation::kAtLeast,
      .expected = 1.0,
      .tolerance = 0.0,
      .reason = "none: 5 standard errors of the trials are in the statistic",
      .note = fmt::format(
          "printed for any kappa >= 2/min tau*, with a bound that has no kappa in it: {:.1f} at n "
          "= 10^5, against {}. A larger bonus explores more, so this bound cannot hold for all "
          "kappa. "
          "kappa is not in algorithm 1; it is read here as the factor of the bonus",
          ucb_bound(gaps, kSteps), table)}
      .judged(printed);
}

TheoryCheck check_adaptive(const TheoryOptions& options) {
  const std::string problem = kCases[0].problem;
  const std::vector<double> gaps = gaps_of(problem);
  const Curve curve = measure(problem, "sau_ucb", options);
  return TheoryCheck{
      .id = "theorem2.adaptive",
      .where = "theorem 2, appendix A.7",
      .statement = "regret of SAU-UCB <= sum_a D_a (4 log(n)/D_a^2 + 1 + pi^2/3)",
      .statistic =
          "least bound / (mean regret + 5 standard errors) on " + problem + ", n = 100 ... 100000",
      .value = margin(curve, 100.0, [&](double n) { return ucb_bound(gaps, n); }),
      .relation = Relation::kAtLeast,
      .expected = 1.0,
      .tolerance = 0.0,
      .reason = "none: 5 standard errors of the trials are in the statistic",
      .note = fmt::format("for information: the theorem assumes a fixed tau*, and this is SAU-UCB "
                          "as algorithm 1 has it. At n = 10^5: bound {:.0f}, measured {} over {} "
                          "trials. One trial in some hundreds locks onto a wrong action, and "
                          "its regret grows as n and not as log n",
                          ucb_bound(gaps, kSteps), measured(curve), options.trials)}
      .judged();
}

}  // namespace

double sampling_bound(std::span<const double> gaps, double n) noexcept {
  double sum = 0.0;
  for (const double gap : gaps) sum += gap * (96.0 * std::log(n) / (gap * gap) + 6.0);
  return sum;
}

double ucb_bound(std::span<const double> gaps, double n, double scale) noexcept {
  double sum = 0.0;
  for (const double gap : gaps) {
    sum += gap * (4.0 * scale * scale * std::log(n) / (gap * gap) + 1.0 +
                  std::numbers::pi * std::numbers::pi / 3.0);
  }
  return sum;
}

std::vector<TheoryCheck> check_regret(const TheoryOptions& options) {
  std::vector<TheoryCheck> checks;
  for (const Case& tried : kCases) {
    checks.push_back(check_sampling(tried, options));
    if (stopped(options)) return {};
  }
  checks.front().note +=
      ". Measured, not proved: the proof in A.8 takes tau2 <= 1, which S2 = 1 at the start breaks "
      "at small n_a, and 2/(1-x) - 1 < 4x - 1, which no x in (0, 1) satisfies";
  checks.push_back(check_fixed(options));
  checks.push_back(check_adaptive(options));
  return checks;
}

}  // namespace sau::detail
