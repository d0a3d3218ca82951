#include "sau/model/stacking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sau {
namespace {

constexpr double kPrior = 5.0;  // rewards that the penalty is worth
// Beside the largest element of A, which is 1 here.
constexpr double kLeastPenalty = 1e-9, kLeastPivot = 1e-18, kTolerance = 1e-12;
constexpr double kLeastSquare = 1e-300;  // of an error
constexpr std::size_t kMostRounds = 10;  // per opinion; rounding could make it go on for ever

}  // namespace

Stacking::Stacking(std::size_t opinions)
    : product_(opinions * opinions),
      out_(opinions),
      weight_(opinions),
      matrix_(opinions * opinions),
      factor_(opinions * opinions),
      s_(opinions),
      ones_(opinions),
      target_(opinions) {
  in_.reserve(opinions);
  chosen_.reserve(opinions + 1);
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

void Stacking::restored(std::uint64_t rewards, std::span<const std::uint8_t> out) noexcept {
  count_ = rewards;
  std::ranges::copy(out, out_.begin());
  solve();
}

void Stacking::solve() noexcept {
  in_.clear();
  std::ranges::fill(weight_, 0.0);
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (std::size_t k = 0; k < out_.size(); ++k) {
    if (out_[k] != 0) continue;
    in_.push_back(k);
    least = std::min(least, product_[k * out_.size() + k]);
    most = std::max(most, product_[k * out_.size() + k]);
  }
  if (in_.empty()) return;
  const std::size_t size = in_.size();
  if (size == 1 || !(most > kLeastSquare)) {
    weight_[in_.front()] = 1.0;
    return;
  }
  // In units of the largest error, so that the unit of the rewards does not matter.
  const double rewards = (static_cast<double>(count_) + 1.0) / 2.0;
  const double penalty = kPrior / rewards * (least / most) + kLeastPenalty;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      matrix_[i * size + j] = product_[in_[i] * out_.size() + in_[j]] / most;
    }
    matrix_[i * size + i] += penalty;
  }
  solve_on_simplex(penalty);
  for (std::size_t i = 0; i < size; ++i) weight_[in_[i]] = s_[i];
}

// Least s'M s - 2 penalty s_0 with s >= 0 and sum s = 1, by the active sets of Lawson & Hanson
// (1974, section 23.3): takes in the opinion that promises most, as long as one promises anything,
// and drops those that would become negative.
void Stacking::solve_on_simplex(double penalty) noexcept {
  const std::size_t size = in_.size();
  chosen_.assign(1, 0);
  std::ranges::fill(s_, 0.0);
  s_[0] = 1.0;
  for (std::size_t round = 0; round < kMostRounds * size; ++round) {
    double level = 0.0, lowest = std::numeric_limits<double>::infinity();
    std::size_t next = size;
    for (std::size_t k = 0; k < size; ++k) {
      double gradient = k == 0 ? -penalty : 0.0;
      for (const std::size_t j : chosen_) gradient += matrix_[k * size + j] * s_[j];
      if (k == chosen_.front()) level = gradient;  // the same for all that are chosen
      if (gradient >= lowest || std::ranges::find(chosen_, k) != chosen_.end()) continue;
      lowest = gradient;
      next = k;
    }
    if (next == size || !(lowest < level - kTolerance)) return;
    chosen_.push_back(next);
    bool inside = false;
    for (std::size_t left = chosen_.size(); left > 0 && !inside; --left) {
      solve_on_plane(penalty);
      double step = 1.0;
      for (std::size_t i = 0; i < chosen_.size(); ++i) {
        if (target_[i] > 0.0) continue;
        const double from = s_[chosen_[i]];
        step = std::min(step, from > 0.0 ? from / (from - target_[i]) : 0.0);
      }
      inside = step == 1.0;
      for (std::size_t i = 0; i < chosen_.size(); ++i) {
        double& to = s_[chosen_[i]];
        to = inside ? target_[i] : to + step * (target_[i] - to);
        if (!inside && target_[i] <= 0.0 && to <= kTolerance) to = 0.0;
      }
      if (inside) break;
      std::erase_if(chosen_, [&](std::size_t k) { return !(s_[k] > 0.0); });
      if (chosen_.size() == 1) s_[chosen_.front()] = 1.0;
      if (chosen_.empty()) break;
    }
    if (inside) continue;
    // Numbers that no errors have, such as those of a forged file.
    std::ranges::fill(s_, 0.0);
    s_[0] = 1.0;
    return;
  }
}

// Leaves the solution in target_, in the order of chosen_. With M a = 1 and M b = penalty at
// opinion 0, both by one Cholesky factor, it is b + level a, where level makes the sum 1.
void Stacking::solve_on_plane(double penalty) noexcept {
  const std::size_t size = in_.size(), n = chosen_.size();
  for (std::size_t i = 0; i < n; ++i) {
    double* row = &factor_[i * size];
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = matrix_[chosen_[i] * size + chosen_[j]];
      for (std::size_t q = 0; q < j; ++q) rest -= row[q] * factor_[j * size + q];
      row[j] = i == j ? std::sqrt(std::max(rest, kLeastPivot)) : rest / factor_[j * size + j];
    }
    double one = 1.0, pull = chosen_[i] == 0 ? penalty : 0.0;
    for (std::size_t q = 0; q < i; ++q) {
      one -= row[q] * ones_[q];
      pull -= row[q] * target_[q];
    }
    ones_[i] = one / row[i];
    target_[i] = pull / row[i];
  }
  double ones = 0.0, pulled = 0.0;
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t q = i + 1; q < n; ++q) {
      ones_[i] -= factor_[q * size + i] * ones_[q];
      target_[i] -= factor_[q * size + i] * target_[q];
    }
    ones_[i] /= factor_[i * size + i];
    target_[i] /= factor_[i * size + i];
    ones += ones_[i];
    pulled += target_[i];
  }
  const double level = (1.0 - pulled) / ones;
  for (std::size_t i = 0; i < n; ++i) target_[i] += level * ones_[i];
}

}  // namespace sau
