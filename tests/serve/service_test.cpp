#include "sau/serve/service.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "sau/serve/log_tools.hpp"
#include "serve/serve_support.hpp"
#include "support/sanitizer.hpp"

namespace sau {
namespace {

using nlohmann::json;
using testing::simple_request;
using testing::TestService;

json explained(TestService& service, const std::string& event) {
  const auto text = service->decision(event);
  EXPECT_TRUE(text.ok()) << (text.ok() ? "" : text.failure().message);
  return text.ok() ? json::parse(text.value()) : json();
}

std::uint64_t learned(TestService& service) {
  service->settle();
  return json::parse(service->model_properties())["eventsLearned"].get<std::uint64_t>();
}

TEST(Service, RanksInTheOrderOfTheRequestWithProbabilitiesThatSumToOne) {
  TestService service;
  const auto answer = service.rank(simple_request("e1"));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.value().event_id, "e1");
  ASSERT_EQ(answer.value().ranking.size(), 3U);
  EXPECT_EQ(answer.value().ranking[0].id, "a");
  EXPECT_EQ(answer.value().ranking[2].id, "c");
  double sum = 0.0;
  for (const RankedAction& action : answer.value().ranking) sum += action.probability;
  EXPECT_NEAR(sum, 1.0, 1e-12);
  EXPECT_GT(answer.value().ranking[answer.value().chosen].probability, 0.0);
}

TEST(Service, MakesAnEventIdIfThereIsNone) {
  TestService service;
  const std::string body = R"({"actions":[{"id":"a"}]})";
  const std::string first = service.rank(body).value().event_id;
  EXPECT_FALSE(first.empty());
  EXPECT_NE(first, service.rank(body).value().event_id);
  EXPECT_TRUE(service->decision(first).ok());
}

TEST(Service, ARetryGetsTheSameAnswerAndIsLoggedOnce) {
  TestService service;
  const RankAnswer first = service.rank(simple_request("e1")).value();
  for (int i = 0; i < 50; ++i) {  // changes the model
    const std::string event = "other" + std::to_string(i);
    static_cast<void>(service.rank(simple_request(event)));
    static_cast<void>(service.reward(event, 1.0));
  }
  service->settle();
  const RankAnswer again = service.rank(simple_request("e1")).value();
  EXPECT_EQ(again.chosen, first.chosen);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(again.ranking[i].probability, first.ranking[i].probability);
  }
  EXPECT_EQ(service.totals()["ranks"], 51);
}

TEST(Service, TheSameIdWithAnotherRequestIsAConflict) {
  TestService service;
  ASSERT_TRUE(service.rank(simple_request("e1")).ok());
  const auto other = service.rank(R"({"actions":[{"id":"a"}],"eventId":"e1"})");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.failure().code, Failure::Code::kConflict);
}

TEST(Service, ExcludedActionsKeepTheirPlaceWithProbabilityZero) {
  TestService service;
  for (int i = 0; i < 50; ++i) {
    const auto answer =
        service.rank(simple_request("e" + std::to_string(i), R"(,"excludedActions":["b"])"));
    EXPECT_EQ(answer.value().ranking[1].id, "b");
    EXPECT_EQ(answer.value().ranking[1].probability, 0.0);
    EXPECT_NE(answer.value().chosen, 1U);
  }
}

TEST(Service, TheFirstRewardIsLearnedAtOnceAndTheSecondIsNot) {
  TestService service;
  static_cast<void>(service.rank(simple_request("e1")));
  EXPECT_TRUE(service.reward("e1", 0.5).ok());
  EXPECT_EQ(learned(service), 1U);
  EXPECT_TRUE(service.reward("e1", 0.9).ok());
  EXPECT_EQ(learned(service), 1U);
  const json decision = explained(service, "e1");
  EXPECT_EQ(decision["state"], "learned");
  EXPECT_EQ(decision["reward"], 0.5);
  ASSERT_EQ(decision["rewards"].size(), 2U);
  EXPECT_EQ(decision["rewards"][1]["late"], true);
}

TEST(Service, ASumIsLearnedWhenItsTimeIsUp) {
  TestService service;
  ASSERT_TRUE(service.configure(R"({"rewardAggregation":"sum","rewardWaitTime":"PT1M"})").ok());
  static_cast<void>(service.rank(simple_request("e1")));
  static_cast<void>(service.reward("e1", 0.5));
  static_cast<void>(service.reward("e1", 0.25));
  EXPECT_EQ(learned(service), 0U);
  service.time += 60'001;
  static_cast<void>(service.rank(simple_request("later")));
  EXPECT_EQ(learned(service), 1U);
  EXPECT_EQ(explained(service, "e1")["reward"], 0.75);
}

