#include "theory/linear.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "theory/parts.hpp"

// Proposition 4: least squares on fixed contexts.
namespace sau::detail {

std::vector<double> inverse_gram(const Design& design, std::size_t rows) {
  const std::size_t p = design.features;
  std::vector<double> factor(p * p, 0.0);  // X'X, then its Cholesky factor L
  for (std::size_t j = 0; j < rows; ++j) {
    const auto x = design.row(j);
    for (std::size_t a = 0; a < p; ++a) {
      for (std::size_t b = 0; b < p; ++b) factor[a * p + b] += x[a] * x[b];
    }
  }
  for (std::size_t a = 0; a < p; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = factor[a * p + b];
      for (std::size_t k = 0; k < b; ++k) sum -= factor[a * p + k] * factor[b * p + k];
      factor[a * p + b] = a == b ? std::sqrt(sum) : sum / factor[b * p + b];
    }
  }
  std::vector<double> inverse(p * p, 0.0);
  for (std::size_t column = 0; column < p; ++column) {
    std::vector<double> y(p, 0.0);
    for (std::size_t a = 0; a < p; ++a) {
      y[a] = a == column ? 1.0 : 0.0;
      for (std::size_t k = 0; k < a; ++k) y[a] -= factor[a * p + k] * y[k];
      y[a] /= factor[a * p + a];
    }
    for (std::size_t a = p; a-- > 0;) {
      for (std::size_t k = a + 1; k < p; ++k) y[a] -= factor[k * p + a] * y[k];
      y[a] /= factor[a * p + a];
    }
    for (std::size_t a = 0; a < p; ++a) inverse[a * p + column] = y[a];
  }
  return inverse;
}

double form(std::span<const double> x, std::span<const double> matrix, std::span<const double> y) {
  double sum = 0.0;
  for (std::size_t a = 0; a < x.size(); ++a) {
    for (std::size_t b = 0; b < y.size(); ++b) sum += x[a] * matrix[a * y.size() + b] * y[b];
  }
  return sum;
}

