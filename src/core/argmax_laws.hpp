#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "core/normal_table.hpp"

namespace sau::detail {

// Evaluated at t = (z - location) / scale: the distribution function, and the density in t.
struct LawValue {
  double cdf;
  double density;
};

// A law for ArgmaxSweep has
//   location, scale   its coordinate t = (z - location) / scale;
//   upper             the t above which its cdf counts as 1 (the tail is 1e-15 or less);
//   reach(t)          how far below t a 21-point panel may start, in units of the scale;
//   cdf(t), value(t)  for t < upper;
//   values(...)       optional: many at once, for any t. See NormalLaw.

inline constexpr double kTail = 1e-15;
inline constexpr double kNormalUpper = NormalTable::kTop;  // the normal tail above it is 6e-16
inline constexpr double kReach = 4.0;  // standard deviations in a panel of a bell curve

// Smallest t, to a millionth, at which the decreasing `tail_bound` is under kTail.
template <class TailBound>
double upper_end(double start, TailBound&& tail_bound) {
  double above = start;
  while (tail_bound(above) > kTail && above < 1e60) above *= 2.0;
  double below = 0.5 * above;
  while (tail_bound(below) <= kTail) {
    above = below;
    below *= 0.5;
  }
  for (int i = 0; i < 20; ++i) {
    const double middle = 0.5 * (below + above);
    (tail_bound(middle) > kTail ? below : above) = middle;
  }
  return above;
}

// log Gamma(x) minus Stirling's formula for it, x > 0. (std::lgamma writes a global.)
inline double stirling_error(double x) noexcept {
  double shift = 0.0;
  if (x < 16.0) {  // Gamma(x) = Gamma(x + 16) / (x (x + 1) ... (x + 15))
    double product = 1.0;
    for (int i = 0; i < 16; ++i) product *= x + i;
    const double y = x + 16.0;
    shift = (y - 0.5) * std::log(y) - 16.0 - (x - 0.5) * std::log(x) - std::log(product);
    x = y;
  }
  const double r = 1.0 / (x * x);
  return shift + (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r / 1188)))) / x;
}

// p^alpha q^beta / B(alpha, beta) at p = alpha / (alpha + beta), q = 1 - p; to full relative
// precision for large parameters (Loader 2000, "Fast and accurate computation of binomial
// probabilities").
inline double beta_peak(double alpha, double beta) noexcept {
  const double total = alpha + beta;
  return std::sqrt(alpha * (beta / total) * 0.5 * std::numbers::inv_pi) *
         std::exp(stirling_error(total) - stirling_error(alpha) - stirling_error(beta));
}

// x^a y^b / (B(a, b) I_x(a, b)) for y = 1 - x and x < (a + 1) / (a + b + 2): the continued fraction
// of BFRAC (Didonato & Morris 1992, algorithm 708), by Lentz's method as modified by Thompson &
// Barnett (1986). `excess` is a y - b x, which the caller knows without cancellation.
// We cannot use Boost.Math's ibeta: its argument is x, which rounds to 0 in a double where
// Beta(0.001, 0.001) still has a fortieth of its mass.
inline double beta_fraction(double a, double b, double x, double excess) noexcept {
  constexpr double kPrecision = 4e-16;
  constexpr int kMaxTerms = 100'000;
  double value = a * (excess + 1.0) / (a + 1.0);
  double c = value, d = 0.0;
  for (int i = 1; i < kMaxTerms; ++i) {
    const double m = i;
    const double odd = a + 2.0 * m - 1.0;
    const double common = m * (b - m) * x / odd;
    const double numerator = (a + m - 1.0) * (a + b + m - 1.0) * x / odd * common;
    const double denominator = m + common + (a + m) * (excess + 1.0 + m * (2.0 - x)) / (odd + 2.0);
    d = 1.0 / (denominator + numerator * d);
    c = denominator + numerator / c;
    const double step = c * d;
    value *= step;
    if (std::abs(step - 1.0) < kPrecision) break;
  }
  return value;
}

struct NormalLaw {
  double location = 0.0;
  double scale = 1.0;
  double upper = kNormalUpper;

  // Panels that turn out too wide are halved, so this may be a width that fits most.
  double reach(double) const noexcept { return 1.5 * kReach; }

  double cdf(double t) const noexcept { return kNormalTable.at(t).cdf; }

  // At t = middle + half * x[i] for all i.
  template <std::size_t Count>
  void values(double middle, double half, const std::array<double, Count>& x, double* cdf_out,
              double* density_out) const noexcept {
    kNormalTable.at_all(middle, half, x, cdf_out, density_out);
  }

  LawValue value(double t) const noexcept {
    const NormalTable::Value found = kNormalTable.at(t);
    return {found.cdf, found.density};
  }
};

class StudentLaw {
 public:
  double location;
  double scale;
  double upper;

  StudentLaw(double mean, double spread, double dof)
      : location(mean), scale(spread), upper(kNormalUpper), dof_(dof) {
    if (is_normal()) return;
    const double half = 0.5 * dof;
    const double p = 0.5 / (0.5 + half);
    peak_ = beta_peak(0.5, half) * std::exp(-half * std::log1p(-p)) / std::sqrt(p * dof);
    // f' = -f (dof + 1) t / (dof + t^2) gives  P(T > t) <= f(t) (dof + t^2) / (dof t).
    upper = upper_end(kNormalUpper, [this](double t) { return density(t) * (1.0 / t + t / dof_); });
  }

