// A request with absurdly large numbers must not spoil what a dense deep agent has learned.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "serve/serve_support.hpp"

namespace sau::huge_features_test {
namespace {

using nlohmann::json;
using testing::TestService;

constexpr const char* kHugeAgents[] = {
    "mlp(hidden=32x32,batch=8,every=5,start=10,updates=10)+sau_sampling",
    "mlp(hidden=32x32,batch=8,every=5,start=10,updates=10)+sau_sampling+ids(by=features)",
    "neural_linear(hidden=32x32,batch=8,every=5,start=10,updates=10)+thompson"};

// The context has many numbers of this size, so that their sum overflows.
std::string request(const std::string& event, double age, double price = 1.0) {
  return fmt::format(R"({{"eventId":"{}","contextFeatures":[{{"ages":[{}]}}],)"
                     R"("actions":[{{"id":"a","features":[{{"price":{}}}]}},{{"id":"b"}}]}})",
                     event, fmt::join(std::vector<double>(60, age), ","), price);
}

std::vector<double> chances(TestService& service, const std::string& event, double age,
                            double price = 1.0) {
  const auto answer = service.rank(request(event, age, price));
  EXPECT_TRUE(answer.ok());
  std::vector<double> result;
  if (!answer.ok()) return result;
  for (const RankedAction& action : answer.value().ranking) result.push_back(action.probability);
  return result;
}

void learn(TestService& service, int events, const std::string& name, double age = 0.0) {
  for (int i = 0; i < events; ++i) {
    const std::string event = name + std::to_string(i);
    const auto answer = service.rank(request(event, age == 0.0 ? 0.1 * (i % 7) + 0.1 : age));
    ASSERT_TRUE(answer.ok());
    ASSERT_TRUE(service.reward(event, answer.value().chosen == 0 ? 1.0 : 0.1).ok());
    service->settle();
  }
}

json fault(TestService& service) { return json::parse(service->status())["fault"]; }

TEST(HugeFeatures, AQuestionChangesNoLaterAnswer) {
  for (const char* agent : kHugeAgents) {
    TestService asked(agent), silent(agent);
    learn(asked, 40, "e");
    learn(silent, 40, "e");
    for (const double size : {1e10, 1e20, 3.4e38, -3.4e38}) {
      for (const double chance : chances(asked, fmt::format("huge{}", size), size, size)) {
        EXPECT_TRUE(chance >= 0.0 && chance <= 1.0) << agent;
      }
    }
    EXPECT_EQ(chances(asked, "next", 0.3), chances(silent, "next", 0.3)) << agent;
    EXPECT_TRUE(fault(asked).is_null()) << agent;
    EXPECT_EQ(asked.model_checksum(), silent.model_checksum()) << agent;
  }
}

TEST(HugeFeatures, AfterLearningFromThemItStillLearns) {
  for (const char* agent : kHugeAgents) {
    TestService service(agent);
    learn(service, 40, "e");
    learn(service, 3, "huge", 3.4e38);
    learn(service, 100, "f");
    EXPECT_TRUE(fault(service).is_null()) << agent << fault(service);
    EXPECT_GT(chances(service, "next", 0.3).front(), 0.5) << agent;
    const std::string learned = service.model_checksum();
    service.restart_without_snapshot();
    EXPECT_EQ(service.model_checksum(), learned) << agent;
  }
}

}  // namespace
}  // namespace sau::huge_features_test
