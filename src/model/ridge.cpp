#include "sau/model/ridge.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

constexpr double kLargestForm = 1e300;
constexpr double kMostNumbers = 1e10;

// A square matrix, row-major.
struct Square {
  explicit Square(std::size_t size) : n(size), data(size * size) {}
  double& operator()(std::size_t i, std::size_t j) noexcept { return data[i * n + j]; }
  double operator()(std::size_t i, std::size_t j) const noexcept { return data[i * n + j]; }

  std::size_t n;
  std::vector<double> data;
};

// The inverse of a unit lower triangular matrix.
Square inverse_of_unit_lower(const Square& lower) {
  Square inverse(lower.n);
  for (std::size_t i = 0; i < lower.n; ++i) {
    inverse(i, i) = 1.0;
    for (std::size_t k = 0; k < i; ++k) {
      const double l = lower(i, k);
      for (std::size_t j = 0; j <= k; ++j) inverse(i, j) -= l * inverse(k, j);
    }
  }
  return inverse;
}

// Matrix times vector.
std::vector<double> times(std::span<const double> matrix, std::span<const double> x) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += matrix[i * x.size() + j] * x[j];
  }
  return y;
}

// (x - y)' matrix (x - y)
double distance(std::span<const double> matrix, std::span<const double> x,
                std::span<const double> y) {
  std::vector<double> difference(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) difference[i] = x[i] - y[i];
  const auto product = times(matrix, difference);
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += difference[i] * product[i];
  return sum;
}

// The length of all factors together; refuses what no machine can hold before it overflows.
std::size_t checked_size(std::size_t actions, std::size_t padded) {
  const double numbers = static_cast<double>(actions) * 0.5 * static_cast<double>(padded) *
                         static_cast<double>(padded + kRidgePad);
  if (numbers > kMostNumbers) {
    throw UsageError("a linear model of " + std::to_string(actions) + " actions and " +
                     std::to_string(padded) + " features needs " +
                     format_number(std::ceil(numbers * 8e-9)) + " GB; expected at most " +
                     format_number(kMostNumbers * 8e-9));
  }
  return actions * ridge_factor_size(padded);
}

}  // namespace

Ridge::Ridge(Shape shape, double lambda, bool intercept)
    : kernel_(&ridge_kernel(instruction_set())),
      features_(shape.dim + (intercept ? 1 : 0)),
      padded_(ridge_padded(features_)),
      lambda_(lambda),
      factor_(checked_size(shape.actions, padded_)),
      scale_(shape.actions * padded_, 1.0 / lambda),
      theta_(shape.actions * padded_),
      x_(padded_),
      gain_(padded_),
      pulls_(shape.actions),
      value_(shape.actions),
      form_(shape.actions) {
  SAU_ASSERT(lambda > 0.0, "without lambda the regression of the first steps has no answer");
  start_from(0);
  if (intercept) x_[shape.dim] = 1.0;
}

void Ridge::start_from(std::size_t action) noexcept {
  for (std::size_t a = action; a < actions(); ++a) {
    double* factor = factor_.data() + a * ridge_factor_size(padded_);
    for (std::size_t i = 0; i < padded_; ++i) factor[ridge_factor_index(i, i)] = 1.0;
  }
}

void Ridge::grow(Action actions) {
  const std::size_t known = this->actions();
  factor_.resize(checked_size(actions, padded_));
  scale_.resize(actions * padded_, 1.0 / lambda_);
  theta_.resize(actions * padded_);
  pulls_.resize(actions);
  value_.resize(actions);
  form_.resize(actions);
  start_from(known);
}

double Ridge::update(Context x, Action action, double reward) noexcept {
  put(x);
  double length = 0.0, value = 0.0;
  kernel_->products(x_.data(), 1, padded_, x_.data(), &length);
  if (!(length <= kLargestForm * std::min(1.0, lambda_))) return 0.0;
  double* theta = theta_.data() + action * padded_;
  kernel_->products(theta, 1, padded_, x_.data(), &value);
  const double alpha =
      kernel_->update(factor_.data() + action * ridge_factor_size(padded_),
                      scale_.data() + action * padded_, padded_, x_.data(), gain_.data());
  const double residual = reward - value;
  const double step = residual / alpha;
  kernel_->add(step, gain_.data(), padded_, theta);
  pulls_[action] += 1.0;
  return step * residual;
}

