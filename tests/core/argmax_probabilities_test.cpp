#include "sau/core/argmax_probabilities.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/argmax_reference.hpp"
#include "support/normal_cdf.hpp"
#include "support/sanitizer.hpp"
#include "support/test_paths.hpp"

namespace sau {
namespace {

using testing::normal_cdf;

constexpr double kTolerance = 1e-9;  // as the header promises

template <class Marginal>
std::vector<double> probabilities(const std::vector<Marginal>& marginals) {
  std::vector<double> out(marginals.size(), -1.0);
  argmax_probabilities(std::span<const Marginal>(marginals), out);
  double sum = 0.0;
  for (const double p : out) {
    EXPECT_GE(p, 0.0);
    sum += p;
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
  return out;
}

// P(X > Y) for X ~ Beta(a, b) with an integer a, Y ~ Beta(c, d):
//     sum over i < a of  B(c + i, b + d) / ((b + i) B(1 + i, b) B(c, d)),
// by the finite sum for the distribution function of X.
double beta_exceeds(int a, double b, double c, double d) {
  const auto log_beta = [](long double x, long double y) {
    // (std::lgamma writes a global variable.)
    return boost::math::lgamma(x) + boost::math::lgamma(y) - boost::math::lgamma(x + y);
  };
  long double sum = 0.0L;
  for (int i = 0; i < a; ++i)
    sum += std::exp(log_beta(c + i, b + d) - log_beta(1.0L + i, b) - log_beta(c, d)) / (b + i);
  return static_cast<double>(sum);
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  double power_of_ten(double low, double high) { return std::pow(10.0, uniform(low, high)); }
  double normal() { return normal_(engine_); }
  double gamma(double shape) { return std::gamma_distribution<double>(shape)(engine_); }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

TEST(ArgmaxProbabilities, NoActionsAreAllowed) {
  argmax_probabilities(std::span<const NormalMarginal>(), std::span<double>());
  argmax_probabilities(std::span<const BetaMarginal>(), std::span<double>());
  argmax_probabilities(std::span<const StudentMarginal>(), std::span<double>());
}

TEST(ArgmaxProbabilities, OneActionIsCertain) {
  for (const double spread : {0.0, 1e-300, 1e-20, 1.0, 1e300})
    for (const double mean : {0.0, -1.0, 1e15, -1e300}) {
      EXPECT_EQ(probabilities<NormalMarginal>({{mean, spread}})[0], 1.0);
      EXPECT_EQ(probabilities<StudentMarginal>({{mean, spread, 1.0}})[0], 1.0);
    }
  EXPECT_EQ(probabilities<BetaMarginal>({{0.01, 1e6}})[0], 1.0);
}

TEST(ArgmaxProbabilities, EqualActionsShareEqually) {
  for (const std::size_t actions : {2u, 3u, 10u, 100u, 1000u}) {
    const double share = 1.0 / static_cast<double>(actions);
    for (const NormalMarginal m : {NormalMarginal{0.0, 1.0}, NormalMarginal{1e15, 1e-20},
                                   NormalMarginal{-1e6, 1e12}, NormalMarginal{1e300, 1e298}})
      for (const double p : probabilities(std::vector<NormalMarginal>(actions, m)))
        EXPECT_NEAR(p, share, kTolerance);
    for (const double p : probabilities(std::vector<BetaMarginal>(actions, {2.0, 7.0})))
      EXPECT_NEAR(p, share, kTolerance);
    for (const double p : probabilities(std::vector<StudentMarginal>(actions, {3.0, 2.0, 4.0})))
      EXPECT_NEAR(p, share, kTolerance);
  }
}

// Identical actions are not integrated. These are, since they differ in the last digit.
TEST(ArgmaxProbabilities, AlmostEqualActionsShareAlmostEqually) {
  const auto next = [](double x) { return std::nextafter(x, 2.0 * x); };
  const auto expect_shares = [&](auto marginals, auto&& change) {
    change(marginals.back());
    const double share = 1.0 / static_cast<double>(marginals.size());
    for (const double p : probabilities(marginals)) EXPECT_NEAR(p, share, kTolerance);
  };
  for (const std::size_t actions : {2u, 3u, 10u, 100u, 1000u}) {
    for (const NormalMarginal m : {NormalMarginal{0.0, 1.0}, NormalMarginal{1e15, 1e-20},
                                   NormalMarginal{-1e6, 1e12}, NormalMarginal{1e300, 1e298}}) {
      expect_shares(std::vector<NormalMarginal>(actions, m),
                    [&](NormalMarginal& last) { last.spread = next(last.spread); });
    }
    expect_shares(std::vector<BetaMarginal>(actions, {2.0, 7.0}),
                  [&](BetaMarginal& last) { last.alpha = next(last.alpha); });
    expect_shares(std::vector<StudentMarginal>(actions, {3.0, 2.0, 4.0}),
                  [&](StudentMarginal& last) { last.scale = next(last.scale); });
  }
}

TEST(ArgmaxProbabilities, TwoNormalsMatchTheNormalOfTheirDifference) {
  Draw draw(1);
  for (int i = 0; i < 20'000; ++i) {
    const double size = draw.power_of_ten(-20.0, 12.0);
    const NormalMarginal a{draw.uniform(-1.0, 1.0) * draw.power_of_ten(-3.0, 15.0),
                           size * draw.power_of_ten(-8.0, 8.0)};
    const double both = std::hypot(a.spread, size);
    // The function sees the difference after the sum was rounded.
    const NormalMarginal b{a.mean + both * draw.uniform(-4.0, 4.0), size};
    const auto p = probabilities<NormalMarginal>({a, b});
    const double expected = normal_cdf((a.mean - b.mean) / both);
    ASSERT_NEAR(p[0], expected, kTolerance)
        << a.mean << " " << a.spread << " " << b.mean << " " << b.spread;
    ASSERT_NEAR(p[1], 1.0 - expected, kTolerance);
  }
}

TEST(ArgmaxProbabilities, NumbersAtTheEndsOfTheRange) {
  EXPECT_NEAR(probabilities<NormalMarginal>({{1e308, 1e308}, {-1e308, 1e308}})[0],
              normal_cdf(std::sqrt(2.0)), kTolerance);
  EXPECT_NEAR(probabilities<NormalMarginal>({{1e-310, 1e-310}, {0.0, 1e-310}})[0],
              normal_cdf(std::sqrt(0.5)), kTolerance);
  EXPECT_NEAR(probabilities<NormalMarginal>({{0.0, 1e-290}, {0.0, 1.0}})[0], 0.5, kTolerance);
  EXPECT_NEAR(probabilities<NormalMarginal>({{0.0, 5e-324}, {1.0, 1e308}})[0], 0.5, kTolerance);
}

TEST(ArgmaxProbabilities, AtomAgainstNormal) {
  for (const double spread : {1e-20, 1e-6, 1.0, 1e12})
    for (const double t : {-9.0, -2.0, -0.1, 0.0, 0.5, 3.0, 40.0}) {
      const auto p = probabilities<NormalMarginal>({{0.0, spread}, {t * spread, 0.0}});
      EXPECT_NEAR(p[1], normal_cdf(t), kTolerance);
      EXPECT_NEAR(p[0], normal_cdf(-t), kTolerance);
    }
}

TEST(ArgmaxProbabilities, AtomAgainstCauchy) {
  const auto p = probabilities<StudentMarginal>({{1.0, 0.0, 5.0}, {0.0, 1.0, 1.0}});
  EXPECT_NEAR(p[0], 0.75, kTolerance);
}

TEST(ArgmaxProbabilities, EqualAtomsGoToTheLowestAction) {
  using Result = std::vector<double>;
  EXPECT_EQ(probabilities<NormalMarginal>({{2.0, 0.0}, {2.0, 0.0}}), (Result{1.0, 0.0}));
  EXPECT_EQ(probabilities<NormalMarginal>({{1.0, 0.0}, {2.0, 0.0}, {2.0, 0.0}}),
            (Result{0.0, 1.0, 0.0}));
  const auto p = probabilities<NormalMarginal>({{-1.0, 0.0}, {0.0, 1.0}, {0.0, 0.0}, {0.0, 0.0}});
  EXPECT_EQ(p[0], 0.0);
  EXPECT_NEAR(p[1], 0.5, kTolerance);
  EXPECT_NEAR(p[2], 0.5, kTolerance);
  EXPECT_EQ(p[3], 0.0);
}

TEST(ArgmaxProbabilities, AHopelessActionHasNoChance) {
  const auto p = probabilities<NormalMarginal>({{0.0, 1.0}, {1e6, 1e-20}, {-1e6, 1e-12}});
  EXPECT_NEAR(p[1], 1.0, kTolerance);
}

TEST(ArgmaxProbabilities, TrapezoidalRuleAgrees) {
  Draw draw(2);
  for (int i = 0; i < 60; ++i) {
    std::vector<NormalMarginal> marginals(static_cast<std::size_t>(2 + i % 12));
    for (auto& m : marginals) m = {2.0 * draw.normal(), draw.power_of_ten(-0.7, 0.7)};
    const auto p = probabilities(marginals);
    const auto expected = testing::argmax_by_trapezoid(marginals);
    for (std::size_t a = 0; a < p.size(); ++a) ASSERT_NEAR(p[a], expected[a], kTolerance);
  }
}

// Values of tools/make_argmax_reference.py, 60-digit arithmetic.
TEST(ArgmaxProbabilities, HighPrecisionValues) {
  const auto cases = testing::read_argmax_cases(std::string(testing::test_data_folder()) +
                                                "/argmax_probabilities.csv");
  ASSERT_EQ(cases.size(), 28u);
  double worst = 0.0;
  for (const auto& example : cases) {
    std::vector<double> p;
    if (example.family == "normal") {
      std::vector<NormalMarginal> marginals;
      for (const auto& a : example.actions) marginals.push_back({a.first, a.second});
      p = probabilities(marginals);
    } else if (example.family == "beta") {
      std::vector<BetaMarginal> marginals;
      for (const auto& a : example.actions) marginals.push_back({a.first, a.second});
      p = probabilities(marginals);
    } else {
      ASSERT_EQ(example.family, "student");
      std::vector<StudentMarginal> marginals;
      for (const auto& a : example.actions) marginals.push_back({a.first, a.second, a.third});
      p = probabilities(marginals);
    }
    for (std::size_t a = 0; a < p.size(); ++a) {
      EXPECT_NEAR(p[a], example.actions[a].probability, kTolerance) << example.name << " " << a;
      worst = std::max(worst, std::abs(p[a] - example.actions[a].probability));
    }
  }
  RecordProperty("worst_error", std::to_string(worst * 1e15) + "e-15");
}

TEST(ArgmaxProbabilities, PermutingActionsPermutesTheResult) {
  Draw draw(3);
  for (int i = 0; i < 50; ++i) {
    std::vector<NormalMarginal> marginals(20);
    for (auto& m : marginals) m = {draw.normal(), draw.power_of_ten(-6.0, 6.0)};
    std::vector<std::size_t> order(marginals.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937_64(static_cast<std::uint64_t>(i)));
    std::vector<NormalMarginal> shuffled;
    for (const std::size_t a : order) shuffled.push_back(marginals[a]);
    const auto p = probabilities(marginals), q = probabilities(shuffled);
    for (std::size_t j = 0; j < order.size(); ++j) ASSERT_NEAR(q[j], p[order[j]], kTolerance);
  }
}

TEST(ArgmaxProbabilities, ShiftAndScaleDoNotMatter) {
  Draw draw(4);
  for (int i = 0; i < 50; ++i) {
    // Multiples of 2^-20, so that the shifts are exact.
    std::vector<NormalMarginal> marginals(7);
    for (auto& m : marginals)
      m = {std::round(draw.normal() * 0x1p20) * 0x1p-20, draw.power_of_ten(-3.0, 1.0)};
    const auto p = probabilities(marginals);
    for (const double shift : {-1.0, 1e3, 0x1p30})
      for (const double scale : {1.0, 0x1p-60, 0x1p60, 0x1p-900}) {
        auto moved = marginals;
        for (auto& m : moved) m = {(m.mean + shift) * scale, m.spread * scale};
        const auto q = probabilities(moved);
        for (std::size_t a = 0; a < p.size(); ++a) ASSERT_NEAR(q[a], p[a], kTolerance);
      }
  }
}

TEST(ArgmaxProbabilities, AnyMixtureOfSpreadsAddsUp) {
  Draw draw(5);
  for (int i = 0; i < 2'000; ++i) {
    std::vector<NormalMarginal> marginals(static_cast<std::size_t>(draw.uniform(1.0, 40.0)));
    for (auto& m : marginals) {
      m = {draw.normal() * draw.power_of_ten(-25.0, 15.0), draw.power_of_ten(-25.0, 15.0)};
      if (draw.uniform(0.0, 1.0) < 0.1) m.spread = 0.0;
      if (draw.uniform(0.0, 1.0) < 0.3) m.mean = 0.0;
    }
    const auto p = probabilities(marginals);
    // With one action less, no probability decreases.
    marginals.pop_back();
    if (marginals.empty()) continue;
    const auto q = probabilities(marginals);
    for (std::size_t a = 0; a < q.size(); ++a) ASSERT_GE(q[a], p[a] - kTolerance);
  }
}

TEST(ArgmaxProbabilities, TwoBetasMatchTheFiniteSum) {
  for (const int a : {1, 2, 5, 40})
    for (const double b : {0.5, 1.0, 3.0, 50.0, 1e4})
      for (const double c : {0.01, 0.5, 1.0, 7.0, 30.0, 1e3})
        for (const double d : {0.01, 1.0, 9.0, 1e3}) {
          const auto p = probabilities<BetaMarginal>({{static_cast<double>(a), b}, {c, d}});
          ASSERT_NEAR(p[0], beta_exceeds(a, b, c, d), kTolerance)
              << a << " " << b << " " << c << " " << d;
        }
}

// Beta(n, 1) is the largest of n uniforms.
TEST(ArgmaxProbabilities, UniformAgainstLargestOfMany) {
  for (const double n : {0.01, 1.0, 2.0, 10.0, 1e3, 1e6})
    EXPECT_NEAR(probabilities<BetaMarginal>({{1.0, 1.0}, {n, 1.0}})[0], 1.0 / (n + 1.0),
                kTolerance);
  const auto p = probabilities<BetaMarginal>({{1.0, 1.0}, {3.0, 1.0}, {0.5, 1.0}, {5.5, 1.0}});
  EXPECT_NEAR(p[1], 0.3, kTolerance);
  EXPECT_NEAR(p[3], 0.55, kTolerance);
}

TEST(ArgmaxProbabilities, LargeDegreesOfFreedomAreNormal) {
  Draw draw(6);
  for (int i = 0; i < 50; ++i) {
    std::vector<NormalMarginal> normal(5);
    std::vector<StudentMarginal> student, limit;
    for (auto& m : normal) {
      m = {draw.normal(), draw.power_of_ten(-2.0, 1.0)};
      student.push_back({m.mean, m.spread, 1e10});
      limit.push_back({m.mean, m.spread, 1e300});
    }
    const auto p = probabilities(normal), q = probabilities(student), r = probabilities(limit);
    for (std::size_t a = 0; a < p.size(); ++a) {
      ASSERT_NEAR(q[a], p[a], kTolerance);
      ASSERT_NEAR(r[a], p[a], kTolerance);
    }
  }
}

// A difference of Cauchy draws is Cauchy: P(X > Y) = 1/2 + atan(difference / sum of scales) / pi.
TEST(ArgmaxProbabilities, TwoCauchysMatchTheCauchyOfTheirDifference) {
  Draw draw(7);
  for (int i = 0; i < 500; ++i) {
    const StudentMarginal a{draw.normal() * 1e3, draw.power_of_ten(-6.0, 6.0), 1.0};
    const StudentMarginal b{draw.normal() * 1e3, draw.power_of_ten(-6.0, 6.0), 1.0};
    const double expected =
        0.5 + std::atan((a.mean - b.mean) / (a.scale + b.scale)) / std::acos(-1.0);
    ASSERT_NEAR(probabilities<StudentMarginal>({a, b})[0], expected, kTolerance);
  }
}

template <class Marginal, class Sample>
void expect_frequencies(const std::vector<Marginal>& marginals, Sample&& sample) {
  constexpr int kDraws = testing::repeats(200'000);
  std::vector<int> wins(marginals.size());
  for (int i = 0; i < kDraws; ++i) {
    std::size_t best = 0;
    double largest = 0.0;
    for (std::size_t a = 0; a < marginals.size(); ++a) {
      const double x = sample(marginals[a]);
      if (a == 0 || x > largest) {
        largest = x;
        best = a;
      }
    }
    ++wins[best];
  }
  const auto p = probabilities(marginals);
  for (std::size_t a = 0; a < p.size(); ++a)
    EXPECT_NEAR(wins[a] / static_cast<double>(kDraws), p[a],
                5.0 * std::sqrt(p[a] * (1.0 - p[a]) / kDraws) + 1.0 / kDraws)
        << a;
}

TEST(ArgmaxProbabilities, SimulatedFrequenciesAgree) {
  Draw draw(8);
  expect_frequencies<NormalMarginal>(
      {{0.0, 1.0}, {0.5, 0.2}, {-1.0, 3.0}, {0.6, 0.0}, {0.6, 0.0}, {0.1, 0.5}},
      [&](const NormalMarginal& m) { return m.mean + m.spread * draw.normal(); });
  expect_frequencies<BetaMarginal>({{1.0, 1.0}, {0.3, 0.2}, {20.0, 12.0}, {3.0, 1.5}},
                                   [&](const BetaMarginal& m) {
                                     const double x = draw.gamma(m.alpha);
                                     return x / (x + draw.gamma(m.beta));
                                   });
  expect_frequencies<StudentMarginal>(
      {{0.0, 1.0, 2.0}, {0.5, 0.2, 30.0}, {-1.0, 3.0, 1.0}, {0.6, 0.0, 1.0}},
      [&](const StudentMarginal& m) {
        return m.mean +
               m.scale * draw.normal() / std::sqrt(draw.gamma(0.5 * m.dof) / (0.5 * m.dof));
      });
}

}  // namespace
}  // namespace sau
