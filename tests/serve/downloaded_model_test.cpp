// The model of a service as a file, and the agent that a folder keeps.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "serve/serve_support.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

using testing::simple_request;
using testing::TestService;

std::uint64_t events_learned(TestService& service) {
  service->settle();
  return nlohmann::json::parse(service->model_properties())["eventsLearned"].get<std::uint64_t>();
}

TEST(Service, AModelCanBeDownloadedLoadedAndReset) {
  TestService service;
  static_cast<void>(service.rank(simple_request("e1")));
  static_cast<void>(service.reward("e1", 1.0));
  service->settle();
  const std::string model = service->model();
  ASSERT_TRUE(service.reset_model().ok());
  EXPECT_EQ(events_learned(service), 0U);
  ASSERT_TRUE(service.load_model(model).ok());
  EXPECT_EQ(events_learned(service), 1U);
  // Both are in the log, so a replay gives the same model.
  const std::string before = service.model_checksum();
  service.restart_without_snapshot();
  EXPECT_EQ(service.model_checksum(), before);
}

TEST(Service, TheChecksumChangesOnlyWithWhatWasLearned) {
  TestService service;
  static_cast<void>(service.rank(simple_request("e1")));
  static_cast<void>(service.reward("e1", 1.0));
  const std::string learned_one = service.model_checksum();
  static_cast<void>(service.rank(simple_request("e2")));  // a record, but nothing to learn
  EXPECT_EQ(service.model_checksum(), learned_one);
  static_cast<void>(service.reward("e2", 0.5));
  EXPECT_NE(service.model_checksum(), learned_one);
}

TEST(Service, AModelOfAnotherKindIsRefusedAndBothAreNamed) {
  TestService other("hashed_linear(bits=11)+sau_sampling"), service;
  const Status status = service.load_model(other->model());
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.failure().message.find("bits=11"), std::string::npos);
  EXPECT_NE(status.failure().message.find("bits=10"), std::string::npos);
  std::string damaged = service->model();
  damaged[damaged.size() / 2] ^= 1;
  EXPECT_NE(service.load_model(damaged).failure().message.find("checksum"), std::string::npos);
  std::string newer = service->model();
  newer[16] = 9;
  const std::string message = service.load_model(newer).failure().message;
  EXPECT_NE(message.find("version 9"), std::string::npos);
  EXPECT_NE(message.find("versions 1 to 3"), std::string::npos);
  EXPECT_FALSE(service.load_model("").ok());
  EXPECT_EQ(service.disk().writes, 0U);
}

TEST(Service, AFolderKeepsItsAgent) {
  testing::TemporaryFolder folder;
  ServiceOptions options;
  options.folder = folder / "data";
  options.agent = "hashed_linear(bits=10)+sau_ucb";
  { const Service service(options); }
  options.agent = "";
  EXPECT_EQ(Service(options).agent(), "hashed_linear(bits=10)+sau_ucb");
  options.agent = "hashed_linear+sau_sampling";
  const std::string error = testing::error_of<UsageError>([&] { const Service service(options); });
  EXPECT_NE(error.find("hashed_linear(bits=10)+sau_ucb"), std::string::npos);
  EXPECT_NE(error.find("hashed_linear+sau_sampling"), std::string::npos);
}

}  // namespace
}  // namespace sau
