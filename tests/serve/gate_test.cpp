#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/core/floor.hpp"
#include "sau/serve/log_tools.hpp"
#include "serve/replayer.hpp"
#include "serve/serve_support.hpp"

namespace sau {
namespace {

using ::testing::HasSubstr;
using testing::simple_request;
using testing::TestService;

constexpr const char *kUniform = "hashed_linear(bits=8)+uniform",
                     *kGreedy = "hashed_linear(bits=8)+greedy";

GateRequest candidate(const std::string& agent, bool automatic = true) {
  return {.policy = {"candidate", canonical_offer_agent(agent)}, .automatic = automatic};
}

// Plays until the trial has ended, but not for ever.
void play_until_it_ends(TestService& service, const std::string& prefix) {
  for (int round = 0; round < 200; ++round) {
    service.play(prefix + std::to_string(round) + "-", 10);
    service->settle();
    if (service->gate()->outcome) return;
  }
  FAIL() << to_json(*service->gate());
}

void expect_gate_replays(const TestService& service) {
  EXPECT_NO_THROW(verify_log(service.folder() / "data"));
  const ReplayCheck check = replay_log(service.folder() / "data");
  EXPECT_TRUE(check.same) << check.stored << " " << check.replayed;
}

TEST(Gate, ABetterCandidateIsPromoted) {
  TestService service(kUniform);
  service.play("before", 60);
  ASSERT_TRUE(service.begin_trial(candidate(kGreedy)).ok());
  EXPECT_EQ(service->agent(), canonical_offer_agent(kUniform));  // it decides nothing yet
  play_until_it_ends(service, "e");
  const GateState gate = *service->gate();
  EXPECT_EQ(gate.outcome, GateOutcome::kPromoted);
  EXPECT_GT(gate.low, 0.0);
  EXPECT_NEAR(gate.gain, 0.4, 0.15);  // 0.5 earned by uniform choices, 0.25 to 1 possible
  EXPECT_EQ(service->policy(), (Policy{"candidate", canonical_offer_agent(kGreedy)}));
  service.play("after", 20);
  const std::string checksum = service.model_checksum();
  // It has learned from every event, before, during and after the trial.
  const auto events = nlohmann::json::parse(service->status())["totals"]["learned"];
  EXPECT_EQ(nlohmann::json::parse(service->model_properties())["eventsLearned"], events);

  service.restart();
  EXPECT_EQ(service.model_checksum(), checksum);
  EXPECT_EQ(to_json(*service->gate()), to_json(gate));
  service.restart_without_snapshot();
  EXPECT_EQ(service.model_checksum(), checksum);
  EXPECT_EQ(to_json(*service->gate()), to_json(gate));
  service.stop();
  expect_gate_replays(service);
}

TEST(Gate, AWorseCandidateIsGivenUp) {
  TestService service(kGreedy);
  service.play("before", 60);
  ASSERT_TRUE(service.begin_trial(candidate(kUniform)).ok());
  play_until_it_ends(service, "e");
  EXPECT_EQ(service->gate()->outcome, GateOutcome::kWorse);
  EXPECT_LT(service->gate()->high, 0.0);
  EXPECT_EQ(service->policy().name, "default");
  service.stop();
  expect_gate_replays(service);
}

TEST(Gate, AGainBelowTheMarginIsNotEnough) {
  TestService service(kUniform);
  service.play("before", 60);
  GateRequest request = candidate(kGreedy);
  request.margin = 0.9;
  ASSERT_TRUE(service.begin_trial(request).ok());
  service.play("e", 400);
  service->settle();
  EXPECT_GT(service->gate()->low, 0.0);
  EXPECT_FALSE(service->gate()->outcome.has_value());
}

// The gain is what a plain reading of its definition gives: the candidate learns from each event
// after it was scored, and the agent's own predictions help.
TEST(Gate, TheGainIsThatOfTheDefinition) {
  TestService service(kUniform);
  service.play("before", 30);
  service->settle();
  ASSERT_TRUE(service.begin_trial(candidate(kGreedy, false)).ok());
  service.play("e", 50);
  service->settle();
  const GateState gate = *service->gate();
  EXPECT_EQ(gate.decisions, 50U);
  const Configuration configuration = service->configuration();
  service.stop();
  const auto agent = make_offer_agent(kGreedy, 1);
  const auto store =
      open_event_store(detail::log_folder(service.folder() / "data"), {.read_only = true});
  double sum = 0.0;
  int seen = 0;
  good(store->events(1, store->head().last, [&](const LoggedEvent& event) {
    const Decision made = good(decode_decision(event.decision));
    const auto request = good(read_rank_request(made.request, RequestLimits::none()));
    std::vector<OfferedAction> offered;
    for (std::size_t i = 0; i < made.actions.size(); ++i) offered.push_back(request.offered(i));
    std::vector<Forecast> forecasts(offered.size());
    agent->decide(request.context(), offered, configuration.exploration_percentage, forecasts);
    std::vector<double> pi;
    for (const Forecast& each : forecasts) pi.push_back(each.probability);
    raise_to_floor(configuration.probability_floor, pi);
    const double r = event.state.final_reward;
    if (++seen > 30) {
      double gain = 0.0;
      for (std::size_t a = 0; a < pi.size(); ++a) {
        gain +=
            (pi[a] - made.actions[a].probability) * std::clamp(made.actions[a].value, -1.0, 1.0);
      }
      const double w = pi[made.chosen] / made.actions[made.chosen].probability;
      sum += gain + (w - 1.0) * (r - std::clamp(made.actions[made.chosen].value, -1.0, 1.0));
    }
    agent->learn(request.context(), offered[made.chosen], forecasts[made.chosen].value, r);
    return true;
  }));
  EXPECT_NEAR(gate.gain, sum / 50.0, 1e-9);
}

TEST(Gate, ATrialContinuesAfterARestart) {
  TestService service(kUniform);
  service.play("before", 30);
  ASSERT_TRUE(service.begin_trial(candidate(kGreedy, false)).ok());
  service.play("e", 25);
  ASSERT_TRUE(service.rank(simple_request("open")).ok());
  service.play("f", 5);
  service->settle();
  const std::string before = to_json(*service->gate());
  service.restart();
  EXPECT_EQ(to_json(*service->gate()), before);
  service.restart_without_snapshot();
  service->settle();
  EXPECT_EQ(to_json(*service->gate()), before);
  // Not before the open one is settled: what the candidate would have done must not depend on
  // what came later.
  EXPECT_EQ(service->gate()->decisions, 25U);
  ASSERT_TRUE(service.reward("open", 0.5).ok());
  service->settle();
  EXPECT_EQ(service->gate()->decisions, 31U);
  service.stop();
  expect_gate_replays(service);
}

TEST(Gate, SomebodyMayPromoteACandidateOrGiveItUp) {
  TestService service(kUniform);
  service.play("before", 10);
  EXPECT_EQ(service.end_trial(GateOutcome::kPromoted).failure().code, Failure::Code::kNotFound);
  ASSERT_TRUE(service.begin_trial(candidate(kGreedy, false)).ok());
  EXPECT_EQ(service.begin_trial(candidate(kGreedy)).failure().code, Failure::Code::kConflict);
  ASSERT_TRUE(service.end_trial(GateOutcome::kStopped).ok());
  service->settle();
  EXPECT_EQ(service->gate()->outcome, GateOutcome::kStopped);
  EXPECT_EQ(service->policy().name, "default");
  ASSERT_TRUE(service.begin_trial(candidate(kGreedy, false)).ok());
  ASSERT_TRUE(service.rank(simple_request("open")).ok());
  service.play("e", 10);
  ASSERT_TRUE(service.end_trial(GateOutcome::kPromoted).ok());
  EXPECT_EQ(service->policy().name, "candidate");
  ASSERT_TRUE(service.reward("open", 1.0).ok());
  const std::string checksum = service.model_checksum();
  EXPECT_EQ(nlohmann::json::parse(service->model_properties())["eventsLearned"], 21);
  service.restart_without_snapshot();
  EXPECT_EQ(service.model_checksum(), checksum);
  service.stop();
  expect_gate_replays(service);
}

TEST(Gate, AnotherPolicyEndsTheTrial) {
  TestService service(kUniform);
  service.play("before", 10);
  ASSERT_TRUE(service.begin_trial(candidate(kGreedy, false)).ok());
  ASSERT_TRUE(service.set_policy("other", "hashed_linear(bits=9)+sau_sampling").ok());
  service->settle();
  EXPECT_EQ(service->gate()->outcome, GateOutcome::kReplaced);
  EXPECT_EQ(service->policy().name, "other");
  service.play("e", 10);
  service.stop();
  expect_gate_replays(service);
}

TEST(Gate, TheLogMayBeRemovedMeanwhile) {
  TestService service(kUniform);
  service.play("before", 20);
  ASSERT_TRUE(service.begin_trial(candidate(kGreedy, false)).ok());
  service.play("e", 20);
  ASSERT_TRUE(service.remove_log().ok());
  EXPECT_TRUE(testing::eventually([&] { return !service->log_properties().ok(); }));
  service.play("f", 20);
  service->settle();
  EXPECT_EQ(service->gate()->decisions, 40U);
  const std::string before = to_json(*service->gate());
  service.restart_without_snapshot();
  service->settle();
  EXPECT_EQ(to_json(*service->gate()), before);
  service.stop();
  expect_gate_replays(service);
}

TEST(Gate, WrongRequestsAreRefused) {
  TestService service(kUniform);
  const auto refused = [&](const char* more) {
    const std::string request = std::string(R"({"name":"x","arguments":"sau")") + more + "}";
    return service.begin_trial(request).failure();
  };
  EXPECT_EQ(refused(R"(,"margin":-1)").target, "margin");
  EXPECT_EQ(refused(R"(,"alpha":1)").target, "alpha");
  EXPECT_EQ(refused(R"(,"automatic":1)").target, "automatic");
  EXPECT_EQ(service.begin_trial(std::string(R"({"name":"x"})")).failure().target, "arguments");
  EXPECT_FALSE(service->gate().has_value());
  EXPECT_EQ(nlohmann::json::parse(service->status())["gate"], nullptr);
}

TEST(Gate, ItIsOnThePageAndAmongTheMetrics) {
  TestService service(kUniform);
  service.play("before", 10);
  ASSERT_TRUE(service.begin_trial(candidate(kGreedy, false)).ok());
  service.play("e", 10);
  service->settle();
  const auto status = nlohmann::json::parse(service->status())["gate"];
  EXPECT_EQ(status["name"], "candidate");
  EXPECT_EQ(status["decisions"], 10);
  EXPECT_EQ(status["outcome"], nullptr);
  EXPECT_THAT(service->metrics(), HasSubstr("\nsau_gate_running 1\n"));
  EXPECT_THAT(service->metrics(), HasSubstr("\nsau_gate_decisions 10\n"));
}

}  // namespace
}  // namespace sau
