#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sau/serve/log_tools.hpp"
#include "serve/replayer.hpp"
#include "serve/serve_support.hpp"
#include "serve/slots_request.hpp"
#include "support/sanitizer.hpp"

namespace sau {
namespace {

using nlohmann::json;
using testing::TestService;

json slot(const std::string& id, const std::string& baseline,
          const std::vector<std::string>& excluded = {}) {
  return {{"id", id},
          {"features", json::array({{{"place", id}}})},
          {"excludedActions", excluded},
          {"baselineAction", baseline}};
}

json slots_request(const std::string& event, const json& slots) {
  json actions = json::array();
  for (const char* id : {"a", "b", "c", "d"}) {
    actions.push_back({{"id", id}, {"features", json::array({{{"kind", id}}})}});
  }
  return {{"contextFeatures", json::array({{{"hour", 9}}})},
          {"actions", actions},
          {"slots", slots},
          {"eventId", event}};
}

std::map<std::string, std::string> chosen_of(const SlotsAnswer& answer) {
  std::map<std::string, std::string> chosen;
  for (const auto& each : answer.slots) chosen[each.id] = each.action_id;
  return chosen;
}

const json kThree = json::array({slot("top", "a"), slot("left", "b"), slot("right", "c")});

TEST(Slots, NoActionIsChosenTwice) {
  TestService service;
  for (int i = 0; i < 50; ++i) {
    const auto answer = service.rank_slots(slots_request("e" + std::to_string(i), kThree));
    ASSERT_TRUE(answer.ok()) << answer.failure().message;
    std::set<std::string> actions;
    for (const auto& each : answer.value().slots) actions.insert(each.action_id);
    EXPECT_EQ(actions.size(), 3U);
    EXPECT_EQ(answer.value().slots[1].id, "left");
  }
}

// Only one of the two ways to fill the slots works, whatever the first one would like.
TEST(Slots, ASlotLeavesWhatLaterOnesNeed) {
  TestService service;
  const json slots = json::array({slot("free", "b"), slot("narrow", "a", {"b", "c", "d"}),
                                  slot("narrower", "c", {"a", "b", "d"})});
  for (int i = 0; i < 30; ++i) {
    const auto answer = service.rank_slots(slots_request("e" + std::to_string(i), slots));
    ASSERT_TRUE(answer.ok());
    const auto chosen = chosen_of(answer.value());
    EXPECT_EQ(chosen.at("narrow"), "a");
    EXPECT_EQ(chosen.at("narrower"), "c");
    EXPECT_TRUE(chosen.at("free") == "b" || chosen.at("free") == "d");
  }
}

// With uniform choices, every way to fill the slots is equally likely, and the logged probabilities
// multiply to its chance.
TEST(Slots, ProbabilitiesAreExact) {
  TestService service("hashed_linear(bits=8)+uniform");
  const json slots = json::array({slot("one", "a"), slot("two", "b")});
  std::map<std::string, int> counts;
  constexpr int kEvents = testing::kSanitizer ? 360 : 1200;
  for (int i = 0; i < kEvents; ++i) {
    const std::string event = "e" + std::to_string(i);
    const auto answer = service.rank_slots(slots_request(event, slots));
    ASSERT_TRUE(answer.ok());
    ++counts[answer.value().slots[0].action_id + answer.value().slots[1].action_id];
    double chance = 1.0;
    for (const std::string& id : {event, event + "/two"}) {
      const json decision = json::parse(service->decision(id).value());
      for (const json& action : decision["actions"]) {
        if (action["id"] == decision["rewardActionId"])
          chance *= action["probability"].get<double>();
      }
    }
    EXPECT_NEAR(chance, 1.0 / 12.0, 1e-12);
  }
  ASSERT_EQ(counts.size(), 12U);
  double chi_square = 0.0;
  for (const auto& [pair, count] : counts) {
    const double off = count - kEvents / 12.0;
    chi_square += off * off / (kEvents / 12.0);
  }
  EXPECT_LT(chi_square, 31.3);  // 11 degrees of freedom, one in a thousand; the draws are fixed
}

TEST(Slots, EachSlotIsLearnedWithItsOwnReward) {
  TestService service;
  const auto answer = service.rank_slots(slots_request("e", kThree));
  ASSERT_TRUE(answer.ok());
  ASSERT_TRUE(service.reward_slots("e", {{"top", 1.0}, {"right", 0.25}}).ok());
  const auto reward_of = [&](const std::string& id) {
    return json::parse(service->decision(id).value())["reward"];
  };
  EXPECT_EQ(reward_of("e"), 1.0);
  EXPECT_EQ(reward_of("e/left"), nullptr);
  EXPECT_EQ(reward_of("e/right"), 0.25);
  EXPECT_EQ(json::parse(service->decision("e/right").value())["rewardActionId"],
            chosen_of(answer.value()).at("right"));
  service.pass(service->configuration().reward_wait_time + 1000);
  const std::string checksum = service.model_checksum();
  EXPECT_EQ(json::parse(service->model_properties())["eventsLearned"], 3);
  service.restart_without_snapshot();
  EXPECT_EQ(service.model_checksum(), checksum);
  service.stop();
  EXPECT_NO_THROW(verify_log(service.folder() / "data"));
  EXPECT_TRUE(replay_log(service.folder() / "data").same);
}

TEST(Slots, ARetryGetsTheSameAnswer) {
  TestService service;
  const auto first = service.rank_slots(slots_request("e", kThree));
  ASSERT_TRUE(first.ok());
  service.play("more", 50);
  service->settle();
  const auto again = service.rank_slots(slots_request("e", kThree));
  ASSERT_TRUE(again.ok()) << again.failure().message;
  EXPECT_EQ(chosen_of(again.value()), chosen_of(first.value()));
  service.restart();
  EXPECT_EQ(chosen_of(service.rank_slots(slots_request("e", kThree)).value()),
            chosen_of(first.value()));
  json other = kThree;
  other[0]["features"] = json::array();
  const auto conflict = service.rank_slots(slots_request("e", other));
  ASSERT_FALSE(conflict.ok());
  EXPECT_EQ(conflict.failure().code, Failure::Code::kConflict);
}

TEST(Slots, ApprenticesTakeTheBaselineActions) {
  TestService service;
  ASSERT_TRUE(service.configure(R"({"learningMode":"Apprentice"})").ok());
  const json slots = json::array({slot("one", "c"), slot("two", "a"), slot("three", "d")});
  const auto chosen = chosen_of(service.rank_slots(slots_request("e", slots)).value());
  EXPECT_EQ(chosen,
            (std::map<std::string, std::string>{{"one", "c"}, {"two", "a"}, {"three", "d"}}));
}

TEST(Slots, AllSlotsAreActivatedTogether) {
  TestService service;
  json request = slots_request("e", kThree);
  request["deferActivation"] = true;
  ASSERT_TRUE(service.rank_slots(request).ok());
  EXPECT_FALSE(json::parse(service->decision("e/left").value())["active"]);
  ASSERT_TRUE(service.activate_slots("e").ok());
  for (const char* id : {"e", "e/left", "e/right"}) {
    EXPECT_TRUE(json::parse(service->decision(id).value())["active"]) << id;
  }
}

TEST(Slots, IdsWithSlashesDoNotClash) {
  EXPECT_EQ(detail::decision_id("a/b", "c", false), "a%2Fb/c");
  EXPECT_EQ(detail::decision_id("a", "b/c", false), "a/b%2Fc");
  EXPECT_EQ(detail::decision_id("a/b", "c", true), "a/b");
  TestService service;
  const json slots = json::array({slot("x", "a"), slot("y/z", "b")});
  ASSERT_TRUE(service.rank_slots(slots_request("e/1", slots)).ok());
  EXPECT_TRUE(service.reward_slots("e/1", {{"y/z", 1.0}}).ok());
  EXPECT_EQ(json::parse(service->decision("e%2F1/y%2Fz").value())["reward"], 1.0);
}

TEST(Slots, WrongRequestsAreRefusedAndNothingIsLogged) {
  TestService service;
  const auto target = [&](const json& request) {
    const auto answer = service.rank_slots(request);
    EXPECT_FALSE(answer.ok()) << request;
    return answer.ok() ? "" : answer.failure().target;
  };
  const auto with = [&](const json& slots) { return slots_request("bad", slots); };
  EXPECT_EQ(target(with(json::array())), "slots");
  EXPECT_EQ(target(with("all")), "slots");
  json many = json::array();
  for (int i = 0; i < 51; ++i) many.push_back(slot(std::to_string(i), "a"));
  EXPECT_EQ(target(with(many)), "slots");
  EXPECT_EQ(target(with(json::array({slot("", "a")}))), "slots[0].id");
  EXPECT_EQ(target(with(json::array({slot("x", "a"), slot("x", "b")}))), "slots[1].id");
  EXPECT_EQ(target(with(json::array({slot("x", "e")}))), "slots[0].baselineAction");
  EXPECT_EQ(target(with(json::array({slot("x", "a", {"a"})}))), "slots[0].baselineAction");
  EXPECT_EQ(target(with(json::array({slot("x", "a"), slot("y", "a")}))), "slots[1].baselineAction");
  json twice = with(kThree);
  twice["actions"].push_back({{"id", "a"}});
  EXPECT_EQ(target(twice), "actions[4].id");
  json features = with(kThree);
  features["actions"][1]["features"] = 7;
  EXPECT_FALSE(service.rank_slots(features).ok());
  EXPECT_EQ(service->decision("bad").failure().code, Failure::Code::kNotFound);
}

// Each slot is a request of its own inside, in which places differ.
TEST(Slots, AFailureNamesThePlaceInTheCallersRequest) {
  TestService service;
  const json good = slots_request("bad", json::array({slot("x", "c"), slot("y", "a")}));
  const auto failure = [&](const char* pointer, const json& value) {
    json request = good;
    request[json::json_pointer(pointer)] = value;
    const auto answer = service.rank_slots(request);
    EXPECT_FALSE(answer.ok()) << request;
    return answer.ok() ? Failure{} : answer.failure();
  };
  for (const char* place : {"0", "1", "2", "3"}) {
    EXPECT_EQ(failure(("/actions/" + std::string(place) + "/features").c_str(), 7).target,
              "actions[" + std::string(place) + "].features");
  }
  const json deep = json::parse(R"([{"a":{"b":{"c":{"d":1}}}}])"), huge = {{{"n", 1e39}}};
  for (const json& wrong : {deep, huge}) {
    EXPECT_EQ(failure("/contextFeatures", wrong).target, "contextFeatures");
    EXPECT_EQ(failure("/actions/2/features", wrong).target, "actions[2].features");
    EXPECT_EQ(failure("/slots/0/features", wrong).target, "slots[0].features");
    EXPECT_EQ(failure("/slots/1/features", wrong).target, "slots[1].features");
  }
  EXPECT_THAT(failure("/slots/1/features", deep).message, ::testing::HasSubstr("deeper than 3"));
  for (const json& wrong :
       {json(7), json::array({1}), json::array({"x"}), json::array({nullptr})}) {
    EXPECT_EQ(failure("/slots/1/features", wrong).target, "slots[1].features") << wrong;
  }
  EXPECT_FALSE(service->decision("bad").ok());
}

// A rank request that claims to have slots has none.
TEST(Slots, ARetryOfAForgedEventIsAConflict) {
  TestService service;
  const json request = slots_request("e", kThree);
  ASSERT_TRUE(service.rank_slots(request).ok());
  // The first slot's request has the slots and the fingerprint of all.
  std::string logged;
  service.stop();
  export_log(service.folder() / "data", LogFormat::kJsonLines,
             [&](const std::string& lines) { logged += lines; });
  service.start();
  json forged = json::parse(testing::simple_request("forged"));
  forged["multiSlot"] = json::parse(logged.substr(0, logged.find('\n')))["request"]["multiSlot"];
  ASSERT_TRUE(forged["multiSlot"].is_object()) << logged;
  ASSERT_TRUE(service.rank(forged.dump()).ok());
  json retry = request;
  retry["eventId"] = "forged";
  const auto again = service.rank_slots(retry);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.failure().code, Failure::Code::kConflict) << again.failure().message;
  EXPECT_EQ(service.reward_slots("forged", {{"left", 1.0}}).failure().code,
            Failure::Code::kNotFound);
}

TEST(Slots, WrongRewardsAreRefusedAsAWhole) {
  TestService service;
  ASSERT_TRUE(service.rank_slots(slots_request("e", kThree)).ok());
  ASSERT_TRUE(service.rank(testing::simple_request("single")).ok());
  EXPECT_EQ(service.reward_slots("none", {{"top", 1.0}}).failure().code, Failure::Code::kNotFound);
  EXPECT_EQ(service.reward_slots("single", {{"top", 1.0}}).failure().name,
            "InvalidMultiSlotApiAccess");
  EXPECT_EQ(service.reward_slots("e", {{"top", 1.0}, {"bottom", 1.0}}).failure().target,
            "reward[1].slotId");
  EXPECT_EQ(service.reward_slots("e", {{"top", 1.0}, {"left", 7.0}}).failure().target,
            "reward[1].value");
  EXPECT_EQ(json::parse(service->decision("e").value())["rewards"].size(), 0U);
}

}  // namespace
}  // namespace sau
