#include <algorithm>
#include <cmath>
#include <numeric>

#include "sau/stats/compare.hpp"
#include "stats/distributions.hpp"

namespace sau {
namespace {

constexpr std::size_t kMostExact = 50;  // differences

// P(sum of the positive ranks <= sum) if each of n differences is positive with probability 1/2:
// the share of the 2^n subsets of the ranks 1, ..., n with such a sum.
double exact_tail(std::size_t n, double sum) {
  std::vector<double> share(n * (n + 1) / 2 + 1, 0.0);
  share[0] = 1.0;
  std::size_t reach = 0;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    reach += rank;
    for (std::size_t s = reach + 1; s-- > 0;) {
      share[s] = 0.5 * (share[s] + (s >= rank ? share[s - rank] : 0.0));
    }
  }
  const auto last = static_cast<std::ptrdiff_t>(sum);
  return std::accumulate(share.begin(), share.begin() + last + 1, 0.0);
}

}  // namespace

SignedRankTest signed_rank_test(std::span<const double> differences) {
  std::vector<double> sorted(differences.begin(), differences.end());
  std::ranges::sort(sorted, {}, [](double d) { return std::abs(d); });
  const std::size_t n = sorted.size();
  std::size_t zeros = 0;
  bool ties = false;
  // Ranks of the nonzero differences: sum over the positive ones, over all, and of all squares.
  double positive = 0.0, all = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < n;) {
    std::size_t end = i;
    while (end < n && std::abs(sorted[end]) == std::abs(sorted[i])) ++end;
    const double rank = 0.5 * static_cast<double>(i + 1 + end);
    if (sorted[i] == 0.0) {
      zeros = end;
    } else {
      ties = ties || end - i > 1;
      for (std::size_t j = i; j < end; ++j) {
        positive += sorted[j] > 0.0 ? rank : 0.0;
        all += rank;
        squares += rank * rank;
      }
    }
    i = end;
  }
  if (zeros == n) return {};
  const double smaller = std::min(positive, all - positive);
  if (n <= kMostExact && zeros == 0 && !ties) {
    return {std::min(1.0, 2.0 * exact_tail(n, smaller)), true};
  }
  // Each rank counts with probability 1/2, which gives mean and variance of the sum, with or
  // without ties. The 0.5 is the continuity correction.
  const double away = std::max(0.0, 0.5 * all - smaller - 0.5);
  const double deviation = 0.5 * std::sqrt(squares);
  return {std::min(1.0, 2.0 * detail::normal_cdf(-away / deviation)), false};
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> corrected(p.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto left = static_cast<double>(order.size() - i);
    largest = std::max(largest, std::min(1.0, left * p[order[i]]));
    corrected[order[i]] = largest;
  }
  return corrected;
}

}  // namespace sau
