#include "sau/core/rng.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "core/philox.hpp"

namespace sau {
namespace {

using Words = std::array<std::uint64_t, 4>;

// Philox4x64-10 as in Salmon et al. (2011), for any key; the oracle for Rng.
Words philox_oracle(Words counter, std::array<std::uint64_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const auto first = detail::Uint128{0xD2E7470EE14C6C93} * counter[0];
    const auto second = detail::Uint128{0xCA5A826395121157} * counter[2];
    counter = {static_cast<std::uint64_t>(second >> 64) ^ counter[1] ^ key[0],
               static_cast<std::uint64_t>(second),
               static_cast<std::uint64_t>(first >> 64) ^ counter[3] ^ key[1],
               static_cast<std::uint64_t>(first)};
    key[0] += 0x9E3779B97F4A7C15;  // golden ratio
    key[1] += 0xBB67AE8584CAA73B;  // sqrt(3) - 1
  }
  return counter;
}

std::vector<std::uint64_t> take(Rng rng, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  for (std::uint64_t& word : words) word = rng.bits();
  return words;
}

// One of every kind of draw, chosen by step, so that draws use different numbers of words.
double mixed_draw(Rng& rng, int step) {
  switch (step % 7) {
    case 0:
      return rng.normal();
    case 1:
      return rng.uniform();
    case 2:
      return static_cast<double>(rng.below(1000));
    case 3:
      return rng.gamma(1.5);
    case 4:
      return rng.beta(0.3, 0.4);
    case 5:
      return rng.uniform_positive();
    default:
      return rng.gamma(0.2);
  }
}

// The vectors published with Random123 (kat_vectors, philox4x64 10).
TEST(PhiloxOracle, GivesThePublishedAnswers) {
  EXPECT_EQ(philox_oracle({0, 0, 0, 0}, {0, 0}), (Words{0x16554d9eca36314c, 0xdb20fe9d672d0fdc,
                                                        0xd7e772cee186176b, 0x7e68b68aec7ba23b}));
  EXPECT_EQ(
      philox_oracle({~0ull, ~0ull, ~0ull, ~0ull}, {~0ull, ~0ull}),
      (Words{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}));
  EXPECT_EQ(
      philox_oracle(
          {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
          {0x452821e638d01377, 0xbe5466cf34e90c6c}),
      (Words{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}));
}

TEST(Rng, FirstBlockIsTheKnownAnswer) {
  // Agrees with NumPy's Philox with its counter set to all ones: NumPy increments it before use.
  EXPECT_EQ(take(Rng({.seed = 12345}), 4),
            (std::vector<std::uint64_t>{7386187461004060729u, 6072199406495932739u,
                                        454147532797423872u, 6155246410477371369u}));
}

TEST(Rng, WordsMatchTheOracle) {
  const Stream stream{.seed = 0xfeedbeef, .trial = 17, .scope = ~0ull, .role = Role::kServe};
  const std::vector<std::uint64_t> words = take(Rng(stream), 403);
  for (std::uint64_t i = 0; i < words.size(); ++i) {
    const Words block = philox_oracle({i / 4, 17, ~0ull, 4}, {0xfeedbeef, 0});
    ASSERT_EQ(words[i], block[i % 4]) << "word " << i;
  }
}

#if defined(__x86_64__)
TEST(Philox, EveryKernelGivesTheSameWords) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this processor has no AVX2";
  Rng draw(Stream{.seed = 3, .trial = 1, .scope = 4, .role = Role::kSetup});
  for (int i = 0; i < 1000; ++i) {
    const Stream stream{draw.bits(), draw.bits(), draw.bits(), Role::kModel};
    // Every fourth round is near the end of the counter, where it wraps.
    const std::uint64_t first = i % 4 == 0 ? ~std::uint64_t{0} - draw.below(9) : draw.bits();
    std::array<std::uint64_t, 4 * detail::kPhiloxBlocks> portable{}, avx2{};
    detail::philox_portable(stream, first, portable.data());
    detail::philox_avx2(stream, first, avx2.data());
    ASSERT_EQ(portable, avx2);
  }
}
#endif

TEST(Rng, StreamsOfDifferentNamesDiffer) {
  const Stream base{.seed = 1, .trial = 2, .scope = 3, .role = Role::kAgent};
  Stream seed = base;
  Stream trial = base;
  Stream scope = base;
  seed.seed = 9;
  trial.trial = 9;
  scope.scope = 9;
  const std::vector<Stream> streams{base,
                                    seed,
                                    trial,
                                    scope,
                                    base.with(Role::kProblem),
                                    base.with(Role::kModel),
                                    base.with(Role::kSetup),
                                    base.with(Role::kServe)};
  for (std::size_t i = 0; i < streams.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto left = take(Rng(streams[i]), 64);
      const auto right = take(Rng(streams[j]), 64);
      for (std::size_t k = 0; k < left.size(); ++k) EXPECT_NE(left[k], right[k]) << i << ' ' << j;
    }
  }
}

