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

Estimate simulated(const std::string& agent, double floor, int events, std::uint64_t seed) {
  TestService service(agent);
  EXPECT_TRUE(service.configure(fmt::format(R"({{"probabilityFloor":{}}})", floor)).ok());
  Rng rng(Stream{.seed = seed, .role = Role::kProblem});
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

// The mean of several logs.
struct Pooled {
  double value = 0.0, error = 0.0, truth = 0.0, reward = 0.0, without = 0.0;

  Pooled(const std::string& agent, double floor, int events, int logs) {
    double squares = 0.0;
    for (int seed = 0; seed < logs; ++seed) {
      const Estimate each = simulated(agent, floor, events, static_cast<std::uint64_t>(seed));
      value += each.value / logs;
      truth += each.truth / logs;
      reward += each.reward / logs;
      without += each.without / logs;
      squares += each.error * each.error;
      // Each log is right by itself.
      if (floor > 0.0) {
        EXPECT_LE(std::abs(each.value - each.truth), 4.0 * each.error) << seed;
      }
    }
    error = std::sqrt(squares) / logs;
  }
  std::string text() const {
    return fmt::format(
        "{:.4f} +- {:.4f}, truth {:.4f}; earned {:.4f}; {:.1f} % of the "
        "probabilities are below 1e-9",
        value, error, truth, reward, 100 * without);
  }
};

TEST(FloorStatistics, ALogWithAFloorSaysWhatTheUniformPolicyEarns) {
  constexpr int kEvents = 12'000, kLogs = 5;
  const std::string agent = "hashed_linear(bits=12)+sau_sampling";
  const Pooled none(agent, 0.0, kEvents, kLogs), floor(agent, 0.02, kEvents, kLogs);
  RecordProperty("without", none.text());
  RecordProperty("with", floor.text());
  EXPECT_GT(none.without, 0.3);
  EXPECT_EQ(floor.without, 0.0);
  EXPECT_LE(std::abs(floor.value - floor.truth), 3.0 * floor.error);
  EXPECT_LE(floor.error, 0.01);
  // Without it, the logs say something else, and are sure of it.
  EXPECT_GT(std::abs(none.value - none.truth), 6.0 * none.error);
  // It costs at most its share of the difference to uniform choices; the rest is chance.
  const double chance = std::sqrt(2.0 * 0.25 / kEvents / kLogs);
  EXPECT_LE(none.reward - floor.reward, 0.02 * (none.reward - none.truth) + 3.0 * chance);
}

}  // namespace
}  // namespace sau
