#include "sau/core/rng.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sau {
namespace {

struct Block {
  std::uint64_t w0, w1, w2, w3;
};

// Ten rounds of Philox4x64 under the key {key, 0}; the constants are those of Salmon et al. (2011).
inline Block philox(Block counter, std::uint64_t key) noexcept {
  auto [w0, w1, w2, w3] = counter;
  std::uint64_t key0 = key;
  std::uint64_t key1 = 0;
  for (int round = 0; round < 10; ++round) {
    const auto product0 = detail::Uint128{0xD2E7470EE14C6C93} * w0;
    const auto product2 = detail::Uint128{0xCA5A826395121157} * w2;
    w0 = static_cast<std::uint64_t>(product2 >> 64) ^ w1 ^ key0;
    w1 = static_cast<std::uint64_t>(product2);
    w2 = static_cast<std::uint64_t>(product0 >> 64) ^ w3 ^ key1;
    w3 = static_cast<std::uint64_t>(product0);
    key0 += 0x9E3779B97F4A7C15;
    key1 += 0xBB67AE8584CAA73B;
  }
  return {w0, w1, w2, w3};
}

}  // namespace

void Rng::refill() noexcept {
  // The buffer is empty, so end_ is the position; it may lie inside a block after seek().
  next_ = end_ % kBlock;
  end_ -= next_;
  // Blocks do not depend on each other: the processor overlaps them by itself, and interleaving
  // them by hand was measured to gain nothing.
  for (std::uint64_t i = 0; i < kBuffer; i += kBlock, end_ += kBlock) {
    const Block out = philox(
        {end_ / kBlock, stream_.trial, stream_.scope, static_cast<std::uint64_t>(stream_.role)},
        stream_.seed);
    words_[i] = out.w0;
    words_[i + 1] = out.w1;
    words_[i + 2] = out.w2;
    words_[i + 3] = out.w3;
  }
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
