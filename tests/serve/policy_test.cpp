#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/serve/log_tools.hpp"
#include "serve/model_file.hpp"
#include "serve/replayer.hpp"
#include "serve/serve_support.hpp"

namespace sau {
namespace {

using ::testing::HasSubstr;
using testing::simple_request;
using testing::TestService;

constexpr const char* kOther = "hashed_linear(bits=9)+epsilon_greedy";

void expect_replay_is_the_same(const TestService& service) {
  EXPECT_NO_THROW(verify_log(service.folder() / "data"));
  const ReplayCheck check = replay_log(service.folder() / "data");
  EXPECT_TRUE(check.same) << check.stored << " " << check.replayed;
}

// What an agent learns from the log, with nothing of the service's own code for that. Decisions
// that are not its own, up to record `others`, it learns with its own predictions.
std::string learned_naively(const std::filesystem::path& folder, const std::string& spec,
                            Sequence others) {
  const auto agent = make_offer_agent(spec, 1);
  const auto store = open_event_store(detail::log_folder(folder), {.read_only = true});
  good(store->entries(1, [&](Sequence sequence, const Entry& entry) {
    if (!entry.completes || entry.kind == EntryKind::kMissing) return true;
    const Decision decision = good(store->decision(entry.decision)).value();
    const auto request = good(read_rank_request(decision.request, RequestLimits::none()));
    std::vector<OfferedAction> offered;
    for (std::size_t i = 0; i < decision.actions.size(); ++i) {
      offered.push_back(request.offered(i));
    }
    std::vector<Forecast> forecasts(offered.size());
    agent->decide(request.context(), offered, 0.0, forecasts);
    const double value = sequence > others ? decision.actions[decision.chosen].value
                                           : forecasts[decision.chosen].value;
    agent->learn(request.context(), offered[decision.chosen], value, entry.value);
    return true;
  }));
  StateWriter state;
  agent->save(state);
  return detail::checksum_of(state.bytes());
}

TEST(Policy, TheFoldersAgentIsThePolicyUntilSomebodySetsAnother) {
  TestService service;
  EXPECT_EQ(service->policy().name, "default");
  EXPECT_EQ(service->policy().agent, service->agent());
  service.play("a", 20);
  const std::string before = service.model_checksum();
  const auto set = service.set_policy("calm", kOther);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(set.value(), (Policy{"calm", canonical_offer_agent(kOther)}));
  EXPECT_EQ(service->policy(), set.value());
  EXPECT_EQ(service->agent(), set.value().agent);
  EXPECT_NE(service.model_checksum(), before);
  EXPECT_EQ(nlohmann::json::parse(service->model_properties())["eventsLearned"], 0);
  service.play("b", 20);
  const std::string after = service.model_checksum();

  service.restart();
  EXPECT_EQ(service->policy(), set.value());
  EXPECT_EQ(service.model_checksum(), after);
  service.restart_without_snapshot();
  EXPECT_EQ(service.model_checksum(), after);
  service.stop();
  expect_replay_is_the_same(service);
  EXPECT_EQ(replay_log(service.folder() / "data").agent, set.value().agent);
}

TEST(Policy, ANewNameAloneKeepsTheModel) {
  TestService service;
  service.play("a", 10);
  const std::string before = service.model_checksum();
  ASSERT_TRUE(service.set_policy("other name", service->agent()).ok());
  EXPECT_EQ(service->policy().name, "other name");
  EXPECT_EQ(service.model_checksum(), before);
}

TEST(Policy, AResetGoesBackToTheFoldersAgent) {
  TestService service;
  const std::string first = service->agent();
  ASSERT_TRUE(service.set_policy("calm", kOther).ok());
  service.play("a", 10);
  const auto reset = service.reset_policy();
  ASSERT_TRUE(reset.ok());
  EXPECT_EQ(reset.value(), (Policy{"default", first}));
  EXPECT_EQ(service->agent(), first);
  service.play("b", 10);
  service.stop();
  expect_replay_is_the_same(service);
}

TEST(Policy, TheConfigurationKeepsItButCannotChangeIt) {
  TestService service;
  ASSERT_TRUE(service.set_policy("calm", kOther).ok());
  const std::string all = to_json(service->configuration());
  EXPECT_THAT(all, HasSubstr(R"("policy":{"name":"calm")"));
  // Clients send back what they were given.
  EXPECT_TRUE(service.configure(all).ok());
  EXPECT_EQ(service->policy().name, "calm");
  const auto other = service.configure(R"({"policy":{"name":"x","arguments":"sau"}})");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.failure().target, "policy");
  EXPECT_THAT(other.failure().message, HasSubstr("/configurations/policy"));
}

TEST(Policy, WrongOnesAreRefusedAndNothingIsLogged) {
  TestService service("beta_bernoulli+thompson");
  const auto head = [&] { return nlohmann::json::parse(service->model_properties())["version"]; };
  const auto before = head();
  const struct {
    const char *agent, *name, *says;
  } kCases[] = {
      {"nonsense", "InvalidPolicyConfiguration", "nonsense"},
      {"--cb_explore_adf --epsilon 0.2 --cb_type ips", "InvalidPolicyConfiguration",
       "hashed_linear+epsilon_greedy"},
      {"--cb_explore_adf --bag 5", "InvalidPolicyConfiguration", "committee+sau_sampling"},
      {"--cb_adf", "InvalidPolicyConfiguration", "the nearest one is sau"},
      {"", "InvalidPolicyContract", "1 to 1024"},
  };
  for (const auto& each : kCases) {
    const auto set = service.set_policy("x", each.agent);
    ASSERT_FALSE(set.ok()) << each.agent;
    EXPECT_EQ(set.failure().name, each.name) << each.agent;
    EXPECT_EQ(set.failure().target, "arguments");
    EXPECT_THAT(set.failure().message, HasSubstr(each.says));
  }
  const auto unnamed = service.set_policy("", "sau");
  ASSERT_FALSE(unnamed.ok());
  EXPECT_EQ(unnamed.failure().target, "name");
  EXPECT_EQ(head(), before);
}

TEST(Policy, AnAgentThatCannotLearnFromTheRewardsIsRefused) {
  TestService service;  // rewards from -1 to 1
  const auto set = service.set_policy("x", "beta_bernoulli+thompson");
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.failure().target, "arguments");
  EXPECT_THAT(set.failure().message, HasSubstr("learns from 0 to 1"));
}

