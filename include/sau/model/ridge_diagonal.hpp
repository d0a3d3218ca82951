#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sau/core/aligned.hpp"
#include "sau/core/types.hpp"
#include "sau/kernel/ridge_kernel.hpp"

namespace sau {

// The diagonal of Lambda_a = lambda I + sum x x' of every action, and with it
//     sum_i x_i^2 / Lambda_ii  in place of  x' Lambda^-1 x.
// The inverse is kept: a step changes it for one action only.
class RidgeDiagonal {
 public:
  RidgeDiagonal(Shape shape, double lambda, bool intercept)
      : kernel_(&ridge_kernel(instruction_set())),
        padded_(ridge_padded(shape.dim + (intercept ? 1 : 0))),
        lambda_(lambda),
        diagonal_(shape.actions * padded_, lambda),
        inverse_(shape.actions * padded_, 1.0 / lambda),
        square_(padded_),
        form_(shape.actions) {
    if (intercept) square_[shape.dim] = 1.0;
  }

  // One number per action; valid until the next call.
  std::span<const double> forms(Context x) noexcept {
    put_squares(x);
    kernel_->products(inverse_.data(), form_.size(), padded_, square_.data(), form_.data());
    return form_;
  }

  void update(Context x, Action action) noexcept {
    put_squares(x);
    kernel_->add(1.0, square_.data(), padded_, diagonal_.data() + action * padded_);
    invert(action);
  }

  void grow(Action actions) {
    diagonal_.resize(actions * padded_, lambda_);
    inverse_.resize(actions * padded_, 1.0 / lambda_);
    form_.resize(actions);
  }

  void merge(const RidgeDiagonal& other) noexcept {
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
      diagonal_[i] += other.diagonal_[i] - lambda_;
    }
    restored();
  }

  static void state(auto& self, auto&& field) { field("diagonal", self.diagonal_); }
  void restored() noexcept {
    for (std::size_t a = 0; a < form_.size(); ++a) invert(static_cast<Action>(a));
  }

 private:
  void put_squares(Context x) noexcept {
    for (std::size_t i = 0; i < x.size(); ++i) square_[i] = x[i] * x[i];
  }
  void invert(Action action) noexcept {
    const double* diagonal = diagonal_.data() + action * padded_;
    double* inverse = inverse_.data() + action * padded_;
    for (std::size_t i = 0; i < padded_; ++i) inverse[i] = 1.0 / diagonal[i];
  }

  const RidgeKernel* kernel_;
  std::size_t padded_;
  double lambda_;
  AlignedVector<double> diagonal_, inverse_;  // actions x padded
  AlignedVector<double> square_;              // padded
  std::vector<double> form_;
};

}  // namespace sau
