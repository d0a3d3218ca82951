#include "evaluations/importance.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sau/core/rng.hpp"

namespace sau::detail {
namespace {

double number_of(const nlohmann::ordered_json& list, const std::string& name) {
  for (const auto& pair : list) {
    if (pair.at(0) == name) return std::stod(pair.at(1).get<std::string>());
  }
  ADD_FAILURE() << name << " is not in " << list;
  return 0.0;
}

// The reward is 1 if the user's age fits the action's kind; the colour has nothing to do with it.
TEST(FeatureImportance, IsTheErrorThatAFeatureSaves) {
  FeatureImportance importance(1, {0.0, 1.0});
  Rng rng(Stream{.seed = 3});
  for (int i = 0; i < 400; ++i) {
    const bool old = rng.uniform() < 0.5, calm = rng.uniform() < 0.5, red = rng.uniform() < 0.5;
    const std::string request =
        fmt::format(R"({{"contextFeatures":[{{"user":{{"age":"{}"}}}},{{"colour":"{}"}}],)"
                    R"("actions":[{{"id":"other"}},{{"id":"it","features":[{{"kind":"{}"}}]}}]}})",
                    old ? "old" : "young", red ? "red" : "blue", calm ? "calm" : "loud");
    importance.add(request, 1, old == calm ? 1.0 : 0.0);
  }
  const auto list = importance.result();
  ASSERT_EQ(list.size(), 4U) << list;
  // Without one of the two, rewards cannot be told from a coin.
  EXPECT_GT(number_of(list, "contextFeatures.user.age"), 0.7);
  EXPECT_GT(number_of(list, "actions.features.kind"), 0.7);
  EXPECT_LT(number_of(list, "contextFeatures.colour"), 0.1);
  EXPECT_GE(number_of(list, list[0][0]), number_of(list, list[1][0]));
}

TEST(FeatureImportance, NeedsRewardsThatDiffer) {
  FeatureImportance importance(1, {0.0, 1.0});
  const std::string request = R"({"actions":[{"id":"a","features":[{"x":1}]}]})";
  EXPECT_TRUE(importance.result().empty());
  for (int i = 0; i < 5; ++i) importance.add(request, 0, 0.5);
  EXPECT_TRUE(importance.result().empty());
  importance.add("not JSON", 0, 1.0);
  importance.add(request, 1, 1.0);  // there is no such action
  EXPECT_TRUE(importance.result().empty());
}

}  // namespace
}  // namespace sau::detail