std::vector<double> Ridge::theta(Action action) const {
  const double* theta = theta_.data() + action * padded_;
  return {theta, theta + features_};
}

std::vector<double> Ridge::precision(Action action) const {
  const double* factor = factor_.data() + action * ridge_factor_size(padded_);
  const double* scale = scale_.data() + action * padded_;
  Square w(features_), result(features_);
  for (std::size_t i = 0; i < features_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) w(i, j) = factor[ridge_factor_index(i, j)];
  }
  // Lambda = V D^-1 V' with V = W^-1, by columns of V.
  const Square v = inverse_of_unit_lower(w);
  for (std::size_t i = 0; i < features_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k <= j; ++k) sum += v(i, k) * v(j, k) / scale[k];
      result(i, j) = result(j, i) = sum;
    }
  }
  return std::move(result.data);
}

// Lambda = L C L', then W = L^-1, D = C^-1 and theta = W' D W product. Lambda - lambda I is
// positive semidefinite, so a pivot is below lambda only by rounding.
void Ridge::set_action(Action action, std::vector<double> precision,
                       std::span<const double> product) {
  Square lower(features_);
  lower.data = std::move(precision);
  std::vector<double> pivot(features_);
  for (std::size_t i = 0; i < features_; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double sum = lower(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= lower(i, k) * lower(j, k) * pivot[k];
      lower(i, j) = sum / pivot[j];
    }
    double sum = lower(i, i);
    for (std::size_t k = 0; k < i; ++k) sum -= lower(i, k) * lower(i, k) * pivot[k];
    pivot[i] = std::max(sum, lambda_);
  }
  const Square w = inverse_of_unit_lower(lower);
  double* factor = factor_.data() + action * ridge_factor_size(padded_);
  double* scale = scale_.data() + action * padded_;
  double* theta = theta_.data() + action * padded_;
  std::fill_n(theta, padded_, 0.0);
  for (std::size_t i = 0; i < features_; ++i) {
    double image = 0.0;
    for (std::size_t j = 0; j <= i; ++j) {
      factor[ridge_factor_index(i, j)] = w(i, j);
      image += w(i, j) * product[j];
    }
    scale[i] = 1.0 / pivot[i];
    for (std::size_t j = 0; j <= i; ++j) theta[j] += w(i, j) * image * scale[i];
  }
}

void Ridge::copy_action(const Ridge& from, Action action) {
  const auto copy = [action](const auto& source, auto& target, std::size_t size) {
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(action * size), size,
                target.begin() + static_cast<std::ptrdiff_t>(action * size));
  };
  copy(from.factor_, factor_, ridge_factor_size(padded_));
  copy(from.scale_, scale_, padded_);
  copy(from.theta_, theta_, padded_);
  pulls_[action] = from.pulls_[action];
}

// With S = sum r^2 - theta' Lambda theta, the least value of the penalised sum of squares:
//     S = S_1 + S_2 + |theta - theta_1|^2_Lambda_1 + |theta - theta_2|^2_Lambda_2
//         - lambda |theta|^2.
std::vector<double> Ridge::merge(const Ridge& other) {
  std::vector<double> excess(actions());
  for (Action a = 0; a < actions(); ++a) {
    if (other.pulls_[a] == 0.0) continue;
    if (pulls_[a] == 0.0) {
      copy_action(other, a);
      continue;
    }
    const auto first = precision(a), second = other.precision(a);
    const auto first_theta = theta(a), second_theta = other.theta(a);
    auto product = times(first, first_theta);
    const auto second_product = times(second, second_theta);
    for (std::size_t i = 0; i < features_; ++i) product[i] += second_product[i];
    auto sum = first;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += second[i];
    for (std::size_t i = 0; i < features_; ++i) sum[i * features_ + i] -= lambda_;
    set_action(a, std::move(sum), product);
    pulls_[a] += other.pulls_[a];
    const auto both = theta(a);
    excess[a] = distance(first, both, first_theta) + distance(second, both, second_theta);
    for (const double t : both) excess[a] -= lambda_ * t * t;
  }
  return excess;
}

}  // namespace sau