TEST(Policy, TheAgentsNamedForVowpalWabbitExist) {
  TestService service;
  for (const char* option : {"--epsilon 0.1", "--first 5", "--squarecb", "--softmax", "--regcb",
                             "--bag 3", "--cover 3", "--nn 5", "--cb_explore_adf"}) {
    const auto set = service.set_policy("x", option);
    ASSERT_FALSE(set.ok());
    const std::string& message = set.failure().message;
    EXPECT_NO_THROW(canonical_offer_agent(message.substr(message.rfind(' ') + 1))) << message;
  }
}

TEST(Policy, AnAppliedPolicyHasLearnedFromTheWholeLog) {
  TestService service;
  service.play("a", 40);
  const Policy policy{"trained", canonical_offer_agent(kOther)};
  ASSERT_TRUE(service.apply_trained(policy).ok());
  EXPECT_EQ(service->policy(), policy);
  service.play("b", 10);
  const std::string checksum = service.model_checksum();
  EXPECT_EQ(nlohmann::json::parse(service->model_properties())["eventsLearned"], 50);
  service.restart_without_snapshot();
  EXPECT_EQ(service.model_checksum(), checksum);
  service.stop();
  EXPECT_EQ(checksum, learned_naively(service.folder() / "data", policy.agent, 80));
  expect_replay_is_the_same(service);
}

// The model file of a policy has read the log up to some record; entries may come before the
// switch.
TEST(Policy, NothingIsMissedBetweenTheTrainingAndTheSwitch) {
  TestService service;
  service.play("a", 30);
  service.stop();
  const auto folder = service.folder() / "data";
  const auto store = open_event_store(detail::log_folder(folder), {.read_only = true});
  const std::string agent = canonical_offer_agent(kOther);
  // A model of the first half of the log, and an entry that switches to it at the end.
  detail::Replayer half(folder, agent, 1);
  ASSERT_FALSE(half.catch_up(31, *store).has_value());
  EXPECT_EQ(half.agent().learned(), 15U);
  const std::string bytes = half.model();
  std::filesystem::create_directories(folder / "models");
  write_file(folder / "models/half.sau", bytes);
  detail::Replayer replayer(folder, "hashed_linear(bits=10)+sau_sampling", 1);
  const Entry entry{.kind = EntryKind::kPolicy,
                    .text = R"({"name":"x","agent":")" + agent + R"(","model":"half.sau"})"};
  ASSERT_TRUE(replayer.apply(store->head().last + 1, entry, *store).ok());
  EXPECT_EQ(replayer.agent().learned(), 30U);
  EXPECT_EQ(detail::model_checksum(replayer.model()),
            learned_naively(folder, agent, store->head().last));
}

