#include "sau/theory/theory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "theory/linear.hpp"
#include "theory/parts.hpp"

namespace sau {
namespace {

using detail::Play;

constexpr TheoryOptions kFew{.seed = 1, .trials = 1, .stop = nullptr};

// The mean of f(rewards) over all 2^n sequences of n rewards.
template <class F>
double over_all_sequences(unsigned n, double mu, F f) {
  double sum = 0.0;
  std::vector<double> rewards(n);
  for (unsigned bits = 0; bits < 1U << n; ++bits) {
    double weight = 1.0;
    for (unsigned j = 0; j < n; ++j) {
      rewards[j] = (bits >> j & 1U) != 0 ? 1.0 : 0.0;
      weight *= rewards[j] > 0.0 ? mu : 1.0 - mu;
    }
    sum += weight * f(rewards);
  }
  return sum;
}

double mean_of(const std::vector<double>& rewards, std::size_t count) {
  double sum = 0.0;
  for (std::size_t j = 0; j < count; ++j) sum += rewards[j];
  return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

double square(double x) { return x * x; }

TEST(TheoryFormulas, MomentsOfAPlayMatchThoseOverAllSequences) {
  for (const double mu : {0.05, 0.3, 0.5, 0.9}) {
    for (unsigned n = 2; n <= 8; ++n) {
      const double plays = n;
      const double before = over_all_sequences(n, mu, [&](const std::vector<double>& r) {
        return square(r[n - 1] - mean_of(r, n - 1)) / plays;
      });
      const double after = over_all_sequences(n, mu, [&](const std::vector<double>& r) {
        return square(r[n - 1] - mean_of(r, n)) / plays;
      });
      const double variance = over_all_sequences(n, mu, [&](const std::vector<double>& r) {
        const double a = 1.0 + plays * mean_of(r, n), b = 2.0 + plays - a;
        return a * b / (square(a + b) * (a + b + 1.0));
      });
      const double error = over_all_sequences(
          n, mu, [&](const std::vector<double>& r) { return square(mean_of(r, n) - mu); });
      EXPECT_NEAR(detail::sau_before_mean(plays, mu), before, 1e-15);
      EXPECT_NEAR(detail::sau_after_mean(plays, mu), after, 1e-15);
      EXPECT_NEAR(detail::posterior_variance_mean(plays, mu), variance, 1e-15);
      EXPECT_NEAR(detail::squared_error_mean(plays, mu), error, 1e-15);
      EXPECT_NEAR(detail::expectation(n, mu, detail::sau_before), before, 1e-15);
      EXPECT_NEAR(detail::expectation(n, mu, detail::sau_after), after, 1e-15);
      EXPECT_NEAR(detail::expectation(n, mu, detail::posterior_variance), variance, 1e-15);
      EXPECT_NEAR(detail::expectation(n, mu, detail::squared_error), error, 1e-15);
    }
  }
}

TEST(TheoryFormulas, MeanOfTauMatchesThatOverAllSequences) {
  for (const double mu : {0.05, 0.3, 0.5, 0.9}) {
    for (unsigned n = 1; n <= 9; ++n) {
      const auto tau = [n](const std::vector<double>& r, bool before) {
        double sum = before ? 1.0 : 0.0;
        for (std::size_t j = 0; j < n; ++j) {
          sum += square(r[j] - mean_of(r, before ? j : j + 1));  // the mean of nothing is 0
        }
        return sum / static_cast<double>(n);
      };
      for (const bool before : {false, true}) {
        const double exact =
            over_all_sequences(n, mu, [&](const std::vector<double>& r) { return tau(r, before); });
        const double formula =
            before ? detail::tau_before_mean(n, mu) : detail::tau_after_mean(n, mu);
        EXPECT_NEAR(formula, exact, 1e-14) << n << " " << mu << " " << before;
        EXPECT_NEAR(detail::tau_by_trace(n, mu, before), exact, 1e-14);
      }
    }
  }
}

TEST(TheoryFormulas, BinomialMatchesTheHandCalculationAndIsRightFarOut) {
  EXPECT_THAT(detail::binomial(2, 0.25),
              ::testing::ElementsAre(::testing::DoubleEq(0.5625), ::testing::DoubleEq(0.375),
                                     ::testing::DoubleEq(0.0625)));
  const auto many = detail::binomial(100'000, 0.5);
  double sum = 0.0, mean = 0.0;
  for (std::size_t k = 0; k < many.size(); ++k) {
    sum += many[k];
    mean += many[k] * static_cast<double>(k);
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
  EXPECT_NEAR(mean, 50'000.0, 1e-6);
}

TEST(TheoryFormulas, HarmonicAndSlope) {
  EXPECT_EQ(detail::harmonic(0), 0.0);
  EXPECT_DOUBLE_EQ(detail::harmonic(4), 25.0 / 12.0);
  const double x[] = {0.0, 1.0, 2.0}, y[] = {1.0, 3.0, 99.0}, weight[] = {1.0, 2.0, 0.0};
  EXPECT_DOUBLE_EQ(detail::fitted_slope(x, y, weight), 2.0);
}

TEST(TheoryFormulas, BoundsMatchTheHandCalculation) {
  const double gaps[] = {0.5, 0.1};
  const double n = std::exp(1.0);
  EXPECT_NEAR(detail::sampling_bound(gaps, n), 96.0 / 0.5 + 96.0 / 0.1 + 6.0 * 0.6, 1e-9);
  const double rest = 0.6 * (1.0 + std::pow(std::acos(-1.0), 2) / 3.0);
  EXPECT_NEAR(detail::ucb_bound(gaps, n), 4.0 / 0.5 + 4.0 / 0.1 + rest, 1e-9);
  EXPECT_NEAR(detail::ucb_bound(gaps, n, 3.0), 36.0 / 0.5 + 36.0 / 0.1 + rest, 1e-9);
}

TEST(TheoryFormulas, InverseGramTimesGramIsOne) {
  const detail::Design design{
      .features = 2, .rows = 3, .x = {1.0, 2.0, 0.0, 1.0, 3.0, -1.0}, .name = {}};
  // X'X = {{10, -1}, {-1, 6}}, its determinant is 59.
  const auto inverse = detail::inverse_gram(design, 3);
  const double expected[] = {6.0 / 59.0, 1.0 / 59.0, 1.0 / 59.0, 10.0 / 59.0};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(inverse[static_cast<std::size_t>(i)], expected[i], 1e-15);
  EXPECT_NEAR(detail::form(design.row(0), inverse, design.row(2)), (18.0 + 5.0 - 20.0) / 59.0,
              1e-15);
}

TEST(TheoryVerdict, NeedsTheRelation) {
  EXPECT_TRUE(satisfies(1.0, Relation::kEquals, 1.5, 0.5));
  EXPECT_FALSE(satisfies(0.9, Relation::kEquals, 1.5, 0.5));
  EXPECT_FALSE(satisfies(2.1, Relation::kEquals, 1.5, 0.5));
  EXPECT_TRUE(satisfies(-9.0, Relation::kAtMost, 1.5, 0.5));
  EXPECT_FALSE(satisfies(2.1, Relation::kAtMost, 1.5, 0.5));
  EXPECT_TRUE(satisfies(9.0, Relation::kAtLeast, 1.5, 0.5));
  EXPECT_FALSE(satisfies(0.9, Relation::kAtLeast, 1.5, 0.5));
}

TEST(TheoryVerdict, NanFails) {
  const double none = std::nan("");
  for (const Relation relation : {Relation::kEquals, Relation::kAtMost, Relation::kAtLeast}) {
    EXPECT_FALSE(satisfies(none, relation, 0.0, 1.0));
    EXPECT_FALSE(satisfies(0.0, relation, none, 1.0));
  }
  detail::Worst worst;
  worst.see(none, "this");
  EXPECT_TRUE(std::isnan(worst.value));
}

TEST(TheoryVerdict, IsCorrectedOnlyWhenTheCorrectionHolds) {
  TheoryCheck check;
  check.value = 1.0;
  check.expected = 1.0;
  EXPECT_EQ(TheoryCheck(check).judged(true).verdict, Verdict::kHolds);
  EXPECT_EQ(TheoryCheck(check).judged(false).verdict, Verdict::kHoldsCorrected);
  check.value = 2.0;
  EXPECT_EQ(TheoryCheck(check).judged(true).verdict, Verdict::kFails);
  EXPECT_EQ(TheoryCheck(check).judged(false).verdict, Verdict::kFails);
}

// A difference of order 1/n, and one that is too large.
TEST(TheoryVerdict, AWrongOrderFails) {
  detail::OrderClaim claim{
      .id = "wrong",
      .where = {},
      .statement = {},
      .sau = detail::sau_before,
      .target = [](const Play& play) { return 1.01 * detail::squared_error(play); },
      .constant = 0.3,
      .reason = {},
      .note = {}};
  auto checks = detail::check_order(claim, kFew);
  ASSERT_EQ(checks.size(), 3U);
  EXPECT_EQ(checks[0].verdict, Verdict::kFails) << checks[0].value;
  EXPECT_EQ(checks[1].verdict, Verdict::kFails) << checks[1].value;
  EXPECT_EQ(checks[2].verdict, Verdict::kHolds) << checks[2].value;

  claim.target = detail::squared_error;
  for (const TheoryCheck& check : detail::check_order(claim, kFew)) {
    EXPECT_EQ(check.verdict, Verdict::kHolds) << check.id;
  }
}

// The formulas of the two residuals must not be swapped, and without the 1 they are wrong too.
TEST(TheoryVerdict, AWrongMeanOfTauFails) {
  const auto verdict = [](bool before, const auto& formula) {
    TheoryCheck check;
    check.id = "wrong";
    return detail::check_tau_mean(std::move(check), before, formula, kFew).verdict;
  };
  EXPECT_EQ(verdict(false, detail::tau_after_mean), Verdict::kHolds);
  EXPECT_EQ(verdict(true, detail::tau_before_mean), Verdict::kHolds);
  EXPECT_EQ(verdict(false, detail::tau_before_mean), Verdict::kFails);
  EXPECT_EQ(verdict(true, detail::tau_after_mean), Verdict::kFails);
  const auto without = [](std::uint64_t n, double mu) {
    return detail::tau_before_mean(n, mu) - 1.0 / static_cast<double>(n);
  };
  EXPECT_EQ(verdict(true, without), Verdict::kFails);
}

class TheoryChecks : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { checks_ = new std::vector(check_theory(kFew)); }
  static void TearDownTestSuite() { delete checks_; }
  static std::vector<TheoryCheck>* checks_;
};
std::vector<TheoryCheck>* TheoryChecks::checks_ = nullptr;

TEST_F(TheoryChecks, HoldAsExpectedWithFewTrials) {
  const std::set<std::string> corrected = {"prop3.statement", "prop4.before.bounds",
                                           "tau.after.bounds", "tau.limit", "theorem2.kappa"};
  std::set<std::string> ids;
  for (const TheoryCheck& check : *checks_) {
    EXPECT_TRUE(ids.insert(check.id).second) << check.id;
    EXPECT_EQ(check.verdict,
              corrected.contains(check.id) ? Verdict::kHoldsCorrected : Verdict::kHolds)
        << check.id << " " << check.value;
    for (const std::string& text : {check.where, check.statement, check.statistic, check.reason}) {
      EXPECT_FALSE(text.empty()) << check.id;
      EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; })) << text;
    }
  }
  for (const std::string& id : corrected) EXPECT_TRUE(ids.contains(id)) << id;
  EXPECT_EQ(ids.size(), 36U);
}

TEST_F(TheoryChecks, DependOnlyOnTheSeed) {
  EXPECT_EQ(check_theory(kFew), *checks_);
  EXPECT_NE(check_theory({.seed = 2, .trials = 1}), *checks_);
}

TEST_F(TheoryChecks, StopWhenAskedTo) {
  const std::atomic<bool> stop = true;
  EXPECT_TRUE(check_theory({.seed = 1, .trials = 1, .stop = &stop}).empty());
}

}  // namespace
}  // namespace sau
