// The learner reads only what it learns from. The model is the same as if it had read everything.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "sau/catalog/catalog.hpp"
#include "sau/core/file.hpp"
#include "sau/core/rng.hpp"
#include "serve/model_file.hpp"
#include "serve/serve_support.hpp"

namespace sau {
namespace {

using testing::TestService;

// Requests in different spellings, in which much is not learned from.
std::string odd_request(const std::string& event, std::uint64_t which) {
  constexpr std::array<std::string_view, 4> kContexts = {
      R"([{"hour":7},{"user":{"name":"A\u0041 \"]}","tags":[1,0,"x",null]}}])", "null", "[]",
      R"([ {"device" : "mobile" , "hour" : -1e-3} ])"};
  constexpr std::array<std::string_view, 5> kFeatures = {
      R"("features":[{"kind":"new\"s","actions":[1,2]}],)", R"("features":null,)", "",
      R"("features":[],"more":{"id":"z","features":[{"no":1}]},)",
      R"("features": [{"price":2.5},{"flag":true,"none":null,"zero":0}],)"};
  std::string actions;
  for (std::uint64_t a = 0; a < 5; ++a) {
    actions += fmt::format(R"({}{{{}"id":"\u0061{}"}})", a == 0 ? "" : ", ",
                           kFeatures[(which + a) % kFeatures.size()], a);
  }
  const std::string_view context = kContexts[which % kContexts.size()];
  return which % 3 == 0
             ? fmt::format(R"({{"actions":[{}],"other":[{{"id":"no"}}],"eventId":"{}",)"
                           R"("excludedActions":["a4"],"contextFeatures":{}}})",
                           actions, event, context)
             : fmt::format(R"( {{"contextFeatures" : {}, "eventId":"{}", "actions":[{}]}})",
                           context, event, actions);
}

// Learns from whole decisions and whole requests.
std::string model_of_whole_decisions(const EventStore& store, const std::string& spec,
                                     std::uint64_t seed) {
  const auto agent = make_offer_agent(spec, seed);
  const auto learn = [&](Sequence sequence, double reward) {
    const Decision decision = *store.decision(sequence).value();
    if (decision.mode == LearningMode::kLoggingOnly) return;
    const auto read = read_rank_request(decision.request, RequestLimits::none());
    const RankRequest& request = read.value();
    const DecidedAction& chosen = decision.actions[decision.chosen];
    agent->learn(request.context(), request.offered(decision.chosen), chosen.value,
                 std::clamp(reward, agent->rewards().min, agent->rewards().max),
                 chosen.probability);
  };
  const Status read = store.entries(1, [&](Sequence, const Entry& entry) {
    if (!entry.completes) return true;
    if (entry.kind != EntryKind::kMissing) learn(entry.decision, entry.value);
    for (const Sequence each : entry.missing) learn(each, entry.value);
    return true;
  });
  EXPECT_TRUE(read.ok());
  return detail::model_checksum(detail::write_model(*agent, {}));
}

class Lessons : public ::testing::TestWithParam<std::string> {};

TEST_P(Lessons, TheModelIsThatOfWholeDecisions) {
  TestService service(GetParam());
  Rng rng(Stream{.seed = 5, .role = Role::kProblem});
  constexpr std::array<std::string_view, 3> kModes = {"Online", "Apprentice", "LoggingOnly"};
  for (int i = 0; i < 240; ++i) {
    if (i % 60 == 0) {
      ASSERT_TRUE(service
                      .configure(fmt::format(R"({{"learningMode":"{}","rewardWaitTime":"PT1M"}})",
                                             kModes[(i / 60) % 3]))
                      .ok());
    }
    const std::string event = std::to_string(i);
    ASSERT_TRUE(service.rank(odd_request(event, rng.below(60))).ok());
    if (rng.below(2) == 0) {
      ASSERT_TRUE(service.reward(event, rng.uniform()).ok());
    }
    service.time += static_cast<Milliseconds>(rng.below(5'000));
  }
  service.pass(120'000);
  const std::string checksum = service.model_checksum();
  EXPECT_GT(service.totals()["missingRewards"], 50);
  service.stop();
  const auto folder = service.folder() / "data";
  const auto settings = nlohmann::json::parse(read_file(folder / "service.json"));
  const auto store = open_event_store(folder / "log", {.read_only = true});
  EXPECT_EQ(model_of_whole_decisions(*store, settings["agent"], settings["seed"]), checksum);
}

INSTANTIATE_TEST_SUITE_P(Agents, Lessons,
                         ::testing::Values("hashed_linear(bits=10)+sau_sampling",
                                           "committee+sau_sampling(pool=1,start=0)",
                                           "sample_mean+exp3"));

}  // namespace
}  // namespace sau