TEST(Policy, EventsThatAPolicyBeganWithCannotBeStruck) {
  TestService service;
  service.play("a", 10);
  ASSERT_TRUE(service.apply_trained({"trained", canonical_offer_agent(kOther)}).ok());
  service.play("b", 10);
  service.stop();
  const auto folder = service.folder() / "data";
  try {
    strike_events(folder, {"a3"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("models/"));
  }
  strike_events(folder, {"b3"});
  expect_replay_is_the_same(service);
  service.start();
  EXPECT_EQ(nlohmann::json::parse(service->model_properties())["eventsLearned"], 19);
}

TEST(Policy, AModelOfAnotherFolderIsNoticed) {
  TestService other(kOther), service;
  other.play("a", 5);
  service.play("a", 10);
  other.stop();
  service.stop();
  std::filesystem::copy_file(other.folder() / "data/model.sau", service.folder() / "data/model.sau",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THROW(service.start(), Error);
}

TEST(Policy, AModelFileOfTheAgentBeforeIsRefused) {
  TestService service;
  service.play("a", 5);
  const std::string model = service->model();
  ASSERT_TRUE(service.set_policy("calm", kOther).ok());
  const auto loaded = service.load_model(model);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.failure().code, Failure::Code::kBadRequest);
}

bool is_empty(TestService& service) {
  const auto properties = service->log_properties();
  if (properties.ok()) return false;
  EXPECT_EQ(properties.failure().name, "LogsPropertiesNotFound");
  return true;
}

TEST(RemoveLog, NothingOfItIsLeftButTheModel) {
  TestService service;
  EXPECT_TRUE(is_empty(service));
  service.play("a", 100);
  EXPECT_EQ(nlohmann::json::parse(service->log_properties().value())["dateRange"]["from"],
            write_time(service.time));
  const std::string checksum = service.model_checksum();
  ASSERT_TRUE(service.remove_log().ok());
  EXPECT_TRUE(testing::eventually([&] { return is_empty(service); }));
  EXPECT_EQ(service->decision("a99").failure().code, Failure::Code::kNotFound);
  EXPECT_EQ(service.model_checksum(), checksum);
  EXPECT_TRUE(testing::eventually(
      [&] { return service.notes().find("as DELETE /logs asked for") != std::string::npos; }));
  service.play("b", 10);
  const std::string later = service.model_checksum();
  service.restart();
  EXPECT_EQ(service.model_checksum(), later);
  service.restart_without_snapshot();
  EXPECT_EQ(service.model_checksum(), later);
  service.stop();
  expect_replay_is_the_same(service);
}

TEST(RemoveLog, EventsThatWaitStayUntilTheyAreCompleted) {
  TestService service;
  service.snapshot_every = std::chrono::milliseconds(10);
  service.restart();
  service.play("a", 10);
  ASSERT_TRUE(service.rank(simple_request("late")).ok());
  ASSERT_TRUE(service.remove_log().ok());
  service->settle();
  EXPECT_TRUE(service->decision("late").ok());
  ASSERT_TRUE(service.reward("late", 1.0).ok());
  EXPECT_TRUE(testing::eventually([&] { return is_empty(service); }));
}

TEST(RemoveLog, TheOrderSurvivesARestart) {
  TestService service;
  service.play("a", 10);
  ASSERT_TRUE(service.rank(simple_request("late")).ok());
  ASSERT_TRUE(service.remove_log().ok());
  service.snapshot_every = std::chrono::milliseconds(10);
  service.restart();
  ASSERT_TRUE(service.reward("late", 1.0).ok());
  EXPECT_TRUE(testing::eventually([&] { return is_empty(service); }));
  // What comes after the order stays.
  service.play("b", 5);
  EXPECT_FALSE(is_empty(service));
  EXPECT_TRUE(service->decision("b0").ok());
}

}  // namespace
}  // namespace sau
