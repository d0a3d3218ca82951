#include <gtest/gtest.h>

#include <string>

#include "serve/serve_support.hpp"

namespace sau {
namespace {

using nlohmann::json;
using testing::TestService;

std::string one_action(const std::string& event, const std::string& action) {
  return json{{"eventId", event}, {"actions", json::array({{{"id", action}}})}}.dump();
}

// What is used now need not be among the actions with most rewards.
TEST(Status, EveryActionShownHasItsStatistics) {
  TestService service;
  const auto visit = [&](const std::string& event, const std::string& action, double reward) {
    ASSERT_TRUE(service.rank(one_action(event, action)).ok());
    ASSERT_TRUE(service.reward(event, reward).ok());
  };
  for (int i = 0; i < 120; ++i) {
    visit("e" + std::to_string(i), "old-" + std::to_string(i % 60), 0.0);
  }
  service->settle();
  service.restart();  // forgets what was used lately
  visit("now", "new", 0.5);
  service->settle();
  const json actions = json::parse(service->status())["actions"];
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(actions[0]["id"], "new");
  EXPECT_EQ(actions[0]["count"], 1);
  EXPECT_EQ(actions[0]["mean"], 0.5);
}

TEST(Status, NoGainIsClaimedFromAFewEvents) {
  TestService service;
  service.play("a", 29);
  service->settle();
  EXPECT_TRUE(json::parse(service->status())["now"]["gain"].is_null());
  service.play("b", 1);
  service->settle();
  const json gain = json::parse(service->status())["now"]["gain"];
  EXPECT_EQ(gain["events"], 30);
  EXPECT_LE(gain["low"].get<double>(), gain["mean"].get<double>());
  EXPECT_GE(gain["high"].get<double>(), gain["mean"].get<double>());
}

}  // namespace
}  // namespace sau
