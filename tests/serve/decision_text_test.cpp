#include "serve/decision_text.hpp"

#include <gtest/gtest.h>

#include <string>

#include "sau/core/rng.hpp"
#include "serve/naive_lines.hpp"
#include "support/sanitizer.hpp"

namespace sau {
namespace {

using testing::NaiveJson;

// Numbers with few digits, and those at which the way a number is written changes.
double some_number(Rng& rng) {
  constexpr double kSpecial[] = {0.0,  -0.0,  1.0,    -1.0, 1e9,         -1e9, 1e15, 1e16, 1e-4,
                                 1e-5, 1e300, 5e-324, 1e14, 123456789.0, 0.5,  1e18, 0.1};
  if (rng.below(4) == 0) return kSpecial[rng.below(std::size(kSpecial))];
  return static_cast<double>(rng.below(200'001)) / 1000.0 - 100.0;
}

// In thousandths, which no float is exactly.
float some_share(Rng& rng) { return static_cast<float>(rng.below(1001)) / 1000.0F; }

std::string some_word(Rng& rng) {
  constexpr const char* kWords[] = {
      "a",        "b c",  "\"",       "\\",           "\n\t\r\b\f",
      "\x01\x1f", "\x7f", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
      "/",        "id"};
  std::string word;
  for (std::size_t i = 1 + rng.below(3); i > 0; --i) word += kWords[rng.below(std::size(kWords))];
  return word;
}

NaiveJson some_features(Rng& rng) {
  // What Vowpal Wabbit would misread.
  static const NaiveJson odd = NaiveJson::parse(
      R"({"_multi":"x","_label_cost":7,"%":1,"tags":["a","b","a"],"on":false,"off":true,)"
      R"("deep":[[1,2],["c"],{"tags":["d",0.5]}],"mixed":[null,3,"e",{"x":[]},true],)"
      R"("\u00e9":{"_tag":["f",{"_text":"g"}]},"\u00e9t":[4],"empty":{},"none at all":[]})");
  NaiveJson list = NaiveJson::array();
  for (std::size_t i = rng.below(3); i > 0; --i) {
    NaiveJson object = NaiveJson::object();
    object["name"] = some_word(rng);
    if (rng.below(2) == 0) object["[n]"] = {{"x", 0.25}, {"list", {1, 2, 3}}};
    if (rng.below(2) == 0) object["none"] = nullptr;
    for (const auto& [name, value] : odd.items()) {
      if (rng.below(8) == 0) object[name] = value;
    }
    list.push_back(std::move(object));
  }
  return list;
}

Decision some_decision(Rng& rng, int indent) {
  Decision decision;
  decision.time = static_cast<Milliseconds>(rng.below(4'000'000'000'000));
  decision.event_id = some_word(rng);
  decision.model_version = rng.below(3) == 0 ? rng.below(1ULL << 62U) : rng.below(100);
  decision.mode = static_cast<LearningMode>(rng.below(3));
  const std::size_t count = 1 + rng.below(12);
  NaiveJson request = NaiveJson::object(), actions = NaiveJson::array();
  if (rng.below(2) == 0) request["unknown"] = {{"actions", {{{"id", "x"}}}}};
  if (rng.below(4) > 0) request["contextFeatures"] = some_features(rng);
  for (std::size_t i = 0; i < count; ++i) {
    NaiveJson action = NaiveJson::object();
    if (rng.below(2) == 0) action["features"] = some_features(rng);
    action["id"] = std::to_string(i) + some_word(rng);
    if (rng.below(8) == 0) action["features"] = nullptr;
    actions.push_back(std::move(action));
    decision.actions.push_back({some_number(rng), some_number(rng), some_number(rng),
                                some_number(rng), rng.below(2) * rng.below(1ULL << 40U)});
  }
  if (rng.below(2) == 0) {
    // Quotients with few digits: the library writes others with a last digit of its own.
    decision.committee.pooled = static_cast<double>(rng.below(2000)) / 8.0;
    for (DecidedAction& action : decision.actions) {
      action.spread = 0.25;
      action.variance = 0.0625 * static_cast<double>(1ULL << rng.below(6));
    }
    for (std::size_t k = rng.below(4); k > 0; --k) {
      decision.committee.weights.push_back(some_share(rng));
    }
    const std::size_t numbers = decision.committee.weights.empty() ? 0 : count;
    for (std::size_t i = 0; i < numbers; ++i) {
      decision.committee.disagreement.push_back(some_share(rng));
      decision.committee.bonuses.push_back(some_share(rng));
    }
  }
  NaiveJson excluded = NaiveJson::array({"not offered"});
  for (std::size_t i = 1; i < count; ++i) {
    if (rng.below(3) == 0) excluded.push_back(actions[i]["id"]);
  }
  if (rng.below(2) == 0) request["excludedActions"] = std::move(excluded);
  request["actions"] = std::move(actions);
  request["eventId"] = decision.event_id;
  decision.chosen = static_cast<std::uint32_t>(rng.below(count));
  decision.policy = static_cast<std::uint32_t>(rng.below(count));
  decision.request = request.dump(indent);
  return decision;
}

EventState some_state(Rng& rng) {
  EventState state;
  state.decision = rng.below(1'000'000);
  state.phase = static_cast<EventPhase>(rng.below(4));
  state.active = rng.below(2) == 0;
  state.final_reward = some_number(rng);
  for (std::size_t i = rng.below(4); i > 0; --i) {
    state.received.push_back({static_cast<Milliseconds>(rng.below(4'000'000'000'000)),
                              some_number(rng), rng.below(2) == 0});
  }
  return state;
}

TEST(DecisionText, IsWhatALibraryWouldWrite) {
  detail::RequestOutline outline;
  detail::VwFeatures features;
  for (std::uint64_t seed = 0; seed < testing::repeats(2000U); ++seed) {
    Rng rng(Stream{.seed = seed, .role = Role::kProblem});
    const int indent = static_cast<int>(rng.below(4)) - 1;
    const Decision decision = some_decision(rng, indent);
    const EventState state = some_state(rng);
    ASSERT_TRUE(detail::read_outline(decision, outline).ok()) << decision.request;

    const std::vector<MemberRecord> members{{.spec = "first", .fault = {}},
                                            {.spec = "a \"second\" one", .fault = {}}};
    std::string text;
    detail::append_decision(text, decision, state, outline,
                            {.deadline = decision.time + 5000, .members = members});
    ASSERT_EQ(text, testing::naive_text(testing::naive_decision(decision, state, 5000, members)));

    text.clear();
    detail::append_decision(text, decision, state, outline, {.deadline = {}, .request = true});
    NaiveJson line = testing::naive_decision(decision, state, std::nullopt);
    line["request"] = NaiveJson::parse(decision.request);
    ASSERT_EQ(text, testing::naive_text(line));

    text.clear();
    detail::append_dsjson(text, decision, state, outline, features);
    ASSERT_EQ(text, testing::naive_text(testing::naive_dsjson(decision, state)));
  }
}

// Numbers and escapes of a request are copied unchanged.
TEST(DecisionText, TheRequestIsSplicedAsItWasSent) {
  Decision decision;
  decision.actions.resize(1);
  decision.request =
      R"( { "contextFeatures" : [ {"x": 1.50, "y" : "\u00e9"} ] , "actions" : [ {"id" : "\u0061 b" , )"
      R"("features": [ {"z": 1E3} ] , "features": [] } ] , "actions": [] } )";
  detail::RequestOutline outline;
  ASSERT_TRUE(detail::read_outline(decision, outline).ok());
  EXPECT_EQ(outline.context(), R"([{"x":1.50,"y":"\u00e9"}])");
  EXPECT_EQ(outline.actions()[0].features, R"([{"z":1E3}])");
  EXPECT_EQ(outline.actions()[0].id, "a b");
  EXPECT_EQ(outline.text(),
            R"({"contextFeatures":[{"x":1.50,"y":"\u00e9"}],"actions":[{"id":"\u0061 b",)"
            R"("features":[{"z":1E3}],"features":[]}],"actions":[]})");
}

TEST(DecisionText, ARequestThatDoesNotFitItsDecisionIsAFailure) {
  detail::RequestOutline outline;
  for (const char* request :
       {"", "{", "[]", "7", R"({"actions":[]})", R"({"actions":[{}]})", R"({"actions":[{"id":1}]})",
        R"({"actions":{"id":"a"}})", R"({"actions":[{"id":"a"},{"id":"b"}]})",
        R"({"actions":[{"id":"a","features":1}]})",
        R"({"actions":[{"id":"a"}],"excludedActions":1})",
        R"({"actions":[{"id":"a"}],"contextFeatures":"x"})", R"({"actions":[{"id":"a"}])"}) {
    Decision decision;
    decision.event_id = "the event";
    decision.actions.resize(1);
    decision.request = request;
    const Status status = detail::read_outline(decision, outline);
    ASSERT_FALSE(status.ok()) << request;
    EXPECT_NE(status.failure().message.find("the event"), std::string::npos);
  }
}

}  // namespace
}  // namespace sau
