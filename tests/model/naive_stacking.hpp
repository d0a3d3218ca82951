#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace sau::testing {

// The s of Stacking from its formula, with every error kept: the best of the solutions that mix
// only some opinions, over all ways to choose them. `errors` has one row per reward.
inline std::vector<double> naive_mixture(const std::vector<std::vector<double>>& errors,
                                         std::size_t opinions) {
  const auto n = static_cast<double>(errors.size());
  // Reward i of n has been multiplied by i / (i + 1) * (i + 1) / (i + 2) * ... = i / n.
  const auto product = [&](std::size_t j, std::size_t k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      sum += errors[i][j] * errors[i][k] * static_cast<double>(i + 1) / n;
    }
    return sum;
  };
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < opinions; ++k) least = std::fmin(least, product(k, k));
  const double penalty = 5.0 * least / ((n + 1.0) / 2.0);
  const auto cost = [&](const std::vector<double>& s) {
    double sum = 0.0;
    for (std::size_t j = 0; j < opinions; ++j) {
      for (std::size_t k = 0; k < opinions; ++k) sum += s[j] * s[k] * product(j, k);
      const double away = s[j] - (j == 0 ? 1.0 : 0.0);
      sum += penalty * away * away;
    }
    return sum;
  };

  std::vector<double> best(opinions);
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t set = 1; set < (std::size_t{1} << opinions); ++set) {
    std::vector<std::size_t> in;
    for (std::size_t k = 0; k < opinions; ++k) {
      if ((set >> k & 1) != 0) in.push_back(k);
    }
    // (A + penalty I) s + level = penalty first, sum s = 1, by Gauss-Jordan elimination.
    const std::size_t size = in.size() + 1;
    std::vector<std::vector<double>> rows(size, std::vector<double>(size + 1, 0.0));
    for (std::size_t i = 0; i < in.size(); ++i) {
      for (std::size_t j = 0; j < in.size(); ++j) {
        rows[i][j] = product(in[i], in[j]) + (i == j ? penalty : 0.0);
      }
      rows[i][in.size()] = rows[in.size()][i] = 1.0;
      rows[i][size] = in[i] == 0 ? penalty : 0.0;
    }
    rows[in.size()][size] = 1.0;
    for (std::size_t c = 0; c < size; ++c) {
      std::size_t pivot = c;
      for (std::size_t r = c; r < size; ++r) {
        if (std::abs(rows[r][c]) > std::abs(rows[pivot][c])) pivot = r;
      }
      std::swap(rows[c], rows[pivot]);
      for (std::size_t r = 0; r < size; ++r) {
        if (r == c) continue;
        const double factor = rows[r][c] / rows[c][c];
        for (std::size_t j = c; j <= size; ++j) rows[r][j] -= factor * rows[c][j];
      }
    }
    std::vector<double> s(opinions);
    bool allowed = true;
    for (std::size_t i = 0; i < in.size(); ++i) {
      s[in[i]] = rows[i][size] / rows[i][i];
      allowed = allowed && s[in[i]] >= 0.0;
    }
    if (!allowed || cost(s) >= lowest) continue;
    lowest = cost(s);
    best = s;
  }
  return best;
}

}  // namespace sau::testing
