#include "sau/core/rng.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/philox.hpp"

namespace sau {

void Rng::refill() noexcept {
  static_assert(kBuffer == kBlock * detail::kPhiloxBlocks);
  // The buffer is empty, so end_ is the position; it may lie inside a block after seek().
  next_ = end_ % kBlock;
  detail::philox(stream_, end_ / kBlock, words_.data());
  end_ += kBuffer - next_;
}

double Rng::normal_beyond_edge(std::size_t layer, double x) noexcept {
  if (layer == 0) {
    // Exponential envelope of the tail (Marsaglia 1964).
    for (;;) {
      const double excess = -std::log(uniform_positive()) / detail::kZigguratTail;
      const double bound = -std::log(uniform_positive());
      if (2.0 * bound >= excess * excess) {
        return std::copysign(detail::kZigguratTail + excess, x);
      }
    }
  }
  const double low = detail::kZigguratHeights[layer];
  const double high = detail::kZigguratHeights[layer + 1];
  if (low + uniform() * (high - low) < std::exp(-0.5 * x * x)) return x;
  return normal();
}

// For d >= 2/3: x normal, v = (1 + c x)^3, accepted with probability exp(h),
// h = x^2 / 2 + d (1 - v + log v)  (Marsaglia & Tsang 2000, section 2). In t = c x, with
// 9 d c^2 = 1, h = d (3 (log1p(t) - t + t^2 / 2) - t^3), which does not cancel when d is huge.
inline double Rng::gamma_from_one(const GammaShape& shape) noexcept {
  for (;;) {
    const double x = normal();
    const double t = shape.c * x;
    const double root = 1.0 + t;
    if (root <= 0.0) continue;
    const double draw = shape.d * (root * root * root);
    const double u = uniform_positive();
    const double x2 = x * x;
    if (u <= 1.0 - shape.squeeze * (x2 * x2)) return draw;
    const double h = shape.d * (3.0 * (std::log1p(t) - t + 0.5 * t * t) - t * t * t);
    if (std::log(u) <= h) return draw;
  }
}

// Gamma(a) = Gamma(a + 1) U^(1/a)  (Marsaglia & Tsang 2000, section 6).
double Rng::gamma(const GammaShape& shape) noexcept {
  const double draw = gamma_from_one(shape);
  if (shape.inverse == 0.0) return draw;
  return draw * std::exp(std::log(uniform_positive()) * shape.inverse);
}

// The logarithm of what gamma() would return for a shape below 1; it does not underflow.
inline double Rng::log_gamma_draw(const GammaShape& shape) noexcept {
  const double draw = gamma_from_one(shape);
  return std::log(draw) + std::log(uniform_positive()) * shape.inverse;
}

// X / (X + Y) with X and Y gamma. Both can underflow only when both shapes are below 1.
double Rng::beta(const BetaShape& shape) noexcept {
  if (shape.a.inverse == 0.0 || shape.b.inverse == 0.0) {
    const double x = gamma(shape.a);
    const double y = gamma(shape.b);
    return x / (x + y);
  }
  const double log_x = log_gamma_draw(shape.a);
  const double log_y = log_gamma_draw(shape.b);
  const double ratio = std::exp(-std::fabs(log_x - log_y));
  return (log_x < log_y ? ratio : 1.0) / (1.0 + ratio);
}

}  // namespace sau
