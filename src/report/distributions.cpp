#include "report/distributions.hpp"

#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>

namespace sau::detail {
namespace {

// Beyond these the gamma functions lose digits, and two terms of the expansion have them all.
constexpr double kManyDegrees = 1e6;

// The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method as
// changed by Thompson & Barnett (1986). Converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) noexcept {
  constexpr double kTiny = 1e-300;
  constexpr int kMost = 10'000;  // it takes O(sqrt(max(a, b))) of them
  const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1.0;
  double d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
  double value = d;
  for (int m = 1; m <= kMost; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0));
    for (const double term : {even, odd}) {
      d = 1.0 / away_from_zero(1.0 + term * d);
      c = away_from_zero(1.0 + term / c);
      value *= c * d;
    }
    if (std::abs(c * d - 1.0) < 4.0 * std::numeric_limits<double>::epsilon()) break;
  }
  return value;
}

// The regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) noexcept {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

// The root of an increasing function by Newton's method, kept inside a bracket that halves
// otherwise.
template <class Function, class Slope>
double solve(double low, double high, double start, const Function& f, const Slope& slope) {
  double x = start;
  for (int i = 0; i < 200; ++i) {
    const double value = f(x);
    if (value == 0.0) break;
    (value < 0.0 ? low : high) = x;
    double next = x - value / slope(x);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - x) <= 1e-14 * std::abs(x)) return next;
    x = next;
  }
  return x;
}

}  // namespace

double normal_cdf(double z) noexcept { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double normal_quantile(double p) noexcept {
  // From the nearer end, where nothing cancels.
  if (p > 0.5) return -normal_quantile(1.0 - p);
  const auto density = [](double z) {
    return std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
  };
  return solve(
      -40.0, 0.0, -1.0, [p](double z) { return normal_cdf(z) - p; }, density);
}

double student_cdf(double t, double dof) noexcept {
  const double tail = 0.5 * incomplete_beta(0.5 * dof, 0.5, dof / (dof + t * t));
  return t > 0.0 ? 1.0 - tail : tail;
}

double student_quantile(double p, double dof) noexcept {
  if (p > 0.5) return -student_quantile(1.0 - p, dof);
  if (dof > kManyDegrees) {
    const double z = normal_quantile(p);
    return z + z * (z * z + 1.0) / (4.0 * dof);  // Abramowitz & Stegun 26.7.5
  }
  const double constant = std::lgamma(0.5 * (dof + 1.0)) - std::lgamma(0.5 * dof) -
                          0.5 * std::log(dof * std::numbers::pi);
  const auto density = [&](double t) {
    return std::exp(constant - 0.5 * (dof + 1.0) * std::log1p(t * t / dof));
  };
  double low = -2.0;
  while (student_cdf(low, dof) > p) low *= 2.0;
  return solve(
      low, 0.0, -1.0, [&](double t) { return student_cdf(t, dof) - p; }, density);
}

}  // namespace sau::detail
