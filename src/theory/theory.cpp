#include "sau/theory/theory.hpp"

#include <algorithm>
#include <utility>

#include "sau/core/text.hpp"
#include "theory/parts.hpp"

namespace sau {

std::string_view verdict_name(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kHoldsCorrected:
      return "holds, corrected";
    case Verdict::kFails:
      break;
  }
  return "fails";
}

std::string_view relation_name(Relation relation) noexcept {
  switch (relation) {
    case Relation::kEquals:
      return "equals";
    case Relation::kAtMost:
      return "at most";
    case Relation::kAtLeast:
      break;
  }
  return "at least";
}

bool satisfies(double value, Relation relation, double expected, double tolerance) noexcept {
  const bool low = value >= expected - tolerance, high = value <= expected + tolerance;
  return (relation == Relation::kAtMost || low) && (relation == Relation::kAtLeast || high);
}

TheoryCheck TheoryCheck::judged(bool as_printed) && {
  const bool good = satisfies(value, relation, expected, tolerance);
  verdict = !good ? Verdict::kFails : as_printed ? Verdict::kHolds : Verdict::kHoldsCorrected;
  return std::move(*this);
}

std::vector<TheoryCheck> check_theory(const TheoryOptions& options) {
  std::vector<TheoryCheck> checks;
  for (const auto part : {detail::check_moments, detail::check_concentration, detail::check_linear,
                          detail::check_tau, detail::check_regret}) {
    auto more = part(options);
    if (detail::stopped(options)) return {};
    std::ranges::move(more, std::back_inserter(checks));
  }
  return checks;
}

namespace detail {

Rng theory_rng(const TheoryOptions& options, std::string_view name) {
  return Rng(Stream{.seed = options.seed,
                    .trial = 0,
                    .scope = scope_of("theory " + std::string(name)),
                    .role = Role::kProblem});
}

double errors_apart(double simulated, double exact, double error) noexcept {
  return std::abs(simulated - exact) / error;
}

double relative_error(double value, double exact) noexcept {
  return std::abs(value - exact) / std::abs(exact);
}

double fitted_slope(std::span<const double> x, std::span<const double> y,
                    std::span<const double> weight) {
  double total = 0.0, x_mean = 0.0, y_mean = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    total += weight[i];
    x_mean += weight[i] * x[i];
    y_mean += weight[i] * y[i];
  }
  x_mean /= total;
  y_mean /= total;
  double product = 0.0, square = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    product += weight[i] * (x[i] - x_mean) * (y[i] - y_mean);
    square += weight[i] * (x[i] - x_mean) * (x[i] - x_mean);
  }
  return product / square;
}

double harmonic(std::uint64_t n) noexcept {
  double sum = 0.0;
  for (std::uint64_t j = n; j > 0; --j) sum += 1.0 / static_cast<double>(j);  // small terms first
  return sum;
}

}  // namespace detail
}  // namespace sau
