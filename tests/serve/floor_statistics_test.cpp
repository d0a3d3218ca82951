// What a log with and without a floor says about another policy. Seeds are fixed.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sau/core/rng.hpp"
#include "serve/serve_support.hpp"

namespace sau {
namespace {

using testing::TestService;

constexpr std::size_t kActions = 10;
constexpr int kGroups = 4;

// How often an article is clicked by a group of readers.
double click_rate(int group, std::size_t action) {
  return static_cast<int>(action) % kGroups == group ? 0.4
                                                     : 0.02 + 0.01 * static_cast<double>(action);
}

struct Estimate {
  double value = 0.0, error = 0.0;  // inverse propensity of the uniform policy
  double truth = 0.0;
  double reward = 0.0;   // mean of what was earned
  double without = 0.0;  // share of actions whose probability was below 1e-9
};

Estimate simulated(const std::string& agent, double floor, int events) {
  TestService service(agent);
  EXPECT_TRUE(service.configure(fmt::format(R"({{"probabilityFloor":{}}})", floor)).ok());
  Rng rng(Stream{.seed = 5, .role = Role::kProblem});
  std::string actions;
  for (std::size_t a = 0; a < kActions; ++a) {
    actions += fmt::format(R"({}{{"id":"{}","features":[{{"topic":"{}"}}]}})", a > 0 ? "," : "", a,
                           a % kGroups);
  }
  Estimate estimate;
  double sum = 0.0, squares = 0.0, zero = 0.0;
  for (int i = 0; i < events; ++i) {
    const int group = static_cast<int>(rng.below(kGroups));
    const std::string event = std::to_string(i);
    const auto answer =
        service
            .rank(fmt::format(
                R"({{"contextFeatures":[{{"group":"{}"}}],"actions":[{}],"eventId":"{}"}})", group,
                actions, event))
            .value();
    const double reward = rng.uniform() < click_rate(group, answer.chosen) ? 1.0 : 0.0;
    EXPECT_TRUE(service.reward(event, reward).ok());
    service->settle();
    const double weighted = reward / (kActions * answer.ranking[answer.chosen].probability);
    sum += weighted;
    squares += weighted * weighted;
    estimate.reward += reward / events;
    for (std::size_t a = 0; a < kActions; ++a) {
      zero += answer.ranking[a].probability < 1e-9 ? 1.0 : 0.0;
      estimate.truth += click_rate(group, a) / kActions / events;
    }
  }
  estimate.value = sum / events;
  estimate.error = std::sqrt((squares / events - estimate.value * estimate.value) / events);
  estimate.without = zero / events / kActions;
  return estimate;
}

TEST(FloorStatistics, ALogWithAFloorSaysWhatTheUniformPolicyEarns) {
  constexpr int kEvents = 12'000;
  const std::string agent = "hashed_linear(bits=12)+sau_sampling";
  const Estimate without = simulated(agent, 0.0, kEvents), with = simulated(agent, 0.02, kEvents);
  for (const auto& [name, each] : {std::pair("without", without), std::pair("with", with)}) {
    RecordProperty(
        name, fmt::format("{:.4f} +- {:.4f}, truth {:.4f}; earned {:.4f}; {:.1f} % of "
                          "the probabilities are 0",
                          each.value, each.error, each.truth, each.reward, 100 * each.without));
  }
  EXPECT_GT(without.without, 0.1);
  EXPECT_EQ(with.without, 0.0);
  EXPECT_LE(std::abs(with.value - with.truth), 4.0 * with.error);
  EXPECT_LE(with.error, 0.03);
  // Without it, the log says something else, and is sure of it.
  EXPECT_GT(std::abs(without.value - without.truth), 4.0 * without.error);
  // It costs at most its share of the difference to uniform choices; the rest is chance.
  EXPECT_GE(with.reward, without.reward - 0.02 * (without.reward - with.truth) - 0.015);
}

}  // namespace
}  // namespace sau
