#include "serve/versions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "sau/core/file.hpp"
#include "sau/serve/log_tools.hpp"
#include "serve/serve_support.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using testing::TestService;

constexpr const char* kOtherAgent = "hashed_linear(bits=9)+epsilon_greedy";

TEST(Versions, TheLatestAreKept) {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(detail::kept_versions(folder.path()).empty());
  for (const Sequence version : {3, 20, 100}) {
    detail::keep_version(folder.path(),
                         {.version = version,
                          .agent = "a",
                          .learned = 2 * version,
                          .time = 1'700'000'000'000,
                          .bytes = 5,
                          .checksum = "x"},
                         "model" + std::to_string(version), 2);
  }
  const auto kept = detail::kept_versions(folder.path());
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].version, 100U);
  EXPECT_EQ(kept[1].version, 20U);
  EXPECT_EQ(kept[1].learned, 40U);
  EXPECT_EQ(kept[1].time, 1'700'000'000'000);
  EXPECT_EQ(detail::read_version(folder.path(), 20), "model20");
  EXPECT_THAT(error_of([&] { detail::read_version(folder.path(), 3); }),
              HasSubstr("there are 100, 20"));
}

// A model is kept before it is replaced; going back to it is a record like any other.
TEST(Versions, GoesBackToTheModelBeforeAReset) {
  TestService service;
  service.play("a", 20);
  const std::string good = service.model_checksum();
  ASSERT_TRUE(service.reset_model().ok());
  service.play("b", 5);
  EXPECT_NE(service.model_checksum(), good);
  const auto kept = model_versions(service.folder() / "data");
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].checksum, good);
  EXPECT_EQ(kept[0].learned, 20U);
  EXPECT_EQ(nlohmann::json::parse(service->versions())[0]["version"], kept[0].version);

  ASSERT_TRUE(service.roll_back(kept[0].version).ok());
  EXPECT_EQ(service.model_checksum(), good);
  service.play("c", 5);
  const std::string later = service.model_checksum();
  service.restart_without_snapshot();
  EXPECT_EQ(service.model_checksum(), later);
  service.stop();
  EXPECT_NO_THROW(verify_log(service.folder() / "data"));
  EXPECT_TRUE(replay_log(service.folder() / "data").same);
}

TEST(Versions, GoesBackToAnotherAgent) {
  TestService service;
  service.play("a", 20);
  const std::string first = service.model_checksum(), agent = service->agent();
  ASSERT_TRUE(service.set_policy("other", kOtherAgent).ok());
  service.play("b", 10);
  const std::string second = service.model_checksum();
  ASSERT_TRUE(service.set_policy("third", "sample_mean+epsilon_greedy").ok());
  service->settle();
  const auto kept = model_versions(service.folder() / "data");
  ASSERT_EQ(kept.size(), 2U);

  ASSERT_TRUE(service.roll_back(kept[1].version).ok());
  EXPECT_EQ(service.model_checksum(), first);
  EXPECT_EQ(service->agent(), agent);
  EXPECT_EQ(service->policy().name, "default");
  ASSERT_TRUE(service.roll_back(kept[0].version).ok());
  EXPECT_EQ(service.model_checksum(), second);
  EXPECT_EQ(service->agent(), kept[0].agent);
  EXPECT_EQ(service->policy().name, "rollback");
  service.play("c", 5);
  const std::string later = service.model_checksum();
  service.restart_without_snapshot();
  EXPECT_EQ(service.model_checksum(), later);
  service.stop();
  EXPECT_TRUE(replay_log(service.folder() / "data").same);
}

TEST(Versions, OneIsKeptNowAndThen) {
  TestService service;
  service.version_every = std::chrono::milliseconds(1);
  service.restart();
  service.play("a", 3);
  service->settle();
  EXPECT_TRUE(testing::eventually([&] {
    const auto kept = model_versions(service.folder() / "data");
    return !kept.empty() && kept[0].learned == 3;
  }));
}

TEST(Versions, UnknownOnesAreRefused) {
  TestService service;
  service.play("a", 3);
  const std::string before = service.model_checksum();
  const Status nothing = service.roll_back(7);
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.failure().code, Failure::Code::kNotFound);
  ASSERT_TRUE(service.reset_model().ok());
  service->settle();
  const auto kept = model_versions(service.folder() / "data");
  const Status unknown = service.roll_back(1'000'000);
  EXPECT_THAT(unknown.failure().message, HasSubstr(std::to_string(kept.at(0).version)));
  // A file that is damaged is found before anything is logged.
  write_file(service.folder() / "data/versions" / (std::to_string(kept[0].version) + ".sau"), "x");
  EXPECT_FALSE(service.roll_back(kept[0].version).ok());
  EXPECT_NE(service.model_checksum(), before);
}

TEST(Versions, TheCommandDoesTheSame) {
  TestService service;
  service.play("a", 20);
  const std::string good = service.model_checksum();
  ASSERT_TRUE(service.reset_model().ok());
  service.play("b", 5);
  const auto data = service.folder() / "data";
  service->settle();
  const Sequence version = model_versions(data).at(0).version;
  const auto note = [](const std::string&) {};
  EXPECT_THAT(error_of([&] { roll_back(data, version, note); }), HasSubstr("in use"));
  service.stop();
  EXPECT_THAT(error_of([&] { roll_back(service.folder() / "none", version, note); }),
              HasSubstr("service.json"));
  EXPECT_THAT(error_of([&] { model_versions(service.folder() / "none"); }),
              HasSubstr("service.json"));
  EXPECT_THAT(error_of([&] { roll_back(data, 1'000'000, note); }),
              HasSubstr("there is no version"));
  EXPECT_THAT(roll_back(data, version, note), HasSubstr(good));
  EXPECT_TRUE(replay_log(data).same);
}

}  // namespace
}  // namespace sau
