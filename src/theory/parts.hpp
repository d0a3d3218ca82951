#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/rng.hpp"
#include "sau/theory/theory.hpp"

// Shared by the files of the theory checks.
namespace sau::detail {

// Tolerance of a simulated mean, in standard errors. A check takes the worst of some tens of
// comparisons, so the chance of a false alarm is about 1e-5.
inline constexpr double kErrors = 5.0;
inline constexpr std::string_view kErrorsReason =
    "5 standard errors of the simulation, since it is the worst of many comparisons";

// How many draws a simulated moment takes.
inline std::uint64_t repetitions(const TheoryOptions& options) noexcept {
  return 200 * (options.trials < 5 ? 5 : options.trials);
}

// The random generator for one simulation.
Rng theory_rng(const TheoryOptions& options, std::string_view name);

inline bool stopped(const TheoryOptions& options) noexcept {
  return options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
}

// Running mean and variance (Welford 1962).
class Moments {
 public:
  void add(double x) noexcept {
    count_ += 1.0;
    const double step = x - mean_;
    mean_ += step / count_;
    square_ += step * (x - mean_);
  }
  double mean() const noexcept { return mean_; }
  // Standard error of the mean; 0 for fewer than two numbers.
  double error() const noexcept {
    return count_ < 2.0 ? 0.0 : std::sqrt(square_ / (count_ - 1.0) / count_);
  }

 private:
  double count_ = 0.0, mean_ = 0.0, square_ = 0.0;
};

// The worst comparison seen so far.
struct Worst {
  double value = 0.0;
  std::string what;
  std::size_t seen = 0;

  void see(double other, const std::string& name) {
    if (++seen == 1 || !(other <= value)) {
      value = other;
      what = name;
    }
  }
};

// |simulated - exact| in standard errors.
double errors_apart(double simulated, double exact, double error) noexcept;
double relative_error(double value, double exact) noexcept;

// The slope of a straight line fitted to (x, y), by least squares with these weights.
double fitted_slope(std::span<const double> x, std::span<const double> y,
                    std::span<const double> weight);

// 1 + 1/2 + ... + 1/n.
double harmonic(std::uint64_t n) noexcept;

// The n-th play of an action; `before` of the n - 1 earlier rewards were 1.
struct Play {
  double n, before, reward, mu;
};
using PlayStatistic = std::function<double(const Play&)>;

double sau_before(const Play& play);          // (r_n - mean of the n - 1 before it)^2 / n
double sau_after(const Play& play);           // (r_n - mean of all n)^2 / n
double posterior_variance(const Play& play);  // of Beta(1 + successes, 1 + failures), all n
double squared_error(const Play& play);       // (mean of all n - mu)^2

// The distribution of the number of successes among `n` rewards with mean mu, 0 < mu < 1.
std::vector<double> binomial(std::uint64_t n, double mu);
// The expectation of a statistic of the n-th play, n >= 2: summed over all outcomes.
double expectation(std::uint64_t n, double mu, const PlayStatistic& statistic);

// Their closed forms; s2 = mu (1 - mu).
double sau_before_mean(double n, double mu) noexcept;          // s2 / (n - 1)
double sau_after_mean(double n, double mu) noexcept;           // s2 (1 - 1/n) / n
double posterior_variance_mean(double n, double mu) noexcept;  // see docs/theory.md
double squared_error_mean(double n, double mu) noexcept;       // s2 / n

// A claim  E[sau] = E[target] + O(n^-2).
struct OrderClaim {
  std::string id, where, statement;
  PlayStatistic sau, target;
  double constant;  // upper bound on n^2 |difference|
  std::string reason, note;
};
std::vector<TheoryCheck> check_order(const OrderClaim& claim, const TheoryOptions& options);

// E[tau2] after n plays. tau_after_mean: residuals after the update. tau_before_mean: residuals
// before the update, as algorithm 1 computes them, with S2 = 1 at the start and 0 as the first
// value.
double tau_after_mean(std::uint64_t n, double mu) noexcept;
double tau_before_mean(std::uint64_t n, double mu) noexcept;
// The same from the quadratic form's matrix: (start + s2 trace A + mu^2 1'A1) / n.
double tau_by_trace(std::uint64_t n, double mu, bool before);
// Simulated tau2 against a formula for its mean.
TheoryCheck check_tau_mean(TheoryCheck check, bool before,
                           const std::function<double(std::uint64_t, double)>& formula,
                           const TheoryOptions& options);

// The bounds of theorems 1 and 2, as printed for scale 1. With the bonus b sqrt(ln n / n_a),
// theorem 2 has scale b.
double sampling_bound(std::span<const double> gaps, double n) noexcept;
double ucb_bound(std::span<const double> gaps, double n, double scale = 1.0) noexcept;

// The parts, in the order of the report.
std::vector<TheoryCheck> check_moments(const TheoryOptions& options);        // propositions 1, 2
std::vector<TheoryCheck> check_concentration(const TheoryOptions& options);  // proposition 3
std::vector<TheoryCheck> check_linear(const TheoryOptions& options);         // proposition 4
std::vector<TheoryCheck> check_tau(const TheoryOptions& options);            // appendix A.6
std::vector<TheoryCheck> check_regret(const TheoryOptions& options);         // theorems 1, 2

}  // namespace sau::detail
