#include "sau/evaluations/evaluations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <memory>
#include <set>
#include <string>

#include "sau/catalog/catalog.hpp"
#include "sau/serve/log_tools.hpp"
#include "serve/replayer.hpp"
#include "serve/serve_support.hpp"

namespace sau {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::TestService;

constexpr const char* kCalm = "hashed_linear(bits=9)+epsilon_greedy";

// A service with events, and evaluations of its log.
class EvaluationsTest : public ::testing::Test {
 protected:
  EvaluationsTest() { start(); }

  void start() {
    evaluations_ = std::make_unique<Evaluations>(
        *service_, EvaluationsOptions{
                       .folder = folder(),
                       .clock = [this] { return ++clock_; },
                       .note = {},
                       .experiments = {"hashed_linear(bits=8)+greedy", kCalm},
                       .lowest_priority = false,
                   });
  }
  std::filesystem::path folder() const { return service_.folder() / "data"; }

  json contract(const json& more = json::object()) const {
    json contract = {{"name", "first try"},
                     {"startTime", "1970-01-01T00:00:00Z"},
                     {"endTime", "2030-01-01T00:00:00Z"},
                     {"policies", json::array({{{"name", "calm"}, {"arguments", kCalm}}})}};
    contract.update(more);
    return contract;
  }
  // Runs it, and returns what callers then see.
  json evaluated(const json& contract) {
    const auto created = evaluations_->create(contract.dump());
    EXPECT_TRUE(created.ok()) << created.failure().message;
    EXPECT_EQ(json::parse(created.value().json)["status"], "pending");
    evaluations_->settle();
    return json::parse(evaluations_->get(created.value().id).value());
  }
  Status apply(const json& body) {
    std::promise<Status> promise;
    evaluations_->apply(body.dump(), [&](Status status) { promise.set_value(std::move(status)); });
    return promise.get_future().get();
  }

  TestService service_;
  Milliseconds clock_ = 5'000'000;
  std::unique_ptr<Evaluations> evaluations_;
};

const json* result_of(const json& evaluation, const std::string& source) {
  for (const json& result : evaluation["policyResults"]) {
    if (result["policySource"] == source) return &result;
  }
  return nullptr;
}

TEST_F(EvaluationsTest, HasTheFieldsOfTheDocument) {
  service_.play("e", 60);
  const json evaluation = evaluated(contract());
  std::set<std::string> fields;
  for (const auto& [name, value] : evaluation.items()) fields.insert(name);
  EXPECT_EQ(fields, (std::set<std::string>{"id", "name", "startTime", "endTime", "jobId", "status",
                                           "policyResults", "featureImportance", "evaluationType",
                                           "optimalPolicy", "creationTime"}));
  EXPECT_EQ(evaluation["status"], "completed");
  EXPECT_EQ(evaluation["evaluationType"], "Manual");
  for (const char* source : {"Online", "Baseline", "Random", "Custom"}) {
    const json* const result = result_of(evaluation, source);
    ASSERT_NE(result, nullptr) << source;
    for (const char* field : {"name", "arguments", "summary", "totalSummary"}) {
      EXPECT_TRUE(result->contains(field)) << field;
    }
    for (const char* field :
         {"timeStamp", "ipsEstimatorNumerator", "ipsEstimatorDenominator",
          "snipsEstimatorDenominator", "aggregateTimeWindow", "nonZeroProbability", "sumOfSquares",
          "confidenceInterval", "averageReward"}) {
      EXPECT_TRUE((*result)["totalSummary"].contains(field)) << field;
    }
  }
  EXPECT_EQ((*result_of(evaluation, "Online"))["arguments"], service_->agent());
  // Rewards depend on the action alone.
  const json& importance = evaluation["featureImportance"];
  ASSERT_EQ(importance.size(), 4U) << importance;
  EXPECT_NE(importance[0][0], "contextFeatures.hour") << importance;
  EXPECT_EQ(json::parse(evaluations_->list()).size(), 1U);
}

// The sums of simple policies, computed here from the log.
TEST_F(EvaluationsTest, SumsAreThoseOfTheLog) {
  service_.play("e", 60);
  service_.pass(2 * 60 * 60 * 1000);  // another piece of time
  service_.play("f", 40);
  const json evaluation = evaluated(contract({{"endTime", "1970-01-02T00:00:00Z"}}));
  const auto store = open_event_store(detail::log_folder(folder()), {.read_only = true});
  double rewards = 0.0, weights = 0.0, squares = 0.0, logged = 0.0, first = 0.0;
  int count = 0, at_first = 0;
  good(store->events(1, store->head().last, [&](const LoggedEvent& event) {
    const Decision decision = good(decode_decision(event.decision));
    const double r = event.state.final_reward;
    const double p = decision.actions[decision.chosen].probability, w = 1.0 / 3.0 / p;
    ++count;
    logged += r;
    weights += w;
    rewards += w * r;
    squares += w * r * w * r;
    if (decision.chosen == 0) {
      ++at_first;
      first += r / p;
    }
    return true;
  }));
  ASSERT_EQ(count, 100);
  const double n = count;
  const json& random = (*result_of(evaluation, "Random"))["totalSummary"];
  EXPECT_NEAR(random["ipsEstimatorNumerator"], rewards, 1e-9);
  EXPECT_EQ(random["ipsEstimatorDenominator"], n);
  EXPECT_NEAR(random["snipsEstimatorDenominator"], weights, 1e-9);
  EXPECT_NEAR(random["sumOfSquares"], squares, 1e-9);
  EXPECT_NEAR(random["averageReward"], rewards / n, 1e-12);
  EXPECT_EQ(random["nonZeroProbability"], 1.0);
  const double variance = (squares / n - rewards / n * rewards / n) / (n - 1.0);
  EXPECT_NEAR(random["confidenceInterval"], 1.959963985 * std::sqrt(variance), 1e-6);
  const json& online = (*result_of(evaluation, "Online"))["totalSummary"];
  EXPECT_NEAR(online["averageReward"], logged / n, 1e-12);
  const json& baseline = (*result_of(evaluation, "Baseline"))["totalSummary"];
  EXPECT_NEAR(baseline["ipsEstimatorNumerator"], first, 1e-9);
  EXPECT_NEAR(baseline["nonZeroProbability"], at_first / n, 1e-12);
  const json& pieces = (*result_of(evaluation, "Random"))["summary"];
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0]["aggregateTimeWindow"], "PT1H");
  EXPECT_EQ(pieces[0]["ipsEstimatorDenominator"], 60.0);
  EXPECT_EQ(pieces[1]["ipsEstimatorDenominator"], 40.0);
}