TEST(Rng, SeekEqualsHavingDrawn) {
  const Stream stream{.seed = 5, .trial = 1};
  const std::vector<std::uint64_t> words = take(Rng(stream), 100);
  Rng moving(stream);
  for (std::uint64_t p = 0; p < 60; ++p) {
    moving.seek(p);
    EXPECT_EQ(moving.position(), p);
    Rng fresh(stream, p);
    EXPECT_EQ(fresh.position(), p);
    for (std::uint64_t i = p; i < 100; ++i) {
      ASSERT_EQ(moving.bits(), words[i]) << "sought " << p;
      ASSERT_EQ(fresh.bits(), words[i]) << "built at " << p;
      ASSERT_EQ(moving.position(), i + 1);
    }
  }
}

TEST(Rng, PositionsFarOutAndPastTheEndAreExact) {
  const Stream stream{.seed = 5};
  const std::uint64_t far = 0x123456789abcdef1;
  EXPECT_EQ(Rng(stream, far).bits(), philox_oracle({far / 4, 0, 0, 0}, {5, 0})[far % 4]);

  Rng wrapping(stream, ~0ull - 1);
  wrapping.bits();
  wrapping.bits();
  EXPECT_EQ(wrapping.position(), 0u);
  EXPECT_EQ(take(wrapping, 40), take(Rng(stream), 40));
}

TEST(Rng, StreamAndPositionAreTheWholeState) {
  Rng rng({.seed = 8, .trial = 3, .scope = 2, .role = Role::kModel});
  for (int step = 0; step < 2000; ++step) {
    Rng restored(rng.stream(), rng.position());
    Rng copied = rng;
    for (int ahead = 0; ahead < 10; ++ahead) {
      const double expected = mixed_draw(copied, step + ahead);
      ASSERT_EQ(mixed_draw(restored, step + ahead), expected) << step << " + " << ahead;
    }
    ASSERT_EQ(restored.position(), copied.position());
    mixed_draw(rng, step);
  }
}

TEST(Rng, UniformsUseTheTop53Bits) {
  const Stream stream{.seed = 12345};
  const std::uint64_t top = 7386187461004060729u >> 11;
  EXPECT_EQ(Rng(stream).uniform(), std::ldexp(static_cast<double>(top), -53));
  EXPECT_EQ(Rng(stream).uniform_positive(), std::ldexp(static_cast<double>(top + 1), -53));
}

TEST(Rng, BelowStaysBelow) {
  Rng rng({.seed = 21});
  for (const std::uint64_t n : {1ull, 2ull, 3ull, 1ull << 32, (1ull << 63) + 1, ~0ull}) {
    for (int i = 0; i < 1000; ++i) ASSERT_LT(rng.below(n), n);
  }
}

TEST(Rng, BelowOneTakesOneWord) {
  Rng rng({.seed = 21});
  EXPECT_EQ(rng.below(1), 0u);
  EXPECT_EQ(rng.position(), 1u);
}

TEST(Rng, ShuffleOfNothingOrOneDrawsNothing) {
  Rng rng({.seed = 22});
  std::array<int, 1> one{7};
  rng.shuffle(std::span<int>());
  rng.shuffle(std::span<int>(one));
  EXPECT_EQ(one[0], 7);
  EXPECT_EQ(rng.position(), 0u);
}