TEST(Service, WithoutARewardTheDefaultIsLearnedWhenItsTimeIsUp) {
  TestService service;
  ASSERT_TRUE(
      service.configure(R"({"rewardMinimum":-2,"defaultReward":-1.5,"rewardWaitTime":"PT1M"})")
          .ok());
  static_cast<void>(service.rank(simple_request("e1")));
  service.time += 60'000;
  static_cast<void>(service.rank(simple_request("in time")));
  EXPECT_EQ(explained(service, "e1")["state"], "waiting");
  service.time += 1;
  static_cast<void>(service.rank(simple_request("late")));
  EXPECT_EQ(learned(service), 1U);
  EXPECT_EQ(explained(service, "e1")["state"], "missing");
  EXPECT_EQ(explained(service, "e1")["reward"], -1.5);
}

TEST(Service, ALateRewardIsKeptAndNotLearned) {
  TestService service;
  ASSERT_TRUE(service.configure(R"({"rewardWaitTime":"PT1M"})").ok());
  static_cast<void>(service.rank(simple_request("e1")));
  service.time += 60'001;
  EXPECT_TRUE(service.reward("e1", 1.0).ok());
  EXPECT_EQ(learned(service), 1U);  // the default
  const json decision = explained(service, "e1");
  EXPECT_EQ(decision["state"], "missing");
  EXPECT_EQ(decision["reward"], 0.0);
  EXPECT_EQ(decision["rewards"][0]["late"], true);
  EXPECT_NE(service->metrics().find("sau_rewards_total{outcome=\"late\"} 1"), std::string::npos);
}

TEST(Service, AnUnknownEventIsNotFound) {
  TestService service;
  EXPECT_EQ(service.reward("nobody", 1.0).failure().code, Failure::Code::kNotFound);
  EXPECT_EQ(service.activate("nobody").failure().code, Failure::Code::kNotFound);
  EXPECT_EQ(service->decision("nobody").failure().code, Failure::Code::kNotFound);
}

TEST(Service, ADeferredEventCountsOnceActivated) {
  TestService service;
  static_cast<void>(service.rank(simple_request("e1", R"(,"deferActivation":true)")));
  static_cast<void>(service.reward("e1", 0.5));
  EXPECT_EQ(learned(service), 0U);
  EXPECT_EQ(explained(service, "e1")["state"], "inactive");
  EXPECT_TRUE(service.activate("e1").ok());
  EXPECT_EQ(learned(service), 1U);
  EXPECT_TRUE(service.activate("e1").ok());  // again: nothing more happens
  EXPECT_EQ(learned(service), 1U);

  static_cast<void>(service.rank(simple_request("e2", R"(,"deferActivation":true)")));
  static_cast<void>(service.activate("e2"));
  static_cast<void>(service.reward("e2", 0.5));
  EXPECT_EQ(learned(service), 2U);
}

TEST(Service, ADeferredEventThatIsNeverActivatedIsNotLearned) {
  TestService service;
  ASSERT_TRUE(service.configure(R"({"rewardWaitTime":"PT1M"})").ok());
  static_cast<void>(service.rank(simple_request("e1", R"(,"deferActivation":true)")));
  static_cast<void>(service.reward("e1", 0.5));
  service.time += 60'001;
  EXPECT_TRUE(service.activate("e1").ok());
  EXPECT_EQ(learned(service), 0U);
  EXPECT_EQ(explained(service, "e1")["state"], "inactive");
}

TEST(Service, AnApprenticeAnswersTheFirstActionAndLearnsFromIt) {
  TestService service;
  ASSERT_TRUE(service.configure(R"({"learningMode":"Apprentice"})").ok());
  for (int i = 0; i < 20; ++i) {
    const std::string event = "e" + std::to_string(i);
    const auto answer = service.rank(simple_request(event, R"(,"excludedActions":["a"])"));
    EXPECT_EQ(answer.value().chosen, 1U);
    EXPECT_EQ(answer.value().ranking[1].probability, 1.0);
    EXPECT_EQ(answer.value().ranking[2].probability, 0.0);
    static_cast<void>(service.reward(event, 1.0));
  }
  EXPECT_EQ(learned(service), 20U);
  const json status = json::parse(service->status());
  EXPECT_GT(status["now"]["apprenticeAgreement"].get<double>(), 0.0);
  EXPECT_LE(status["now"]["apprenticeAgreement"].get<double>(), 1.0);
}