TEST_F(EvaluationsTest, OnlyEventsOfTheTimeCount) {
  service_.play("e", 30);
  service_.pass(60 * 60 * 1000);
  const Milliseconds later = service_.time;
  service_.play("f", 50);
  const json evaluation = evaluated(contract({{"startTime", write_time(later)}}));
  EXPECT_EQ((*result_of(evaluation, "Random"))["totalSummary"]["ipsEstimatorDenominator"], 50.0);
}

// An event that waits for its reward has none: it says nothing about what rewards there can be.
TEST_F(EvaluationsTest, EventsWithoutAnOutcomeChangeNothing) {
  ASSERT_TRUE(
      service_.configure(R"({"rewardMinimum":1,"rewardMaximum":2,"defaultReward":1})").ok());
  for (int i = 0; i < 200; ++i) {
    service_->settle();
    const std::string id = "e" + std::to_string(i);
    const auto answer = service_.rank(testing::simple_request(id)).value();
    ASSERT_TRUE(service_.reward(id, answer.chosen == 1 ? 2.0 : 1.25).ok());
  }
  const json before = evaluated(contract());
  ASSERT_TRUE((*result_of(before, "Custom"))["gainLow"].is_number()) << before;
  ASSERT_TRUE(service_.rank(testing::simple_request("waiting")).ok());
  const json after = evaluated(contract());
  EXPECT_EQ(after["policyResults"], before["policyResults"]);
}

TEST_F(EvaluationsTest, TheAppliedPolicyDecidesWithItsModel) {
  service_.play("e", 60);
  const json evaluation = evaluated(contract());
  const Status applied = apply({{"evaluationId", evaluation["id"]}, {"policyName", "calm"}});
  ASSERT_TRUE(applied.ok()) << applied.failure().message;
  EXPECT_EQ(service_->policy(), (Policy{"calm", canonical_offer_agent(kCalm)}));
  service_.play("f", 5);
  const std::string checksum = service_.model_checksum();
  EXPECT_EQ(json::parse(service_->model_properties())["eventsLearned"], 65);
  evaluations_.reset();
  service_.restart_without_snapshot();
  EXPECT_EQ(service_.model_checksum(), checksum);
  service_.stop();
  EXPECT_TRUE(replay_log(folder()).same);
}

