#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

// Least squares on a few fixed contexts: small, simple, and independent of the code that it checks.
namespace sau::detail {

struct Design {
  std::size_t features, rows;
  std::vector<double> x;  // row-major, rows x features
  std::string name;

  std::span<const double> row(std::size_t j) const { return {x.data() + j * features, features}; }
};

// (X'X)^-1 of the first `rows` rows, by Cholesky; row-major. These rows must span all features.
std::vector<double> inverse_gram(const Design& design, std::size_t rows);

// x' M y.
double form(std::span<const double> x, std::span<const double> matrix, std::span<const double> y);

inline double dot(std::span<const double> x, std::span<const double> y) {
  double sum = 0.0;
  for (std::size_t a = 0; a < x.size(); ++a) sum += x[a] * y[a];
  return sum;
}

}  // namespace sau::detail
