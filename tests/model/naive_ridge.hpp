#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace sau::testing {

// One ridge regression directly from the formula: the sums are in long double, and every question
// is answered by Gaussian elimination.
class NaiveRidge {
 public:
  NaiveRidge(std::size_t dim, long double lambda) : dim_(dim), sums_(dim * dim), product_(dim) {
    for (std::size_t i = 0; i < dim; ++i) sums_[i * dim + i] = lambda;
  }

  void add(std::span<const double> x, double reward) {
    for (std::size_t i = 0; i < dim_; ++i) {
      product_[i] += static_cast<long double>(x[i]) * reward;
      for (std::size_t j = 0; j < dim_; ++j) {
        sums_[i * dim_ + j] += static_cast<long double>(x[i]) * x[j];
      }
    }
    square_ += static_cast<long double>(reward) * reward;
    count_ += 1;
  }

  std::vector<long double> theta() const { return solve(product_); }
  // x' Lambda^-1 x
  long double form(std::span<const double> x) const {
    const std::vector<long double> right(x.begin(), x.end());
    return dot(right, solve(right));
  }
  // x' theta
  long double value(std::span<const double> x) const {
    return dot(std::vector<long double>(x.begin(), x.end()), theta());
  }
  // sum_i x_i^2 / Lambda_ii
  long double diagonal_form(std::span<const double> x) const {
    long double sum = 0;
    for (std::size_t i = 0; i < dim_; ++i) {
      sum += static_cast<long double>(x[i]) * x[i] / sums_[i * dim_ + i];
    }
    return sum;
  }
  // sum r^2 - theta' Lambda theta
  long double square() const { return square_ - dot(product_, theta()); }
  long double count() const { return count_; }
  const std::vector<long double>& precision() const { return sums_; }

 private:
  static long double dot(const std::vector<long double>& a, const std::vector<long double>& b) {
    long double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }

  std::vector<long double> solve(std::vector<long double> right) const {
    std::vector<long double> matrix = sums_;
    for (std::size_t k = 0; k < dim_; ++k) {
      for (std::size_t i = k + 1; i < dim_; ++i) {
        const long double ratio = matrix[i * dim_ + k] / matrix[k * dim_ + k];
        for (std::size_t j = k; j < dim_; ++j) matrix[i * dim_ + j] -= ratio * matrix[k * dim_ + j];
        right[i] -= ratio * right[k];
      }
    }
    for (std::size_t i = dim_; i-- > 0;) {
      for (std::size_t j = i + 1; j < dim_; ++j) right[i] -= matrix[i * dim_ + j] * right[j];
      right[i] /= matrix[i * dim_ + i];
    }
    return right;
  }

  std::size_t dim_;
  std::vector<long double> sums_, product_;
  long double square_ = 0, count_ = 0;
};

}  // namespace sau::testing
