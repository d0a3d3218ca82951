#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "sau/core/error.hpp"

namespace sau {

// What a stream is used for. Streams of different roles never overlap.
enum class Role : std::uint64_t {
  kProblem = 0,
  kAgent = 1,
  kModel = 2,
  kSetup = 3,
  kServe = 4,
  kLate = 5
};

// The name of a random stream. Every draw is a pure function of this name and its index.
struct Stream {
  std::uint64_t seed = 0;
  std::uint64_t trial = 0;
  std::uint64_t scope = 0;  // hash of the specs that the stream belongs to
  Role role = Role::kProblem;

  bool operator==(const Stream&) const = default;
  Stream with(Role other) const noexcept { return {seed, trial, scope, other}; }
};

namespace detail {

__extension__ using Uint128 = unsigned __int128;

// One layer of the ziggurat, from the bottom. Multiples of 2^-53 of the layer's width x_i are
// drawn; those below `edge` lie under the layer above and need no further test.
struct ZigguratLayer {
  double width;        // x_i / 2^53
  std::uint64_t edge;  // 2^53 x_{i+1} / x_i, rounded down to an even number
};

inline constexpr std::size_t kZigguratSize = 256;
extern const ZigguratLayer kZigguratLayers[kZigguratSize];
extern const double kZigguratHeights[kZigguratSize + 1];  // exp(-x_i^2 / 2); the last is 1
extern const double kZigguratTail;                        // x_1, where the tail starts

}  // namespace detail

// A gamma shape (> 0, at most 1e300) with the constants of Marsaglia & Tsang (2000) worked out, so
// that a draw costs no square root and no division.
struct GammaShape {
  explicit GammaShape(double shape) noexcept
      : d((shape < 1.0 ? shape + 1.0 : shape) - 1.0 / 3.0),
        c(1.0 / std::sqrt(9.0 * d)),
        squeeze(kSqueeze / d),
        inverse(shape < 1.0 ? std::fmin(1.0 / shape, kMaxInverse) : 0.0) {
    SAU_ASSERT(shape > 0.0 && shape <= 1e300, "a gamma shape is positive and finite");
  }

  // The paper accepts without logarithms when u < 1 - 0.0331 x^4, which is tight at d = 2/3 only.
  // Beyond that the tight factor falls a little faster than 1/d, so 0.0331 (2/3) / d is safe for
  // every d. It changes no draw, and for large d it nearly always saves the two logarithms.
  static constexpr double kSqueeze = 0.0331 * 2.0 / 3.0;
  static constexpr double kMaxInverse = 1e300;  // keeps log(u) * inverse finite

  double d;
  double c;
  double squeeze;
  double inverse;  // 1 / shape when shape < 1, where a draw of shape + 1 is scaled down; else 0
};

struct BetaShape {
  BetaShape(double alpha, double beta) noexcept : a(alpha), b(beta) {}

  GammaShape a;
  GammaShape b;
};

// Random numbers of one stream: Philox4x64-10 (Salmon et al. 2011), key = {seed, 0}, counter =
// {block index, trial, scope, role}. The stream and the position are the whole state: an Rng
// rebuilt from them continues identically. Cheap to construct; nothing is computed before the
// first draw. Streams repeat after 2^64 words.
class Rng {
 public:
  explicit Rng(const Stream& stream, std::uint64_t position = 0) noexcept
      : stream_(stream), end_(position) {}

  const Stream& stream() const noexcept { return stream_; }

  // The number of 64-bit words drawn since the start of the stream.
  std::uint64_t position() const noexcept { return end_ - (kBuffer - next_); }

  void seek(std::uint64_t position) noexcept {
    end_ = position;
    next_ = kBuffer;
  }

  std::uint64_t bits() noexcept {
    if (next_ == kBuffer) [[unlikely]]
      refill();
    return words_[next_++];
  }

  // A multiple of 2^-53 in [0, 1).
  double uniform() noexcept { return static_cast<double>(bits53()) * 0x1p-53; }

  // A multiple of 2^-53 in (0, 1]: safe to take the logarithm of.
  double uniform_positive() noexcept { return static_cast<double>(bits53() + 1) * 0x1p-53; }

  // Uniform in {0, ..., n - 1}, without bias; n >= 1 (Lemire 2019, algorithm 5).
  std::uint64_t below(std::uint64_t n) noexcept {
    SAU_ASSERT(n >= 1, "there is no number below 0");
    auto product = detail::Uint128{bits()} * n;
    if (static_cast<std::uint64_t>(product) < n) [[unlikely]] {
      const std::uint64_t uneven = (0 - n) % n;  // 2^64 mod n
      while (static_cast<std::uint64_t>(product) < uneven) product = detail::Uint128{bits()} * n;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  // Standard normal by the ziggurat (Marsaglia & Tsang 2000). The layer, and the sign and place
  // within it, come from disjoint bits of the word: shared bits would correlate them (Doornik
  // 2005).
  double normal() noexcept {
    const std::uint64_t word = bits();
    const std::size_t layer = word % detail::kZigguratSize;
    // Odd, so the signs are symmetric and zero is left out; 54 bits, so it is exact in a double.
    const std::int64_t place = (static_cast<std::int64_t>(word) >> 10) | 1;
    const double x = static_cast<double>(place) * detail::kZigguratLayers[layer].width;
    const std::uint64_t edge = detail::kZigguratLayers[layer].edge;
    if (static_cast<std::uint64_t>(place) + edge < 2 * edge) [[likely]]  // -edge < place < edge
      return x;
    return normal_beyond_edge(layer, x);
  }

  // Gamma with unit scale. A true value below the smallest double, usual when the shape is tiny, is
  // returned as 0.
  double gamma(double shape) noexcept { return gamma(GammaShape(shape)); }
  double gamma(const GammaShape& shape) noexcept;

  // In [0, 1]; the ends are reached only by rounding, so in practice with tiny shapes.
  double beta(double a, double b) noexcept { return beta(BetaShape(a, b)); }
  double beta(const BetaShape& shape) noexcept;

  // Puts the items in an order drawn uniformly from all orders (Fisher-Yates); size - 1 draws.
  template <class T>
  void shuffle(std::span<T> items) noexcept {
    for (std::size_t left = items.size(); left > 1; --left) {
      using std::swap;
      swap(items[left - 1], items[below(left)]);
    }
  }

 private:
  // One call of the vectorised generator makes eight blocks.
  static constexpr std::uint64_t kBlock = 4;
  static constexpr std::uint64_t kBuffer = 8 * kBlock;

  std::int64_t bits53() noexcept { return static_cast<std::int64_t>(bits() >> 11); }

  void refill() noexcept;
  double normal_beyond_edge(std::size_t layer, double x) noexcept;
  double gamma_from_one(const GammaShape& shape) noexcept;
  double log_gamma_draw(const GammaShape& shape) noexcept;

  Stream stream_;
  std::uint64_t end_;             // the position once the buffer is used up
  std::uint64_t next_ = kBuffer;  // index of the next word in the buffer
  std::array<std::uint64_t, kBuffer> words_{};
};

}  // namespace sau