  // A tail is smooth at the scale of its distance from the centre, so panels grow geometrically.
  double reach(double t) const noexcept { return std::max(kReach, t > 0.0 ? 0.65 * t : -1.5 * t); }

  double cdf(double t) const noexcept { return value(t).cdf; }

  // P(|T| > |t|) = I_y(dof / 2, 1 / 2) with y = 1 / (1 + t^2 / dof), and y^(dof/2) (1-y)^(1/2) / B
  // is |t| times the density.
  LawValue value(double t) const noexcept {
    if (is_normal()) return NormalLaw{}.value(t);
    const double ratio = t * (t / dof_);
    if (!(ratio < 1e300)) return {t > 0.0 ? 1.0 : 0.0, 0.0};
    const double f = density(t), half = 0.5 * dof_;
    const double y = 1.0 / (1.0 + ratio), x = ratio * y;
    const double excess = 0.5 * (1.0 - t * t) * y;  // (1/2) y - (dof/2) x
    if (x * (half + 2.5) < 1.5) {
      const double inside = x == 0.0 ? 0.0 : t * f / beta_fraction(0.5, half, x, excess);
      return {0.5 + 0.5 * inside, f};
    }
    const double outside = 0.5 * std::abs(t) * f / beta_fraction(half, 0.5, y, -excess);
    return {t > 0.0 ? 1.0 - outside : outside, f};
  }

 private:
  // From here on the difference from the normal law is below 1e-12.
  bool is_normal() const noexcept { return dof_ > 1e12; }

  double density(double t) const noexcept {
    return peak_ * std::exp(-0.5 * (dof_ + 1.0) * std::log1p(t * (t / dof_)));
  }

  double dof_;
  double peak_ = 0.0;  // density at 0
};

// Beta(alpha, beta) in the coordinate s = log(x / (1 - x)), which leaves the argmax as it is and
// makes both tails exponential, however small the parameters. The location is log(alpha / beta):
// with t = s - location, p = alpha / (alpha + beta) and q = 1 - p the density is
//     peak * exp(alpha t) / (q + p exp(t))^(alpha + beta) = x^alpha (1 - x)^beta / B(alpha, beta).
class BetaLaw {
 public:
  double location;
  double scale = 1.0;
  double upper;

  BetaLaw(double alpha, double beta)
      : location(std::log(alpha / beta)),
        alpha_(alpha),
        beta_(beta),
        total_(alpha + beta),
        p_(alpha / total_),
        q_(beta / total_),
        peak_(beta_peak(alpha, beta)),
        core_(kReach * std::min(1.0, std::sqrt(1.0 / alpha + 1.0 / beta))),
        left_(std::min(0.0, std::log(std::max(alpha, 1.0) / total_)) - 3.0 - location),
        right_(std::max(0.0, std::log(total_ / std::max(beta, 1.0))) + 3.0 - location) {
    // The logarithm of the density is concave: its slope bounds the tail.
    upper = upper_end(1.0, [this](double t) { return density(t) / -slope(t); });
  }

  double reach(double t) const noexcept {
    if (t > right_) return std::max(core_, std::min(8.0 / beta_, t - right_));
    if (t < left_) return std::max(core_, 8.0 / alpha_);
    return core_;
  }

  double cdf(double t) const noexcept { return value(t).cdf; }

  LawValue value(double t) const noexcept {
    const double f = density(t), excess = slope(t);
    // Powers too small for a double never appear: I_x(alpha, beta) tends to f / alpha.
    const double odds = std::exp(t + location);
    if (odds * (beta_ + 1.0) < alpha_ + 1.0) {
      const double x = odds / (1.0 + odds);
      return {f / (total_ * x < 1e-17 ? alpha_ : beta_fraction(alpha_, beta_, x, excess)), f};
    }
    const double y = 1.0 / (1.0 + odds);
    return {1.0 - f / (total_ * y < 1e-17 ? beta_ : beta_fraction(beta_, alpha_, y, -excess)), f};
  }

 private:
  double density(double t) const noexcept {
    // The form whose terms cancel less: that of the smaller of x and 1 - x.
    return peak_ * std::exp(t + location < 0.0 ? alpha_ * t - total_ * log_mix(q_, p_, t)
                                               : -beta_ * t - total_ * log_mix(p_, q_, -t));
  }

  // Slope of the log density: alpha - (alpha + beta) x = alpha (1 - x) - beta x.
  double slope(double t) const noexcept {
    return t > 0.0 ? alpha_ * q_ * std::expm1(-t) / (p_ + q_ * std::exp(-t))
                   : -alpha_ * q_ * std::expm1(t) / (q_ + p_ * std::exp(t));
  }

  // log(u + v e^t) for u + v = 1 and v e^t <= u.
  static double log_mix(double u, double v, double t) noexcept {
    return v < 0.5 || t > -1.0 ? std::log1p(v * std::expm1(t)) : std::log(u + v * std::exp(t));
  }

  double alpha_, beta_;
  double total_;         // alpha + beta
  double p_, q_;         // alpha / total, beta / total
  double peak_;          // density at t = 0
  double core_;          // reach between left_ and right_
  double left_, right_;  // beyond these the density is exponential: alpha s below, -beta s above
};

}  // namespace sau::detail