TEST(Service, LoggingOnlyDoesNotLearn) {
  TestService service;
  ASSERT_TRUE(service.configure(R"({"learningMode":"LoggingOnly"})").ok());
  static_cast<void>(service.rank(simple_request("e1")));
  static_cast<void>(service.reward("e1", 1.0));
  EXPECT_EQ(learned(service), 0U);
  EXPECT_EQ(explained(service, "e1")["state"], "logged");
}

TEST(Service, ADecisionCanBeLookedUp) {
  TestService service;
  static_cast<void>(service.rank(simple_request("e1")));
  static_cast<void>(service.reward("e1", 1.0));
  service->settle();
  const RankAnswer answer = service.rank(simple_request("e2")).value();
  const json decision = explained(service, "e2");
  EXPECT_EQ(decision["state"], "waiting");
  EXPECT_TRUE(decision["reward"].is_null());
  EXPECT_EQ(decision["modelVersion"], 2);  // the reward is the second record
  EXPECT_EQ(decision["rewardActionId"], answer.ranking[answer.chosen].id);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const json& action = decision["actions"][i];
    EXPECT_EQ(action["probability"].get<double>(), answer.ranking[i].probability);
    EXPECT_GT(action["spread"].get<double>(), 0.0);
    count += action["count"].get<std::uint64_t>();
  }
  EXPECT_EQ(count, 1U);
}

TEST(Service, WithoutAShareOfItsOwnTheServiceUsesTheStrategys) {
  TestService service("hashed_linear(bits=10)+epsilon_greedy(epsilon=0.6)");
  ASSERT_TRUE(service.configure(R"({"explorationPercentage":null})").ok());
  const auto answer = service.rank(simple_request("e1")).value();
  double largest = 0.0, least = 1.0;
  for (const RankedAction& action : answer.ranking) {
    largest = std::max(largest, action.probability);
    least = std::min(least, action.probability);
  }
  EXPECT_NEAR(least, 0.2, 1e-12);
  EXPECT_NEAR(largest, 0.6, 1e-12);
}

TEST(Service, DeterministicStrategiesAreMixedWithUniformChoice) {
  for (const char* strategy : {"sau_ucb", "epsilon_greedy"}) {
    TestService service(std::string("hashed_linear(bits=10)+") + strategy);
    ASSERT_TRUE(service.configure(R"({"explorationPercentage":0.3})").ok());
    const auto answer = service.rank(simple_request("e1")).value();
    int largest = 0;
    for (const RankedAction& action : answer.ranking) {
      if (action.probability > 0.5) {
        ++largest;
        EXPECT_NEAR(action.probability, 0.7 + 0.1, 1e-12);
      } else {
        EXPECT_NEAR(action.probability, 0.1, 1e-12);
      }
    }
    EXPECT_EQ(largest, 1) << strategy;
  }
}

TEST(Service, TooManyRequestsAreRefused) {
  TestService service;
  std::unique_lock hold(service.disk().mutex);  // the disk does not answer
  std::atomic<int> refused = 0, done = 0;
  constexpr int kRequests = 20'000;
  for (int i = 0; i < kRequests; ++i) {
    service->activate("e", [&](const Status& status) {
      if (status.failure().code == Failure::Code::kOverloaded) ++refused;
      ++done;
    });
  }
  EXPECT_GE(refused, kRequests - 2 * 8192);
  hold.unlock();
  EXPECT_TRUE(testing::eventually([&] { return done == kRequests; }));
}

