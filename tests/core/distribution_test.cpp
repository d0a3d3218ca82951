// Checks that the draws have the distributions they claim. Seeds are fixed, so every outcome is
// deterministic. Levels were fixed before the first run: with some 60 checks at 1e-4 each, a
// correct generator had a chance of about 0.6 % to fail any of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "sau/core/rng.hpp"
#include "support/normal_cdf.hpp"
#include "support/sanitizer.hpp"

namespace sau {
namespace {

using testing::normal_cdf;

constexpr double kLevel = 1e-4;

// sqrt(n) D has the distribution function 1 - 2 exp(-2 x^2) + ... in the limit (Kolmogorov 1933):
// sqrt(log(2 / 1e-4) / 2).
constexpr double kKolmogorovCritical = 2.2252;

// 4 standard errors: exceeded with probability 6e-5 by a normal variable.
constexpr double kStandardErrors = 4.0;

using DoublePolicy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

// sqrt(n) sup |F_n(x) - F(x)| over x <= limit. Equal draws count as one jump.
template <class Cdf>
double kolmogorov(std::vector<double> draws, Cdf cdf,
                  double limit = std::numeric_limits<double>::infinity()) {
  std::sort(draws.begin(), draws.end());
  const auto n = static_cast<double>(draws.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < draws.size() && draws[i] <= limit;) {
    std::size_t next = i + 1;
    while (next < draws.size() && draws[next] == draws[i]) ++next;
    const double f = cdf(draws[i]);
    distance = std::max({distance, f - static_cast<double>(i) / n,  // the step before and after
                         static_cast<double>(next) / n - f});
    i = next;
  }
  return std::sqrt(n) * distance;
}

// The probability of a chi-square statistic (Pearson) at least as large as the counts give.
double chi_square_p(std::span<const std::uint64_t> counts, std::span<const double> probabilities) {
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), 0ull));
  double statistic = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * probabilities[i];
    EXPECT_GE(expected, 5.0) << "cell " << i << " is too small for the approximation";
    statistic += std::pow(static_cast<double>(counts[i]) - expected, 2) / expected;
  }
  return boost::math::gamma_q(0.5 * static_cast<double>(counts.size() - 1), 0.5 * statistic);
}

double chi_square_p(std::span<const std::uint64_t> counts) {
  const std::vector<double> equal(counts.size(), 1.0 / static_cast<double>(counts.size()));
  return chi_square_p(counts, equal);
}

template <class Draw>
std::vector<double> draw_many(std::size_t count, Draw draw) {
  std::vector<double> draws(count);
  for (double& x : draws) x = draw();
  return draws;
}

// The chi-square test of the draws counted between successive edges; the outer cells are open.
template <class Cdf>
double cells_p(const std::vector<double>& draws, const std::vector<double>& edges, Cdf cdf) {
  std::vector<std::uint64_t> counts(edges.size() + 1);
  for (const double x : draws) {
    ++counts[static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), x) -
                                      edges.begin())];
  }
  std::vector<double> probabilities;
  double below = 0.0;
  for (const double edge : edges) {
    probabilities.push_back(cdf(edge) - below);
    below = cdf(edge);
  }
  probabilities.push_back(1.0 - below);
  return chi_square_p(counts, probabilities);
}

const std::vector<double>& million_normals() {
  static const std::vector<double> kDraws = [] {
    Rng rng({.seed = 101});
    return draw_many(testing::repeats(1'000'000U), [&] { return rng.normal(); });
  }();
  return kDraws;
}

TEST(Uniform, PassesKolmogorovSmirnov) {
  Rng rng({.seed = 1});
  const auto identity = [](double x) { return x; };
  EXPECT_LT(
      kolmogorov(draw_many(testing::repeats(1'000'000U), [&] { return rng.uniform(); }), identity),
      kKolmogorovCritical);
  EXPECT_LT(
      kolmogorov(draw_many(testing::repeats(1'000'000U), [&] { return rng.uniform_positive(); }),
                 identity),
      kKolmogorovCritical);
}

TEST(Uniform, EveryByteOfTheWordPassesChiSquare) {
  Rng rng({.seed = 2});
  std::array<std::array<std::uint64_t, 256>, 8> counts{};
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t word = rng.bits();
    for (std::size_t byte = 0; byte < 8; ++byte) ++counts[byte][(word >> (8 * byte)) & 255];
  }
  for (std::size_t byte = 0; byte < 8; ++byte)
    EXPECT_GT(chi_square_p(counts[byte]), kLevel) << byte;
}

