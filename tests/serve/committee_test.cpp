// The service with a committee, which is what a new folder gets.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/core/note.hpp"
#include "sau/serve/log_tools.hpp"
#include "serve/serve_support.hpp"

namespace sau {
namespace {

using Json = nlohmann::json;
using testing::simple_request;
using testing::TestService;

constexpr const char* kSmallCommittee =
    "committee(members=\"hashed_linear(bits=10,relative=true)"
    "+hashed_mlp(bits=10,hidden=8,batch=8,every=5,start=10,updates=2)\")"
    "+sau_sampling(pool=1,start=0)";

void teach(TestService& service, const std::string& prefix, int events) {
  for (int i = 0; i < events; ++i) {
    const std::string event = prefix + std::to_string(i);
    const auto answer = service.rank(simple_request(event)).value();
    static_cast<void>(service.reward(event, answer.chosen == 0 ? 0.9 : 0.1 * (i % 3)));
    service->settle();
  }
}

TEST(CommitteeService, IsWhatANewFolderGets) {
  testing::TemporaryFolder folder;
  ServiceOptions options;
  options.folder = folder / "data";
  EXPECT_EQ(Service(options).agent(), canonical_offer_agent("sau"));
  EXPECT_EQ(Service(options).agent().rfind("committee+", 0), 0U);
}

TEST(CommitteeService, ADecisionIsExplainedAsItWasMade) {
  TestService service(kSmallCommittee);
  const auto explained = [&](const char* event) {
    return Json::parse(service->decision(event).value());
  };
  teach(service, "first", 40);
  ASSERT_TRUE(service.rank(simple_request("asked")).ok());
  const Json then = explained("asked");

  ASSERT_EQ(then["members"].size(), 2U);
  EXPECT_EQ(then["members"][0]["spec"], "hashed_linear(bits=10,relative=true)");
  double weights = 0.0;
  for (const Json& member : then["members"]) weights += member["weight"].get<double>();
  EXPECT_NEAR(weights, 1.0, 1e-6);
  double bonuses = 0.0;
  for (const Json& action : then["actions"]) {
    const auto variance = action["variance"].get<double>();
    const double pooled = action["pooledVariance"], disagreement = action["disagreement"];
    EXPECT_GT(pooled, 0.0);
    EXPECT_LE(pooled, variance);
    const double square = disagreement * disagreement;
    EXPECT_NEAR(action["bonus"].get<double>(), square / std::sqrt(square + variance), 1e-6);
    bonuses += action["bonus"].get<double>();
  }
  EXPECT_GT(bonuses, 0.0);

  // What is learned later does not change it, and neither does a restart.
  teach(service, "second", 20);
  EXPECT_EQ(explained("asked"), then);
  service.restart_without_snapshot();
  EXPECT_EQ(explained("asked"), then);
  EXPECT_NE(explained("second19")["members"], then["members"]);

  service.stop();
  std::string lines;
  export_log(
      service.folder() / "data", LogFormat::kJsonLines,
      [&](const std::string& some) { lines += some; }, 1);
  const Json first = Json::parse(lines.substr(0, lines.find('\n')));
  EXPECT_EQ(first["members"][1]["spec"], then["members"][1]["spec"]);
}

// The weights in a line belong to the members that decided, whoever decides now.
TEST(CommitteeService, AnExportNamesTheMembersOfTheirTime) {
  const auto committee = [](const char* members) {
    return "committee(members=\"" + std::string(members) + "\")+sau_sampling(pool=1,start=0)";
  };
  TestService service(committee("hashed_linear(bits=10)+sample_mean"));
  teach(service, "first", 3);
  ASSERT_TRUE(service.set_policy("other", committee("sample_mean+hashed_linear(bits=9)")).ok());
  service->settle();
  teach(service, "second", 3);
  ASSERT_TRUE(service.reset_policy().ok());
  service->settle();
  teach(service, "third", 3);
  service.stop();
  std::vector<std::string> firsts;
  export_log(
      service.folder() / "data", LogFormat::kJsonLines,
      [&](const std::string& some) {
        std::istringstream lines(some);
        for (std::string line; std::getline(lines, line);) {
          firsts.push_back(Json::parse(line)["members"][0]["spec"]);
        }
      },
      1);
  const std::string one = "hashed_linear(bits=10)", two = "sample_mean";
  EXPECT_EQ(firsts, (std::vector<std::string>{one, one, one, two, two, two, one, one, one}));
}

// At first everything that is known about an action comes from the errors on all of them.
TEST(CommitteeService, APriorIsPartOfTheSpreadThatIsExplained) {
  TestService service(
      "committee(members=\"hashed_linear(bits=10)+sample_mean\")"
      "+sau_sampling(pool=1,start=0,prior=4,disagreement=0)");
  ASSERT_TRUE(service.rank(simple_request("asked")).ok());
  const Json explained = Json::parse(service->decision("asked").value());
  for (const Json& action : explained["actions"]) {
    EXPECT_EQ(action["count"].get<int>(), 0);
    EXPECT_NEAR(action["spread"].get<double>(), 0.25, 1e-12);    // sqrt(1) / 4
    EXPECT_NEAR(action["variance"].get<double>(), 0.25, 1e-12);  // 1 / 4
    EXPECT_NEAR(action["pooledVariance"].get<double>(), 0.25, 1e-12);
    EXPECT_EQ(action["bonus"].get<double>(), 0.0);
  }
}

// A folder of an older program has the default agent of that time, and keeps it.
TEST(CommitteeService, AnOlderFolderKeepsItsAgent) {
  TestService service("committee+sau_sampling(pool=1,start=0)");
  service.stop();
  ServiceOptions options;
  options.folder = service.folder() / "data";
  EXPECT_EQ(Service(options).agent(), "committee+sau_sampling(pool=1,start=0)");
}

TEST(CommitteeService, OtherModelsHaveNoMembersAndNoBonus) {
  TestService plain("hashed_linear(bits=10)+sau_sampling"),
      pooled("hashed_linear(bits=10)+sau_sampling(pool=5)"),
      greedy("committee(members=\"hashed_linear(bits=10)+hashed_linear(bits=9)\")+epsilon_greedy");
  for (TestService* service : {&plain, &pooled, &greedy}) teach(*service, "e", 5);
  const auto explained = [](TestService& service) {
    return Json::parse(service->decision("e4").value());
  };
  EXPECT_FALSE(explained(plain).contains("members"));
  EXPECT_FALSE(explained(plain)["actions"][0].contains("pooledVariance"));
  EXPECT_FALSE(explained(pooled).contains("members"));
  EXPECT_GT(explained(pooled)["actions"][0]["pooledVariance"].get<double>(), 0.0);
  EXPECT_FALSE(explained(pooled)["actions"][0].contains("bonus"));
  EXPECT_EQ(explained(greedy)["members"].size(), 2U);
  EXPECT_EQ(explained(greedy)["actions"][0]["bonus"].get<double>(), 0.0);
}

// Memory runs out in the middle of a lesson, while the committee notes that it leaves a member out.
// The lesson is not learned twice.
TEST(CommitteeService, ALessonThatIsInterruptedIsLearnedOnce) {
  // The second member diverges when it is first trained.
  TestService service(
      "committee(members=\"hashed_linear(bits=8)"
      "+hashed_mlp(bits=8,hidden=64x64x64x64,lr=10,batch=4,every=5,start=5,updates=20)\")"
      "+sau_sampling");
  std::atomic<int> thrown = 0;
  set_note_function([&](const Note&) {
    if (thrown++ == 0) throw std::bad_alloc();
  });
  for (int i = 0; i < 10; ++i) {
    const std::string event = "e" + std::to_string(i);
    ASSERT_TRUE(service.rank(simple_request(event)).ok());
    ASSERT_TRUE(service.reward(event, i % 3 == 0 ? 1.0 : -1.0).ok());
  }
  service->settle();
  set_note_function({});
  EXPECT_GT(thrown, 0);
  const std::string learned = service.model_checksum();
  service.restart_without_snapshot();
  EXPECT_EQ(service.model_checksum(), learned);
}

}  // namespace
}  // namespace sau
