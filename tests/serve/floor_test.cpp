// The floor under the probabilities of the service.
#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sau/core/file.hpp"
#include "serve/serve_support.hpp"
#include "support/sanitizer.hpp"

namespace sau {
namespace {

using testing::simple_request;
using testing::TestService;

// Four actions without features.
std::string request(const std::string& event, const std::string& excluded = "[]") {
  return R"({"actions":[{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d"}],"excludedActions":)" +
         excluded + R"(,"eventId":")" + event + "\"}";
}

// Teaches it that the second action is the best.
void teach(TestService& service, int events) {
  for (int i = 0; i < events; ++i) {
    const std::string event = "taught" + std::to_string(i);
    const auto answer = service.rank(request(event)).value();
    ASSERT_TRUE(service.reward(event, answer.chosen == 1 ? 1.0 : -1.0).ok());
    service->settle();
  }
}

std::vector<double> probabilities(TestService& service, const std::string& event,
                                  const std::string& excluded = "[]") {
  std::vector<double> found;
  const RankAnswer answer = service.rank(request(event, excluded)).value();
  for (const RankedAction& action : answer.ranking) {
    found.push_back(action.probability);
  }
  return found;
}

TEST(ProbabilityFloor, HoldsForEveryStrategy) {
  for (const char* agent :
       {"hashed_linear(bits=10)+sau_sampling", "linear_posterior+thompson",
        "beta_bernoulli+thompson", "hashed_linear(bits=10)+sau_ucb", "sample_mean+ucb1",
        "hashed_linear(bits=10)+greedy", "hashed_linear(bits=10)+epsilon_greedy", "linear+lin_ucb",
        "hashed_linear(bits=10)+uniform"}) {
    TestService service(agent);
    const bool only_positive = std::string(agent).starts_with("beta");
    EXPECT_EQ(service->configuration().probability_floor, 0.02);
    ASSERT_TRUE(service.configure(R"({"explorationPercentage":0})").ok());
    for (int i = 0; i < 60; ++i) {
      const std::string event = "e" + std::to_string(i);
      const auto answer = service.rank(request(event)).value();
      double sum = 0.0;
      for (const auto& action : answer.ranking) {
        EXPECT_GE(action.probability, 0.02 / 4 * (1 - 1e-15)) << agent;
        sum += action.probability;
      }
      EXPECT_NEAR(sum, 1.0, 1e-12) << agent;
      const double reward = answer.chosen == 1 ? 1.0 : only_positive ? 0.0 : -1.0;
      ASSERT_TRUE(service.reward(event, reward).ok());
      service->settle();
    }
    // Among the actions that may be chosen: three, then one.
    const auto three = probabilities(service, "three", R"(["b"])");
    EXPECT_EQ(three[1], 0.0);
    for (const std::size_t i : {0, 2, 3}) EXPECT_GE(three[i], 0.02 / 3 * (1 - 1e-15)) << agent;
    EXPECT_EQ(probabilities(service, "one", R"(["a","b","c"])"),
              (std::vector<double>{0.0, 0.0, 0.0, 1.0}));
  }
}

TEST(ProbabilityFloor, ChangesNothingThatIsHighEnough) {
  TestService service("hashed_linear(bits=10)+epsilon_greedy");
  ASSERT_TRUE(service.configure(R"({"explorationPercentage":0.4,"probabilityFloor":0})").ok());
  teach(service, 10);
  const auto before = probabilities(service, "before");
  ASSERT_TRUE(service.configure(R"({"probabilityFloor":0.4})").ok());
  const auto same = probabilities(service, "same");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(same[i], before[i], 1e-15);
  ASSERT_TRUE(service.configure(R"({"probabilityFloor":1})").ok());
  EXPECT_EQ(probabilities(service, "all"), std::vector<double>(4, 0.25));
}

TEST(ProbabilityFloor, ChoicesFollowTheProbabilities) {
  TestService service;
  ASSERT_TRUE(service.configure(R"({"probabilityFloor":0.1})").ok());
  teach(service, 200);
  constexpr int kDraws = testing::repeats(20'000), kAtOnce = testing::repeats(4000);
  const auto stated = probabilities(service, "stated");
  EXPECT_NEAR(stated[0], 0.025, 1e-9);  // the floor: by itself it would be almost 0
  std::vector<std::atomic<int>> chosen(4);
  for (int from = 0; from < kDraws; from += kAtOnce) {
    std::atomic<int> left = kAtOnce;
    std::promise<void> all;
    for (int i = from; i < from + kAtOnce; ++i) {
      service->rank(request("draw" + std::to_string(i)), [&](const Result<RankAnswer>& answer) {
        ++chosen[answer.value().chosen];
        if (--left == 0) all.set_value();
      });
    }
    all.get_future().wait();
  }
  double chi2 = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double expected = kDraws * stated[i];
    chi2 += (chosen[i] - expected) * (chosen[i] - expected) / expected;
  }
  const boost::math::chi_squared three(3.0);
  EXPECT_GT(boost::math::cdf(boost::math::complement(three, chi2)), 0.001) << chi2;
}

// A folder from before the floor decides as it always did.
TEST(ProbabilityFloor, OldFoldersHaveNone) {
  TestService service;
  teach(service, 200);
  EXPECT_GE(probabilities(service, "new")[0], 0.005 * (1 - 1e-15));
  const std::string model = service.model_checksum();
  service.stop();
  const auto file = service.folder() / "data/service.json";
  nlohmann::json settings = nlohmann::json::parse(read_file(file));
  EXPECT_EQ(settings["configuration"]["probabilityFloor"], 0.02);
  settings["configuration"].erase("probabilityFloor");
  write_file(file, settings.dump());
  service.start();
  EXPECT_EQ(service->configuration().probability_floor, 0.0);
  EXPECT_EQ(service.model_checksum(), model);
  const auto without = probabilities(service, "old");
  EXPECT_LT(without[0], 0.005);
  // Nor does a change of another setting bring one.
  EXPECT_EQ(service.configure(R"({"defaultReward":0.1})").value().probability_floor, 0.0);
  service.restart_without_snapshot();
  EXPECT_EQ(service->configuration().probability_floor, 0.0);
  EXPECT_EQ(service.model_checksum(), model);
  EXPECT_EQ(probabilities(service, "older"), without);
}

TEST(ProbabilityFloor, ApprenticesAnswerWithCertainty) {
  TestService service;
  ASSERT_TRUE(service.configure(R"({"learningMode":"Apprentice"})").ok());
  EXPECT_EQ(probabilities(service, "e"), (std::vector<double>{1.0, 0.0, 0.0, 0.0}));
}

}  // namespace
}  // namespace sau
