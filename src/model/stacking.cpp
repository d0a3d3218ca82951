#include "sau/model/stacking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory_resource>

#include "sau/core/stack_memory.hpp"

namespace sau {
namespace {

constexpr double kPrior = 5.0;           // rewards that the first opinion starts with
constexpr double kLeastPenalty = 1e-9;   // beside the largest element; keeps the problem regular
constexpr double kTolerance = 1e-12;     // of gradients, beside the largest element
constexpr std::size_t kMostRounds = 10;  // per opinion; rounding could make it go on for ever

using Vector = std::pmr::vector<double>;
using Indices = std::pmr::vector<std::size_t>;

// The point of least s'M s - 2 pull s_0 on the plane sum s = 1, for the chosen rows of M alone.
class OnPlane {
 public:
  OnPlane(const Vector& matrix, std::size_t size, double pull, std::pmr::memory_resource* memory)
      : matrix_(matrix),
        size_(size),
        pull_(pull),
        factor_(matrix.size(), memory),
        ones_(size, memory),
        pulled_(size, memory) {}

  // Both parts of the solution by one Cholesky factor: M a = 1 and M b = pull at opinion 0.
  const Vector& solve(const Indices& chosen) noexcept {
    const std::size_t n = chosen.size();
    for (std::size_t i = 0; i < n; ++i) {
      double* row = &factor_[i * size_];
      for (std::size_t j = 0; j <= i; ++j) {
        double rest = matrix_[chosen[i] * size_ + chosen[j]];
        for (std::size_t q = 0; q < j; ++q) rest -= row[q] * factor_[j * size_ + q];
        row[j] = i == j ? std::sqrt(std::max(rest, kLeastPenalty * kLeastPenalty))
                        : rest / factor_[j * size_ + j];
      }
      double one = 1.0, pull = chosen[i] == 0 ? pull_ : 0.0;
      for (std::size_t q = 0; q < i; ++q) {
        one -= row[q] * ones_[q];
        pull -= row[q] * pulled_[q];
      }
      ones_[i] = one / row[i];
      pulled_[i] = pull / row[i];
    }
    double ones = 0.0, pulled = 0.0;
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t q = i + 1; q < n; ++q) {
        ones_[i] -= factor_[q * size_ + i] * ones_[q];
        pulled_[i] -= factor_[q * size_ + i] * pulled_[q];
      }
      ones_[i] /= factor_[i * size_ + i];
      pulled_[i] /= factor_[i * size_ + i];
      ones += ones_[i];
      pulled += pulled_[i];
    }
    const double level = (1.0 - pulled) / ones;
    for (std::size_t i = 0; i < n; ++i) pulled_[i] += level * ones_[i];
    return pulled_;
  }

 private:
  const Vector& matrix_;
  std::size_t size_;
  double pull_;
  Vector factor_, ones_, pulled_;
};

// The point of least s'M s - 2 pull s_0 with s >= 0 and sum s = 1, by the active sets of Lawson &
// Hanson (1974, section 23.3): takes in the opinion that promises most, as long as one promises
// anything, and drops those that would become negative. M is positive definite.
void least_on_simplex(const Vector& matrix, double pull, Vector& s,
                      std::pmr::memory_resource* memory) noexcept {
  const std::size_t size = s.size();
  OnPlane plane(matrix, size, pull, memory);
  Indices chosen(memory);
  chosen.reserve(size);
  chosen.push_back(0);
  std::ranges::fill(s, 0.0);
  s[0] = 1.0;
  for (std::size_t round = 0; round < kMostRounds * size; ++round) {
    double level = 0.0, lowest = std::numeric_limits<double>::infinity();
    std::size_t next = size;
    for (std::size_t k = 0; k < size; ++k) {
      double gradient = k == 0 ? -pull : 0.0;
      for (const std::size_t j : chosen) gradient += matrix[k * size + j] * s[j];
      if (k == chosen.front()) level = gradient;  // the same for all that are chosen
      if (gradient >= lowest || std::ranges::find(chosen, k) != chosen.end()) continue;
      lowest = gradient;
      next = k;
    }
    if (next == size || lowest >= level - kTolerance) return;
    chosen.push_back(next);
    while (true) {
      const Vector& target = plane.solve(chosen);
      double step = 1.0;
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (target[i] > 0.0) continue;
        const double from = s[chosen[i]];
        step = std::min(step, from > 0.0 ? from / (from - target[i]) : 0.0);
      }
      const bool inside = step == 1.0;
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        double& to = s[chosen[i]];
        to = inside ? target[i] : to + step * (target[i] - to);
        if (!inside && target[i] <= 0.0 && to <= kTolerance) to = 0.0;
      }
      if (inside) break;
      std::erase_if(chosen, [&](std::size_t k) { return s[k] == 0.0; });
      if (chosen.size() == 1) s[chosen.front()] = 1.0;
    }
  }
}

}  // namespace

Stacking::Stacking(std::size_t opinions)
    : product_(opinions * opinions), out_(opinions), weight_(opinions) {
  solve();
}

void Stacking::observe(std::span<const double> error) noexcept {
  const std::size_t size = out_.size();
  const double kept = static_cast<double>(count_) / (static_cast<double>(count_) + 1.0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      if (out_[i] != 0 || out_[j] != 0) continue;
      double& product = product_[i * size + j];
      product = product * kept + error[i] * error[j];
    }
  }
  ++count_;
  solve();
}

void Stacking::leave_out(std::size_t k) noexcept {
  out_[k] = 1;
  for (std::size_t j = 0; j < out_.size(); ++j) {
    product_[k * out_.size() + j] = product_[j * out_.size() + k] = 0.0;
  }
  solve();
}

void Stacking::restored(std::span<const std::uint8_t> out) noexcept {
  std::ranges::copy(out, out_.begin());
  solve();
}

void Stacking::solve() noexcept {
  StackMemory<4096> memory;
  Indices in(memory.resource());
  in.reserve(out_.size());
  std::ranges::fill(weight_, 0.0);
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (std::size_t k = 0; k < out_.size(); ++k) {
    if (out_[k] != 0) continue;
    in.push_back(k);
    least = std::min(least, product_[k * out_.size() + k]);
    most = std::max(most, product_[k * out_.size() + k]);
  }
  if (in.empty()) return;
  if (in.size() == 1 || most == 0.0) {
    weight_[in.front()] = 1.0;
    return;
  }
  // In units of the largest error, so that the unit of the rewards does not matter.
  const double rewards = (static_cast<double>(count_) + 1.0) / 2.0;
  const double penalty = kPrior / rewards * (least / most) + kLeastPenalty;
  Vector matrix(in.size() * in.size(), memory.resource()), s(in.size(), memory.resource());
  for (std::size_t i = 0; i < in.size(); ++i) {
    for (std::size_t j = 0; j < in.size(); ++j) {
      matrix[i * in.size() + j] = product_[in[i] * out_.size() + in[j]] / most;
    }
    matrix[i * in.size() + i] += penalty;
  }
  least_on_simplex(matrix, penalty, s, memory.resource());
  for (std::size_t i = 0; i < in.size(); ++i) weight_[in[i]] = s[i];
}

}  // namespace sau