TEST(Service, StatusAndMetricsTellWhatHappened) {
  TestService service;
  static_cast<void>(service.rank(simple_request("e1")));
  static_cast<void>(service.reward("e1", 0.5));
  service->count_request("rank", 201, 0.002);
  service->count_request("rank", 400, 0.001);
  service->settle();
  const json status = json::parse(service->status());
  EXPECT_EQ(status["totals"]["ranks"], 1);
  EXPECT_EQ(status["totals"]["rewards"], 1);
  EXPECT_EQ(status["totals"]["refused"], 1);
  EXPECT_EQ(status["recent"][0]["eventId"], "e1");
  EXPECT_EQ(status["recent"][0]["reward"], 0.5);
  EXPECT_EQ(status["actions"][0]["share"], 1.0);
  EXPECT_EQ(status["actions"][0]["mean"], 0.5);
  EXPECT_EQ(status["ready"], true);
  const std::string metrics = service->metrics();
  for (const char* line :
       {"sau_ranks_total 1", "sau_rewards_total{outcome=\"in_time\"} 1", "sau_learned_total 1",
        "sau_requests_total{request=\"rank\",status=\"400\"} 1", "sau_reward_sum 0.5",
        "sau_request_seconds_count{request=\"rank\"} 2", "sau_model_events 1",
        "sau_log_writable 1"}) {
    EXPECT_NE(metrics.find(line), std::string::npos) << line << "\n" << metrics;
  }
  // The two requests were written one after the other.
  for (const char* line : {"sau_log_write_seconds_count 0\n", "sau_log_write_seconds_count 1\n"}) {
    EXPECT_EQ(metrics.find(line), std::string::npos) << metrics;
  }
  EXPECT_NE(metrics.find("sau_log_write_seconds_count "), std::string::npos) << metrics;
}

TEST(Service, TheBaselineIsEstimatedWithoutBias) {
  TestService service("hashed_linear(bits=10)+epsilon_greedy");
  ASSERT_TRUE(service.configure(R"({"explorationPercentage":1})").ok());
  // Uniform choice; the first action pays 1, the others 0: the policy gets 1/3, the baseline 1.
  constexpr int kEvents = testing::repeats(3000);
  for (int i = 0; i < kEvents; ++i) {
    const std::string event = "e" + std::to_string(i);
    const auto answer = service.rank(simple_request(event)).value();
    static_cast<void>(service.reward(event, answer.chosen == 0 ? 1.0 : 0.0));
  }
  service->settle();
  const json now = json::parse(service->status())["now"];
  const double deviation = std::sqrt(1.0 / 3.0 * 2.0 / 3.0 / kEvents);
  EXPECT_NEAR(now["meanReward"].get<double>(), 1.0 / 3.0, 4.0 * deviation);
  EXPECT_NEAR(now["baselineReward"].get<double>(), 1.0, 4.0 * 3.0 * deviation);
  // The difference is -2 in a third of the events, and 0 in the others.
  const json& gain = now["gain"];
  const double spread = 2.0 * deviation;
  EXPECT_NEAR(gain["mean"].get<double>(), -2.0 / 3.0, 4.0 * spread);
  EXPECT_NEAR(gain["high"].get<double>() - gain["low"].get<double>(), 2.0 * 1.96 * spread,
              0.2 * spread);
  EXPECT_EQ(gain["events"], kEvents);
}

// Events that nobody rewards are the normal case: they are completed together, and none of them is
// looked up.
TEST(Service, EventsWithoutARewardExpireTogether) {
  TestService service;
  ASSERT_TRUE(service.configure(R"({"rewardWaitTime":"PT1M","defaultReward":0.25})").ok());
  constexpr int kEvents = 3000;
  for (int i = 0; i < kEvents; ++i) {
    ASSERT_TRUE(service.rank(simple_request("e" + std::to_string(i))).ok());
  }
  service.time += 60'001;
  ASSERT_TRUE(testing::eventually([&] { return service.totals()["waiting"] == 0; }));
  service->settle();
  EXPECT_EQ(service.disk().look_ups, 0U);
  EXPECT_EQ(service.totals()["missingRewards"], kEvents);
  EXPECT_EQ(service.totals()["learned"], kEvents);
  const json decision = json::parse(service->decision("e1234").value());
  EXPECT_EQ(decision["state"], "missing");
  EXPECT_EQ(decision["reward"], 0.25);
  EXPECT_EQ(service.reward("e1234", 1.0).ok(), true);  // late: kept, not learned from
  EXPECT_EQ(json::parse(service->decision("e1234").value())["state"], "missing");
  const std::string checksum = service.model_checksum();
  service.restart_without_snapshot();
  EXPECT_EQ(service.model_checksum(), checksum);
  const LogCheck check = verify_log(service.folder() / "data");
  EXPECT_EQ(check.decisions, static_cast<std::uint64_t>(kEvents));
  EXPECT_LE(check.entries, 2U + kEvents / 100);
}

}  // namespace
}  // namespace sau