TEST(Uniform, NeighboursInAStreamAndAcrossTrialsAreIndependent) {
  std::vector<std::uint64_t> in_stream(256);
  std::vector<std::uint64_t> across(256);
  Rng rng({.seed = 3});
  for (std::uint64_t i = 0; i < 500'000; ++i) {
    const std::uint64_t first = rng.below(16);
    ++in_stream[16 * first + rng.below(16)];
    if (i % 5 == 0) {
      Rng left({.seed = 3, .trial = i});
      Rng right({.seed = 3, .trial = i + 1});
      ++across[16 * left.below(16) + right.below(16)];
    }
  }
  EXPECT_GT(chi_square_p(in_stream), kLevel);
  EXPECT_GT(chi_square_p(across), kLevel);
}

TEST(Below, PassesChiSquare) {
  Rng rng({.seed = 4});
  for (const std::uint64_t n : {2u, 3u, 7u, 10u}) {
    std::vector<std::uint64_t> counts(n);
    for (int i = 0; i < 200'000; ++i) ++counts[rng.below(n)];
    EXPECT_GT(chi_square_p(counts), kLevel) << n;
  }
}

// Without rejection every third value below 3 2^62 would come twice as often as the others.
TEST(Below, IsUnbiasedForHugeBounds) {
  Rng rng({.seed = 5});
  std::vector<std::uint64_t> residues(3);
  for (int i = 0; i < 200'000; ++i) ++residues[rng.below(3ull << 62) % 3];
  EXPECT_GT(chi_square_p(residues), kLevel);

  for (const std::uint64_t n : {(1ull << 63) - 1, 1ull << 63, (1ull << 63) + 1}) {
    std::vector<std::uint64_t> tenths(10);
    for (int i = 0; i < 100'000; ++i) ++tenths[rng.below(n) / (n / 10 + 1)];
    EXPECT_GT(chi_square_p(tenths), kLevel) << n;
  }
}

TEST(Below, TakesTwoWordsOnAverageJustAboveHalfTheRange) {
  Rng rng({.seed = 6});
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) rng.below((1ull << 63) + 1);
  // Geometric with p = 1/2: mean 2, variance 2.
  EXPECT_NEAR(static_cast<double>(rng.position()) / kDraws, 2.0,
              kStandardErrors * std::sqrt(2.0 / kDraws));
}

TEST(Shuffle, EveryOrderIsEquallyLikely) {
  Rng rng({.seed = 7});
  for (const std::size_t n : {3u, 4u}) {
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::vector<int>> orders;
    do orders.push_back(order);
    while (std::next_permutation(order.begin(), order.end()));
    std::vector<std::uint64_t> counts(orders.size());
    for (int i = 0; i < 240'000; ++i) {
      order = orders[0];
      rng.shuffle(std::span<int>(order));
      ++counts[static_cast<std::size_t>(std::lower_bound(orders.begin(), orders.end(), order) -
                                        orders.begin())];
    }
    EXPECT_GT(chi_square_p(counts), kLevel) << n;
  }
}

TEST(Normal, PassesKolmogorovSmirnov) {
  EXPECT_LT(kolmogorov(million_normals(), normal_cdf), kKolmogorovCritical);
}

TEST(Normal, HasTheFirstFourMoments) {
  std::array<double, 5> sums{};
  for (const double x : million_normals()) {
    for (std::size_t power = 1; power <= 4; ++power) sums[power] += std::pow(x, power);
  }
  const auto n = static_cast<double>(million_normals().size());
  // E x^k = 0, 1, 0, 3; Var x^k = E x^2k - (E x^k)^2 = 1, 2, 15, 105 - 9.
  EXPECT_NEAR(sums[1] / n, 0.0, kStandardErrors * std::sqrt(1.0 / n));
  EXPECT_NEAR(sums[2] / n, 1.0, kStandardErrors * std::sqrt(2.0 / n));
  EXPECT_NEAR(sums[3] / n, 0.0, kStandardErrors * std::sqrt(15.0 / n));
  EXPECT_NEAR(sums[4] / n, 3.0, kStandardErrors * std::sqrt(96.0 / n));
}

TEST(Normal, SuccessiveDrawsAreIndependent) {
  const std::vector<double>& draws = million_normals();
  double product = 0.0;
  std::vector<std::uint64_t> pairs(256);
  const auto cell = [](double x) { return static_cast<std::size_t>(16.0 * normal_cdf(x)); };
  for (std::size_t i = 0; i + 1 < draws.size(); ++i) {
    product += draws[i] * draws[i + 1];
    if (i % 2 == 0) ++pairs[16 * cell(draws[i]) + cell(draws[i + 1])];
  }
  // The products are uncorrelated and have variance 1.
  EXPECT_LT(std::fabs(product), kStandardErrors * std::sqrt(static_cast<double>(draws.size() - 1)));
  EXPECT_GT(chi_square_p(pairs), kLevel);
}

// Errors of a ziggurat show at the edges of its layers, so there are two cells per layer and sign.
TEST(Normal, FillsEveryLayerEquallyOnBothSides) {
  std::vector<double> edges;
  for (std::size_t i = detail::kZigguratSize; i-- > 1;) {
    const double edge = detail::kZigguratLayers[i].width * 0x1p53;
    edges.push_back(0.5 * (edge + (edges.empty() ? 0.0 : edges.back())));
    edges.push_back(edge);
  }
  const std::size_t half = edges.size();
  for (std::size_t i = 0; i < half; ++i) edges.push_back(-edges[i]);
  edges.push_back(0.0);
  std::sort(edges.begin(), edges.end());
  Rng rng({.seed = 102});
  const auto draws = draw_many(testing::repeats(5'000'000U), [&] { return rng.normal(); });
  EXPECT_GT(cells_p(draws, edges, normal_cdf), kLevel);
  const auto positive = std::count_if(draws.begin(), draws.end(), [](double x) { return x > 0; });
  const auto n = static_cast<double>(draws.size());
  EXPECT_NEAR(static_cast<double>(positive), 0.5 * n, kStandardErrors * std::sqrt(n / 4.0));
}

TEST(Normal, HasTheRightTails) {
  constexpr double kDraws = testing::repeats(6e7);
  const double start = detail::kZigguratTail;
  const std::array<double, 3> limits{3.0, start, 4.5};
  std::array<std::array<double, 2>, 3> counts{};
  std::vector<double> tail;
  Rng rng({.seed = 103});
  for (int i = 0; i < static_cast<int>(kDraws); ++i) {
    const double x = rng.normal();
    if (std::fabs(x) <= limits[0]) continue;
    for (std::size_t j = 0; j < 3; ++j) counts[j][x > 0.0] += std::fabs(x) > limits[j];
    if (std::fabs(x) > start) tail.push_back(std::fabs(x));
  }
  for (std::size_t j = 0; j < 3; ++j) {
    const double expected = kDraws * normal_cdf(-limits[j]);  // binomial, nearly Poisson
    EXPECT_NEAR(counts[j][0], expected, kStandardErrors * std::sqrt(expected)) << -limits[j];
    EXPECT_NEAR(counts[j][1], expected, kStandardErrors * std::sqrt(expected)) << limits[j];
  }
  const double beyond = normal_cdf(-start);
  const auto cdf = [&](double x) { return 1.0 - normal_cdf(-x) / beyond; };
  EXPECT_LT(kolmogorov(tail, cdf), kKolmogorovCritical);
  // Given x > r: mean m = f(r) / (1 - F(r)), variance 1 + r m - m^2.
  const double mean = std::exp(-0.5 * start * start) / std::sqrt(2.0 * std::numbers::pi) / beyond;
  const auto n = static_cast<double>(tail.size());
  EXPECT_NEAR(std::accumulate(tail.begin(), tail.end(), 0.0) / n, mean,
              kStandardErrors * std::sqrt((1.0 + start * mean - mean * mean) / n));
}

TEST(Normal, NearlyAlwaysTakesOneWord) {
  Rng rng({.seed = 104});
  std::uint64_t single = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t before = rng.position();
    rng.normal();
    single += rng.position() == before + 1;
  }
  double expected = 0.0;  // the mean share of a layer that lies under the next one
  for (const auto& layer : detail::kZigguratLayers) expected += static_cast<double>(layer.edge);
  expected *= 0x1p-53 / detail::kZigguratSize;
  EXPECT_GT(expected, 0.985);
  EXPECT_NEAR(static_cast<double>(single) / 1e6, expected,
              kStandardErrors * std::sqrt(expected * (1.0 - expected) / 1e6));
}

TEST(Gamma, PassesKolmogorovSmirnov) {
  Rng rng({.seed = 201});
  for (const double shape : {0.05, 0.5, 1.0, 1.5, 3.0, 30.0, 1e4}) {
    const auto cdf = [&](double x) { return boost::math::gamma_p(shape, x, DoublePolicy()); };
    const GammaShape prepared(shape);
    EXPECT_LT(
        kolmogorov(draw_many(testing::repeats(100'000U), [&] { return rng.gamma(prepared); }), cdf),
        kKolmogorovCritical)
        << shape;
  }
}

// Nearly half the values are below the smallest double, so the test uses cells.
TEST(Gamma, IsRightForATinyShape) {
  Rng rng({.seed = 202});
  const auto cdf = [](double x) { return boost::math::gamma_p(1e-3, x); };
  EXPECT_GT(cells_p(draw_many(200'000, [&] { return rng.gamma(1e-3); }),
                    {1e-300, 1e-200, 1e-100, 1e-30, 1e-10, 1e-3, 0.1}, cdf),
            kLevel);
}

// Uses cells, cut at multiples of the standard deviation: the reference function is slow here.
TEST(Gamma, IsRightForAHugeShape) {
  Rng rng({.seed = 203});
  const auto cdf = [](double x) { return boost::math::gamma_p(1e9, x); };
  std::vector<double> edges;
  for (double z = -3.0; z <= 3.0; z += 0.5) edges.push_back(1e9 + z * std::sqrt(1e9));
  EXPECT_GT(cells_p(draw_many(200'000, [&] { return rng.gamma(1e9); }), edges, cdf), kLevel);
}

// The quick test must accept only what the exact one accepts: 1 - s x^4 <= exp(h(x)).
TEST(Gamma, SqueezeIsBelowTheExactAcceptance) {
  for (double shape = 1.0; shape < 1e6; shape *= 1.01) {
    const GammaShape prepared(shape);
    for (double t = -0.9995; t < 1.0; t += 0.001) {
      const double x = t / prepared.c;
      const double h = prepared.d * (3.0 * (std::log1p(t) - t + 0.5 * t * t) - t * t * t);
      ASSERT_LE(1.0 - prepared.squeeze * std::pow(x, 4), std::exp(h) + 1e-12) << shape << ' ' << t;
    }
  }
}

TEST(Beta, PassesKolmogorovSmirnov) {
  Rng rng({.seed = 301});
  constexpr std::array<std::pair<double, double>, 7> kShapes{
      {{1.0, 1.0}, {0.5, 0.5}, {2.0, 5.0}, {300.0, 700.0}, {1e5, 1.0}, {0.3, 4.0}, {4.0, 0.3}}};
  for (const auto& [a, b] : kShapes) {
    const auto cdf = [a = a, b = b](double x) {
      return boost::math::ibeta(a, b, x, DoublePolicy());
    };
    const BetaShape prepared(a, b);
    EXPECT_LT(
        kolmogorov(draw_many(testing::repeats(100'000U), [&] { return rng.beta(prepared); }), cdf),
        kKolmogorovCritical)
        << a << ", " << b;
  }
}

TEST(Beta, IsRightForHugeShapes) {
  Rng rng({.seed = 304});
  const auto cdf = [](double x) { return boost::math::ibeta(1e9, 1e9, x); };
  std::vector<double> edges;  // the variance is 1 / (4 (2e9 + 1))
  for (double z = -3.0; z <= 3.0; z += 0.5) edges.push_back(0.5 + 0.5 * z / std::sqrt(2e9 + 1.0));
  EXPECT_GT(cells_p(draw_many(200'000, [&] { return rng.beta(1e9, 1e9); }), edges, cdf), kLevel);
}

// Much of the mass rounds to 1, where the distribution function of the exact variable does not
// apply. So the distance is taken up to 1/2, with the shapes in both orders, and cells cover the
// rest.
TEST(Beta, IsRightForTinyShapes) {
  Rng rng({.seed = 302});
  constexpr std::array<std::pair<double, double>, 3> kShapes{
      {{0.01, 0.02}, {0.02, 0.01}, {0.02, 0.02}}};
  for (const auto& [a, b] : kShapes) {
    const auto cdf = [a = a, b = b](double x) { return boost::math::ibeta(a, b, x); };
    const auto draws = draw_many(200'000, [&, a = a, b = b] { return rng.beta(a, b); });
    EXPECT_LT(kolmogorov(draws, cdf, 0.5), kKolmogorovCritical) << a << ", " << b;
    EXPECT_GT(cells_p(draws, {1e-200, 1e-50, 1e-10, 1e-3, 0.5, 1.0 - 1e-3, 1.0 - 1e-10}, cdf),
              kLevel)
        << a << ", " << b;
  }
}

}  // namespace
}  // namespace sau
