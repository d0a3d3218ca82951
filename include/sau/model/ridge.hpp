#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sau/core/aligned.hpp"
#include "sau/core/spec.hpp"
#include "sau/core/types.hpp"
#include "sau/kernel/ridge_kernel.hpp"

namespace sau {

// Without a penalty there is no solution while contexts are few or collinear, and a penalty that is
// lost in rounding is no better. So 0 is refused.
inline constexpr Bounds kLambdaBounds{.min = 1e-20, .max = 1e20};

// One ridge regression per action, exact after every step:
//     Lambda_a = lambda I + sum x x',   theta_a = Lambda_a^-1 sum x r
// over the steps that played a. A step is one rank-one update of P = Lambda^-1, kept as W' D W
// (Bierman 1976; see RidgeKernel), and of theta by recursive least squares,
//     theta <- theta + P x e / alpha,   e = r - x' theta,   alpha = 1 + x' P x  (the old P, theta).
//
// Numerics. D is only ever multiplied by numbers in (0, 1], so P stays positive definite, and
// rounding errors add up but are not amplified: after 1e6 steps theta is within 1e-12 of a fresh
// solution (tests). Nothing is ever refactorised and no sums are kept, so a step costs the same at
// the end of a run as at its start. If contexts are collinear and so large compared with lambda
// that a double cannot resolve it, the solution is that for contexts whose last digits differ. A
// step whose |x|^2 / lambda exceeds 1e300 is ignored, since its squares overflow.
class Ridge {
 public:
  // With `intercept` a feature that is always 1 is appended to the context. lambda > 0.
  Ridge(Shape shape, double lambda, bool intercept);

  std::size_t actions() const noexcept { return pulls_.size(); }
  // The number of features, intercept included.
  std::size_t features() const noexcept { return features_; }
  double lambda() const noexcept { return lambda_; }

  // x' theta of every action; valid until the next call.
  std::span<const double> values(Context x) noexcept {
    put(x);
    kernel_->products(theta_.data(), actions(), padded_, x_.data(), value_.data());
    return {value_.data(), actions()};
  }

  // x' Lambda^-1 x of every action; valid until the next call.
  std::span<const double> forms(Context x) noexcept {
    put(x);
    kernel_->forms(factor_.data(), scale_.data(), actions(), padded_, x_.data(), form_.data());
    return {form_.data(), actions()};
  }

  // Learns from one step. Returns e^2 / alpha, the growth of  sum r^2 - theta' Lambda theta.
  double update(Context x, Action action, double reward) noexcept;

  double pulls(Action action) const noexcept { return pulls_[action]; }
  std::vector<double> theta(Action action) const;
  void describe(auto&& column) const { column("count", "rewards learned from", pulls_); }
  // Lambda of one action, row-major, features x features; recovered from its factors.
  std::vector<double> precision(Action action) const;

  // Adds actions that have learned nothing.
  void grow(Action actions);

  // Adds what `other`, of the same shape and lambda, learned separately: Lambda and sum x r are
  // sums. Returns for every action how much larger sum r^2 - theta' Lambda theta is for the whole
  // than summed over the two parts.
  std::vector<double> merge(const Ridge& other);

  static void state(auto& self, auto&& field) {
    field("factor", self.factor_);
    field("scale", self.scale_);
    field("theta", self.theta_);
    field("pulls", self.pulls_);
  }

 private:
  void put(Context x) noexcept {
    for (std::size_t i = 0; i < x.size(); ++i) x_[i] = x[i];
  }
  // Sets the factors of this action and all later ones to their start.
  void start_from(std::size_t action) noexcept;
  void copy_action(const Ridge& from, Action action);
  void set_action(Action action, std::vector<double> precision, std::span<const double> product);

  const RidgeKernel* kernel_;
  std::size_t features_, padded_;
  double lambda_;
  AlignedVector<double> factor_;              // actions x ridge_factor_size(padded)
  AlignedVector<double> scale_, theta_;       // actions x padded
  AlignedVector<double> x_, gain_;            // padded
  std::vector<double> pulls_, value_, form_;  // one per action
};

}  // namespace sau