namespace {

constexpr double kNoise = 0.5;  // standard deviation, as in section 4.3

Design draw_design(std::size_t features, std::size_t rows, bool heavy,
                   const TheoryOptions& options) {
  Design design{.features = features, .rows = rows, .x = {}, .name = {}};
  design.name = fmt::format("p = {}, n = {}{}", features, rows, heavy ? ", heavy tails" : "");
  Rng rng = theory_rng(options, "prop4 design " + design.name);
  for (std::size_t i = 0; i < features * rows; ++i) {
    double x = rng.normal();
    // Student t with 2 degrees of freedom, clamped to -5 ... 5: any fixed design will do here.
    if (heavy) x = std::clamp(x / std::sqrt(-std::log(rng.uniform_positive())), -5.0, 5.0);
    design.x.push_back(x);
  }
  return design;
}

std::vector<Design> draw_designs(const TheoryOptions& options) {
  return {draw_design(3, 5, false, options), draw_design(5, 20, false, options),
          draw_design(5, 200, false, options), draw_design(20, 100, false, options),
          draw_design(5, 100, true, options)};
}

std::string place(bool before) {
  return before ? "proposition 4 for algorithm 1; not in the paper" : "proposition 4, section 4.2";
}

TheoryCheck exact_check(std::string id, bool before, std::string statement, const Worst& worst,
                        std::string note) {
  return TheoryCheck{.id = std::move(id),
                     .where = place(before),
                     .statement = std::move(statement),
                     .statistic = fmt::format(
                         "largest relative difference to the fit's own weights, of {}", worst.seen),
                     .value = worst.value,
                     .relation = Relation::kEquals,
                     .expected = 0.0,
                     .tolerance = 1e-8,
                     .reason = "rounding, with as few as p + 2 contexts",
                     .note = std::move(note)}
      .judged();
}

TheoryCheck check_exact_after(std::span<const Design> designs) {
  Worst worst;
  for (const Design& design : designs) {
    const auto inverse = inverse_gram(design, design.rows);
    const auto n = static_cast<double>(design.rows);
    for (std::size_t i = 0; i < design.rows; ++i) {
      const double h = form(design.row(i), inverse, design.row(i));
      double residual = 0.0, error = 0.0;  // over s2, from the weights of the rewards
      for (std::size_t j = 0; j < design.rows; ++j) {
        const double w = form(design.row(i), inverse, design.row(j));
        error += w * w;
        residual += ((i == j ? 1.0 : 0.0) - w) * ((i == j ? 1.0 : 0.0) - w);
      }
      worst.see(relative_error(error, h), design.name);
      worst.see(relative_error(residual, 1.0 - h), design.name);
      worst.see(relative_error(residual / n, (1.0 - h) / (h * n) * error), design.name);
    }
  }
  return exact_check("prop4.after.exact", false,
                     "E[e^2/n] = (1-h) s2/n, MSE = h s2, E[e^2/n] = (h n)^-1 (1-h) MSE; h = "
                     "x'(X'X)^-1 x, x among the rows of X",
                     worst,
                     "section 4.2 prints sum x_j' x_j for X'X, a number; sum x_j x_j' is "
                     "meant");
}

TheoryCheck check_exact_before(std::span<const Design> designs) {
  Worst worst;
  std::string leverages;
  for (const Design& design : designs) {
    const std::size_t last = design.rows - 1;
    const auto x = design.row(last);
    const double h = form(x, inverse_gram(design, design.rows), x);
    const auto inverse = inverse_gram(design, last);
    const double h_before = form(x, inverse, x);
    double error = 0.0;
    for (std::size_t j = 0; j < last; ++j) {
      const double w = form(x, inverse, design.row(j));
      error += w * w;
    }
    worst.see(relative_error(error, h_before), design.name);
    worst.see(relative_error(h_before, h / (1.0 - h)), design.name);
    worst.see(relative_error(1.0 + error, 1.0 / (1.0 - h)), design.name);
    leverages += fmt::format("{}{:.3f} ({})", leverages.empty() ? "" : ", ", h, design.name);
  }
  return exact_check("prop4.before.exact", true,
                     "E[e^2/n] = (1+h') s2/n, MSE = h' s2, h' = x'(X'X)^-1 x without x among the "
                     "rows; h' = h/(1-h), 1+h' = 1/(1-h)",
                     worst, "what algorithm 1 computes; h is " + leverages);
}

struct Simulated {
  Worst after, before;
};

Simulated simulate(std::span<const Design> designs, const TheoryOptions& options) {
  Simulated worst;
  const std::uint64_t count = repetitions(options);
  for (const Design& design : designs) {
    const std::size_t p = design.features, last = design.rows - 1;
    const auto x = design.row(last);
    const auto all = inverse_gram(design, design.rows), past = inverse_gram(design, last);
    const double h = form(x, all, x), h_before = form(x, past, x);
    Rng rng = theory_rng(options, "prop4 noise " + design.name);
    std::vector<double> theta(p), product(p);
    for (double& coordinate : theta) coordinate = rng.normal();
    const double mean = dot(x, theta);
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    for (std::uint64_t i = 0; i < count && !stopped(options); ++i) {
      std::ranges::fill(product, 0.0);
      double reward = 0.0;
      for (std::size_t j = 0; j <= last; ++j) {
        reward = dot(design.row(j), theta) + kNoise * rng.normal();
        if (j == last) break;
        for (std::size_t a = 0; a < p; ++a) product[a] += reward * design.row(j)[a];
      }
      const double earlier = form(x, past, product);
      for (std::size_t a = 0; a < p; ++a) product[a] += reward * x[a];
      const double later = form(x, all, product);
      const double parts[4] = {reward - later, later - mean, reward - earlier, earlier - mean};
      for (int k = 0; k < 4; ++k) sums[k] += parts[k] * parts[k];
    }
    const double factors[4] = {1.0 - h, h, 1.0 + h_before, h_before};
    const char* const names[4] = {"e^2", "MSE", "e^2", "MSE"};
    for (int k = 0; k < 4; ++k) {
      const double exact = factors[k] * kNoise * kNoise;
      const double error = exact * std::sqrt(2.0 / static_cast<double>(count));  // normal noise
      (k < 2 ? worst.after : worst.before)
          .see(errors_apart(sums[k] / static_cast<double>(count), exact, error),
               fmt::format("{} of {}", names[k], design.name));
    }
  }
  return worst;
}

TheoryCheck simulation_check(std::string id, bool before, std::string statement, const Worst& worst,
                             const TheoryOptions& options) {
  return TheoryCheck{
      .id = std::move(id),
      .where = place(before),
      .statement = std::move(statement),
      .statistic = fmt::format("largest |simulated - exact| in standard errors, of {}", worst.seen),
      .value = worst.value,
      .relation = Relation::kEquals,
      .expected = 0.0,
      .tolerance = kErrors,
      .reason = std::string(kErrorsReason),
      .note = fmt::format("{} repetitions of normal noise, sigma 0.5, on fixed contexts; furthest "
                          "out is {}",
                          repetitions(options), worst.what)}
      .judged();
}

// Every row of a design in turn is the new context; c1 = n min h and c2 = n max h.
TheoryCheck check_bounds(std::span<const Design> designs, bool before) {
  std::size_t cases = 0, printed = 0, good = 0;
  std::string constants;
  for (const Design& design : designs) {
    const auto inverse = inverse_gram(design, design.rows);
    const auto n = static_cast<double>(design.rows);
    std::vector<double> h;
    for (std::size_t i = 0; i < design.rows; ++i) {
      h.push_back(form(design.row(i), inverse, design.row(i)));
    }
    const double c1 = n * *std::ranges::min_element(h), c2 = n * *std::ranges::max_element(h);
    if (before && c2 > n / 2.0) continue;
    constants +=
        fmt::format("{}{:.3g} and {:.3g} ({})", constants.empty() ? "" : ", ", c1, c2, design.name);
    for (const double leverage : h) {
      const double sau = (before ? 1.0 / (1.0 - leverage) : 1.0 - leverage) / n;
      const auto within = [&](double low, double high) {
        return low * leverage <= sau * (1.0 + 1e-12) && sau <= high * leverage * (1.0 + 1e-12);
      };
      ++cases;
      printed += within((1.0 - c2 / n) / c2, (1.0 - c1 / n) / c1) ? 1U : 0U;
      good += within(1.0 / c2 / (1.0 - c2 / n), 1.0 / c1 / (1.0 - c1 / n)) ? 1U : 0U;
    }
  }
  if (!before) good = printed;
  return TheoryCheck{
      .id = before ? "prop4.before.bounds" : "prop4.after.bounds",
      .where = "proposition 4",
      .statement = before ? "c2^-1 (1-c2/n)^-1 MSE <= E[e^2/n] <= c1^-1 (1-c1/n)^-1 MSE, MSE = h "
                            "s2, c1/n <= h <= c2/n <= 1/2, e before the update"
                          : "c2^-1 (1-c2/n) MSE <= E[e^2/n] <= c1^-1 (1-c1/n) MSE, c1/n <= h <= "
                            "c2/n",
      .statistic = fmt::format("share of {} contexts within the bounds", cases),
      .value = static_cast<double>(good) / static_cast<double>(cases),
      .relation = Relation::kEquals,
      .expected = 1.0,
      .tolerance = 0.0,
      .reason = "an inequality between numbers that are computed, not drawn",
      .note = fmt::format("c1, c2 are n times the least and the greatest h of a design: {}{}",
                          constants,
                          before ? fmt::format(". The printed bounds, which are of the residual "
                                               "after the update, hold for {} of the {}",
                                               printed, cases)
                                 : ". If c1 and c2 are far apart, the bounds say little: h "
                                   "must be of the same size for all contexts")}
      .judged(printed == cases);
}

}  // namespace

std::vector<TheoryCheck> check_linear(const TheoryOptions& options) {
  const std::vector<Design> designs = draw_designs(options);
  const Simulated worst = simulate(designs, options);
  return {check_exact_after(designs),
          simulation_check("prop4.after.simulation", false,
                           "E[e^2] = (1-h) s2 and MSE = h s2, simulated", worst.after, options),
          check_bounds(designs, false),
          check_exact_before(designs),
          simulation_check("prop4.before.simulation", true,
                           "E[e^2] = (1+h') s2 and MSE = h' s2, simulated", worst.before, options),
          check_bounds(designs, true)};
}

}  // namespace sau::detail
