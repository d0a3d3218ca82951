#include "sau/evaluate/estimators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "evaluate/slope.hpp"
#include "sau/core/error.hpp"
#include "sau/core/rng.hpp"

namespace sau {
namespace {

std::vector<ScoredChoice> some_choices(std::size_t count) {
  Rng rng(Stream{.seed = 7});
  std::vector<ScoredChoice> choices(count);
  for (ScoredChoice& c : choices) {
    c.weight = rng.uniform() < 0.3 ? 0.0 : std::exp(rng.normal());
    c.reward = rng.uniform() < 0.4 ? 1.0 : 0.0;
    c.predicted = 0.4 + 0.1 * rng.normal();
    c.direct = 0.4 + 0.1 * rng.normal();
    c.group_weight = rng.uniform() * 2.0;
  }
  return choices;
}

double mean(const std::vector<ScoredChoice>& choices, auto phi) {
  double sum = 0.0;
  for (const ScoredChoice& c : choices) sum += phi(c);
  return sum / static_cast<double>(choices.size());
}

std::unique_ptr<Estimator> fed(const std::string& name, const std::vector<ScoredChoice>& choices,
                               const EstimatorSettings& settings = {}) {
  auto estimator = make_estimator(name, settings);
  for (const ScoredChoice& c : choices) estimator->add(c);
  return estimator;
}

TEST(Estimators, AreTheirFormulas) {
  const auto choices = some_choices(500);
  const double w = mean(choices, [](auto& c) { return c.weight; });
  const double wr = mean(choices, [](auto& c) { return c.weight * c.reward; });
  const double we = mean(choices, [](auto& c) { return c.weight * (c.reward - c.predicted); });
  const double d = mean(choices, [](auto& c) { return c.direct; });
  const EstimatorSettings given{.clip = 2.0, .tau = 1.5, .lambda = 3.0};
  std::map<std::string, double> expected = {
      {"snips", wr / w}, {"dm", d}, {"dr", d + we}, {"sndr", d + we / w}};
  expected["ips"] = mean(choices, [](auto& c) { return std::min(c.weight, 2.0) * c.reward; });
  expected["mips"] = mean(choices, [](auto& c) { return c.group_weight * c.reward; });
  expected["switch"] = d + mean(choices, [](auto& c) {
                         return c.weight <= 1.5 ? c.weight * (c.reward - c.predicted) : 0.0;
                       });
  expected["dros"] =
      d + mean(choices, [](auto& c) {
        return 3.0 * c.weight / (c.weight * c.weight + 3.0) * (c.reward - c.predicted);
      });
  ASSERT_EQ(expected.size(), list_estimators().size());
  for (const EstimatorInfo& info : list_estimators()) {
    const std::string name(info.name);
    EXPECT_NEAR(fed(name, choices, given)->value(), expected.at(name), 1e-12) << name;
  }
  EXPECT_NEAR(fed("ips", choices)->value(), wr, 1e-12);
}

TEST(Estimators, AnImportanceStandsForSoManyDecisions) {
  auto choices = some_choices(300);
  std::vector<ScoredChoice> repeated;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    for (std::size_t k = 0; k <= i % 3; ++k) repeated.push_back(choices[i]);
    choices[i].importance = static_cast<double>(i % 3 + 1);
  }
  const EstimatorSettings given{.clip = 2.0, .tau = 1.5, .lambda = 3.0};
  for (const EstimatorInfo& info : list_estimators()) {
    const std::string name(info.name);
    EXPECT_NEAR(fed(name, choices, given)->value(), fed(name, repeated, given)->value(), 1e-12)
        << name;
    // But a decision that stands for three tells less than three would.
    EXPECT_GT(fed(name, choices, given)->squared_error(),
              fed(name, repeated, given)->squared_error());
  }
}

class EstimatorErrors : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Importances, EstimatorErrors, ::testing::Values(1.0, 4.0));

TEST_P(EstimatorErrors, ContributionsExplainValueAndError) {
  auto choices = some_choices(400);
  for (std::size_t i = 0; i < choices.size(); i += 3) choices[i].importance = GetParam();
  const auto n = static_cast<double>(choices.size());
  for (const EstimatorInfo& info : list_estimators()) {
    const auto estimator = fed(std::string(info.name), choices);
    const double average = mean(choices, [&](auto& c) { return estimator->contribution(c); });
    const double squares = mean(choices, [&](auto& c) {
      const double off = estimator->contribution(c) - average;
      return off * off;
    });
    EXPECT_NEAR(average, estimator->value(), 1e-12) << info.name;
    // n or n - 1 in the denominator.
    EXPECT_NEAR(estimator->squared_error() / (squares / n), 1.0, 1.1 / (n - 1.0)) << info.name;
  }
}

TEST(Estimators, AreUndefinedWithoutWeights) {
  EXPECT_TRUE(std::isnan(make_estimator("ips")->value()));
  const auto snips = make_estimator("snips");
  snips->add({.weight = 0.0, .reward = 1.0});
  snips->add({.weight = 0.0, .reward = 1.0});
  EXPECT_TRUE(std::isnan(snips->value()));
  EXPECT_TRUE(std::isnan(snips->squared_error()));
  EXPECT_THROW(make_estimator("psi"), UsageError);
}

TEST(Slope, TakesTheLastThatMeetsAllBefore) {
  using detail::SlopeCandidate;
  // Intervals of twice the half-width: [0, 4], [1, 3], [2.5, 3.5], [5, 6].
  const std::vector<SlopeCandidate> candidates = {{2, 1}, {2, 0.5}, {3, 0.25}, {5.5, 0.25}};
  EXPECT_EQ(detail::slope_choice(candidates), 2U);
  EXPECT_EQ(detail::slope_choice(std::span(candidates).first(1)), 0U);
}

TEST(Slope, RemovesLargeWeightsWhereTheyOnlyAddNoise) {
  Rng rng(Stream{.seed = 11});
  std::vector<ScoredChoice> choices(3000);
  for (ScoredChoice& c : choices) {
    c.weight = rng.uniform() < 0.002 ? 500.0 : 0.3;
    c.direct = c.predicted = 0.5;
    c.reward = rng.uniform() < 0.5 ? 1.0 : 0.0;
  }
  const auto by_slope = fed("switch", choices);
  const auto plain = fed("dr", choices);
  EXPECT_LT(by_slope->squared_error(), 0.1 * plain->squared_error());
  EXPECT_NEAR(by_slope->value(), 0.5, 4.0 * std::sqrt(by_slope->squared_error()));
  EXPECT_NE(by_slope->setting(), "tau=inf");
}

}  // namespace
}  // namespace sau