TEST_F(EvaluationsTest, WhatCannotBeAppliedIsRefused) {
  service_.play("e", 60);
  const json evaluation = evaluated(contract());
  const auto refused = [&](const json& id, const char* policy) {
    return apply({{"evaluationId", id}, {"policyName", policy}}).failure();
  };
  EXPECT_EQ(refused("none", "calm").name, "EvaluationNotFound");
  EXPECT_EQ(refused(evaluation["id"], "other").name, "LearningSettingsNotFound");
  EXPECT_EQ(refused(evaluation["id"], "Random").name, "LearningSettingsNotFound");
  EXPECT_EQ(apply({{"evaluationId", evaluation["id"]}}).failure().target, "policyName");
  EXPECT_EQ(service_->policy().name, "default");
}

TEST_F(EvaluationsTest, WrongContractsAreRefused) {
  const auto refused = [&](const json& more) {
    const auto created = evaluations_->create(contract(more).dump());
    EXPECT_FALSE(created.ok()) << more;
    return created.failure();
  };
  EXPECT_EQ(refused(json::object()).name, "NoLogsExistInDateRange");
  service_.play("e", 3);
  EXPECT_EQ(refused({{"startTime", "2029-01-01T00:00:00Z"}}).name, "NoLogsExistInDateRange");
  EXPECT_EQ(refused({{"name", 7}}).target, "name");
  EXPECT_EQ(refused({{"startTime", "yesterday"}}).target, "startTime");
  EXPECT_EQ(refused({{"endTime", "1970-01-01T00:00:00Z"}}).target, "endTime");
  EXPECT_EQ(refused({{"policies", "all"}}).name, "InvalidEvaluationContract");
  const json calm = {{"name", "calm"}, {"arguments", kCalm}};
  const Failure twice = refused({{"policies", json::array({calm, calm})}});
  EXPECT_EQ(twice.name, "DuplicateCustomPolicyNames");
  EXPECT_EQ(twice.target, "policies[1].name");
  const json vw = {{"name", "vw"}, {"arguments", "--cb_explore_adf --bag 3"}};
  EXPECT_THAT(refused({{"policies", json::array({vw})}}).message, HasSubstr("Vowpal Wabbit"));
  EXPECT_EQ(evaluations_->create("[1]").failure().name, "InvalidEvaluationContract");
  EXPECT_EQ(evaluations_->list(), "[]");
}

TEST_F(EvaluationsTest, ResultsAndWhatWasAskedForSurviveARestart) {
  service_.play("e", 40);
  const json done = evaluated(contract());
  // This one is interrupted, maybe before it began.
  const auto created = evaluations_->create(contract({{"name", "second"}}).dump());
  ASSERT_TRUE(created.ok());
  evaluations_.reset();
  start();
  evaluations_->settle();
  EXPECT_EQ(json::parse(evaluations_->get(done["id"].get<std::string>()).value()), done);
  json again = json::parse(evaluations_->get(created.value().id).value());
  EXPECT_EQ(again["status"], "completed");
  EXPECT_EQ(again["policyResults"], done["policyResults"]);
  // The latest comes first.
  EXPECT_EQ(json::parse(evaluations_->list())[0]["name"], "second");
}

TEST_F(EvaluationsTest, ADeletedOneIsGone) {
  service_.play("e", 20);
  const std::string id = evaluated(contract())["id"].get<std::string>();
  ASSERT_TRUE(evaluations_->remove(id).ok());
  EXPECT_EQ(evaluations_->get(id).failure().name, "EvaluationNotFound");
  EXPECT_EQ(evaluations_->remove(id).failure().name, "EvaluationNotFound");
  evaluations_.reset();
  start();
  EXPECT_EQ(evaluations_->list(), "[]");
}

TEST_F(EvaluationsTest, ExperimentsTryAgentsOfOurOwn) {
  service_.play("e", 40);
  const json evaluation =
      evaluated(contract({{"policies", json::array()}, {"enableOfflineExperimentation", true}}));
  EXPECT_EQ(evaluation["status"], "completed") << evaluation;
  const json* const result = result_of(evaluation, "OfflineExperimentation");
  ASSERT_NE(result, nullptr);
  EXPECT_EQ((*result)["name"], "hashed_linear(bits=8)+greedy");
}