TEST(Rng, ZigguratLayersHaveEqualAreasAndMatchingEdges) {
  const auto x = [](std::size_t i) {
    return i < detail::kZigguratSize ? detail::kZigguratLayers[i].width * 0x1p53 : 0.0;
  };
  const double r = detail::kZigguratTail;
  const double area = r * std::exp(-0.5 * r * r) +
                      std::sqrt(0.5 * std::numbers::pi) * std::erfc(r / std::numbers::sqrt2);
  EXPECT_NEAR(r, 3.6541528853610088, 1e-15);  // Marsaglia & Tsang 2000
  EXPECT_DOUBLE_EQ(x(1), r);
  EXPECT_NEAR(x(0) * detail::kZigguratHeights[1], area, 1e-15);
  for (std::size_t i = 0; i <= detail::kZigguratSize; ++i) {
    EXPECT_NEAR(detail::kZigguratHeights[i], std::exp(-0.5 * x(i) * x(i)), 1e-15) << i;
    if (i == detail::kZigguratSize) break;
    const std::uint64_t edge = detail::kZigguratLayers[i].edge;
    EXPECT_NEAR(static_cast<double>(edge) * 0x1p-53, x(i + 1) / x(i), 1e-15) << i;
    EXPECT_EQ(edge % 2, 0u) << i;
    const double height = detail::kZigguratHeights[i + 1] - detail::kZigguratHeights[i];
    if (i > 0) {
      EXPECT_NEAR(x(i) * height, area, 1e-15) << i;
    }
  }
}

TEST(Rng, BetaStaysInTheUnitIntervalForExtremeShapes) {
  Rng rng({.seed = 303});
  constexpr std::array<double, 7> kShapes{1e-310, 1e-100, 1e-3, 0.999, 1.0, 1e9, 1e300};
  for (const double a : kShapes) {
    for (const double b : kShapes) {
      for (int i = 0; i < 1000; ++i) {
        const double x = rng.beta(a, b);
        ASSERT_TRUE(x >= 0.0 && x <= 1.0) << a << ", " << b << " gave " << x;
      }
    }
  }
}

// The numbers below were computed by this code after distribution_test.cpp had passed. They reveal
// changes, not mistakes. Nearly equal is enough, since libraries round exp and log differently.
TEST(Rng, NormalsAreUnchanged) {
  Rng rng({.seed = 1, .trial = 2, .scope = 3, .role = Role::kAgent});
  for (const double expected : {1.5692159821182241, -0.7710147156881102, -0.2205284579299458,
                                -0.83389673918924623, 1.9107346154823246, -1.0164604800798547})
    EXPECT_DOUBLE_EQ(rng.normal(), expected);
  double sum = 0.0;
  for (int i = 0; i < 100'000; ++i) sum += rng.normal();
  EXPECT_NEAR(sum, 479.72671039935489, 1e-8);
  EXPECT_EQ(rng.position(), 102226u);
}

TEST(Rng, GammasAreUnchanged) {
  Rng rng({.seed = 1, .trial = 2, .scope = 3, .role = Role::kModel});
  constexpr std::array<std::array<double, 3>, 5> kExpected{
      {{0.05, 4.0435749179792805e-11, 1.5311993062417631e-10},
       {0.5, 1.2217615139576965, 0.33291514590996257},
       {1, 0.35132970723109064, 2.6809132193330938},
       {3, 1.1542340568556231, 3.4963499182221689},
       {10000, 10003.166278882471, 9967.8938640388133}}};
  for (const auto& [shape, first, second] : kExpected) {
    EXPECT_DOUBLE_EQ(rng.gamma(shape), first) << shape;
    EXPECT_DOUBLE_EQ(rng.gamma(GammaShape(shape)), second) << shape;
  }
}

TEST(Rng, BetasAreUnchanged) {
  Rng rng({.seed = 1, .trial = 2, .scope = 3, .role = Role::kSetup});
  constexpr std::array<std::array<double, 4>, 4> kExpected{
      {{0.01, 0.02, 1.051160078809782e-61, 1},
       {0.5, 0.5, 0.90873357009460742, 0.6330589710811374},
       {2, 5, 0.21846985209090286, 0.17818331792523878},
       {300, 700, 0.32705625304727487, 0.28094844784182571}}};
  for (const auto& [a, b, first, second] : kExpected) {
    EXPECT_DOUBLE_EQ(rng.beta(a, b), first) << a << ", " << b;
    EXPECT_DOUBLE_EQ(rng.beta(BetaShape(a, b)), second) << a << ", " << b;
  }
}

}  // namespace
}  // namespace sau