TEST(Evaluations, ExperimentsAreAgentsOfTheCatalogue) {
  EXPECT_GE(experiment_agents().size(), 5U);
  for (const std::string& agent : experiment_agents()) {
    EXPECT_NO_THROW(canonical_offer_agent(agent)) << agent;
  }
}

// Automatic optimisation: the best of several candidates goes to the gate, and the evaluation says
// what became of it.
class AutomaticOptimisation : public ::testing::Test {
 protected:
  // A candidate is at the gate.
  AutomaticOptimisation() {
    begin();
    service.play("before", 150);  // fewer would be refused
    EXPECT_TRUE(service
                    .configure(R"({"isAutoOptimizationEnabled":true,)"
                               R"("autoOptimizationFrequency":"P1D",)"
                               R"("autoOptimizationStartDate":"1970-01-12T00:00:00Z"})")
                    .ok());
    clock = parse_time("1970-01-12T00:00:01Z").value();
    evaluations->settle();
    service->settle();
  }
  void begin() {
    evaluations = std::make_unique<Evaluations>(
        *service, EvaluationsOptions{.folder = service.folder() / "data",
                                     .clock = [this] { return clock.load(); },
                                     .note = {},
                                     .experiments = {"hashed_linear(bits=8)+greedy",
                                                     "hashed_linear(bits=8)+uniform"},
                                     .lowest_priority = false});
  }
  json all() const { return json::parse(evaluations->list()); }
  bool runs() { return service->gate() && !service->gate()->outcome; }

  TestService service{"hashed_linear(bits=8)+uniform"};
  std::atomic<Milliseconds> clock = 1'000'000'000;
  std::unique_ptr<Evaluations> evaluations;
};

TEST_F(AutomaticOptimisation, ABetterCandidateIsFoundAndApplied) {
  ASSERT_TRUE(runs());
  EXPECT_TRUE(service->gate()->request.scheduled);
  ASSERT_EQ(all().size(), 1U);
  EXPECT_EQ(all()[0]["evaluationType"], "Auto");
  EXPECT_EQ(all()[0]["status"], "pending");
  // The trial and the evaluation know each other after a restart.
  evaluations.reset();
  service.restart();
  begin();
  for (int round = 0; round < 200 && runs(); ++round) {
    service.play("e" + std::to_string(round) + "-", 10);
    service->settle();
  }
  EXPECT_EQ(service->gate()->outcome, GateOutcome::kPromoted);
  evaluations->settle();
  EXPECT_EQ(all()[0]["status"], "optimalPolicyApplied");
  EXPECT_EQ(service->policy().name, service->gate()->request.policy.name);
  EXPECT_EQ(all().size(), 1U);  // the next one is due in a day
  evaluations.reset();
  service.stop();
  EXPECT_TRUE(replay_log(service.folder() / "data").same);
}

// The thread waits until the learner has read how the trial ended.
TEST_F(AutomaticOptimisation, EvaluationsCanBeListedWhileTheServiceLearns) {
  ASSERT_TRUE(runs());
  service.disk().hold_entries(true);
  ASSERT_TRUE(service.end_trial(GateOutcome::kStopped).ok());
  auto settled = std::async(std::launch::async, [this] { evaluations->settle(); });
  auto listed = std::async(std::launch::async, [this] {
    for (int i = 0; i < 2000; ++i) EXPECT_EQ(all()[0]["status"], "pending");
  });
  EXPECT_EQ(listed.wait_for(std::chrono::minutes(2)), std::future_status::ready);
  service.disk().hold_entries(false);
  settled.get();
  EXPECT_EQ(all()[0]["status"], "onlinePolicyRetained");
}

TEST_F(EvaluationsTest, ADamagedFileIsLeftOut) {
  service_.play("e", 20);
  evaluated(contract());
  evaluations_.reset();
  for (const auto& file : std::filesystem::directory_iterator(folder() / "evaluations")) {
    std::filesystem::resize_file(file, 10);
  }
  start();
  EXPECT_EQ(evaluations_->list(), "[]");
}

}  // namespace
}  // namespace sau
