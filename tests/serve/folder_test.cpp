// The folder of a service: failed starts, backups, lost and struck events, old and newer files.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/hash.hpp"
#include "sau/core/container.hpp"
#include "sau/core/file.hpp"
#include "sau/core/time_text.hpp"
#include "sau/serve/log_tools.hpp"
#include "serve/restore.hpp"
#include "serve/serve_support.hpp"
#include "serve/settings.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;
using testing::eventually;
using testing::rank_and_reward;
using testing::simple_request;
using testing::TestService;

constexpr Milliseconds kDays = 86'400'000;

TEST(Folder, AStartThatFailsWritesNothing) {
  TestService service;
  rank_and_reward(service, 0, 10);
  service.stop();
  const fs::path data = service.folder() / "data";
  fs::remove(data / "model.sau");
  fs::remove(data / "log.mark");
  EXPECT_NE(testing::error_of([&] { service.start(); }).find("log.mark"), std::string::npos);
  EXPECT_FALSE(fs::exists(data / "model.sau"));
  EXPECT_FALSE(fs::exists(data / "log.mark"));
  // The same for a new folder whose log cannot be created.
  ServiceOptions options;
  options.folder = service.folder() / "new";
  options.store = [](const auto&) -> std::unique_ptr<EventStore> { throw Error("no disk"); };
  EXPECT_EQ(testing::error_of([&] { const Service failed(options); }), "no disk");
  EXPECT_FALSE(fs::exists(options.folder));
}

// At the last step there is a learner already, which writes a model when it ends.
TEST(Folder, AStartThatFailsAtItsLastStepWritesNothing) {
  TestService service;
  rank_and_reward(service, 0, 10);
  service.stop();
  const fs::path data = service.folder() / "data";
  fs::remove(data / "model.sau");
  const std::string settings = read_file(data / "service.json");
  service.disk().waiting_fails = true;
  EXPECT_EQ(testing::error_of([&] { service.start(); }), "what waits is damaged");
  EXPECT_FALSE(fs::exists(data / "model.sau"));
  EXPECT_EQ(read_file(data / "service.json"), settings);
  service.disk().waiting_fails = false;
  service.start();
  EXPECT_TRUE(service->decision("e9").ok());
}

TEST(Folder, ABackupIsOfOneMomentAndCanBeRestored) {
  TestService service;
  rank_and_reward(service, 0, 40);
  static_cast<void>(service.rank(simple_request("waits")));
  const fs::path data = service.folder() / "data", backup = service.folder() / "backup",
                 restored = service.folder() / "restored";
  const BackupCount count = back_up(data, backup);
  EXPECT_EQ(count.records, 81U);
  rank_and_reward(service, 40, 60);
  EXPECT_NE(testing::error_of<UsageError>([&] { back_up(data, backup); }), "");
  restore(backup, restored);
  EXPECT_EQ(verify_log(restored).last, 81U);
  EXPECT_EQ(verify_log(data).last, 121U);
  // The restored folder can be served.
  ServiceOptions options;
  options.folder = restored;
  Service again(options);
  again.settle();
  EXPECT_TRUE(again.decision("e39").ok());
  EXPECT_FALSE(again.decision("e40").ok());
}

TEST(Folder, ALostEndCanBeAccepted) {
  TestService service;
  rank_and_reward(service, 0, 20);
  service.stop();
  const fs::path data = service.folder() / "data", backup = service.folder() / "backup";
  back_up(data, backup);
  service.start();
  rank_and_reward(service, 20, 40);
  service.stop();
  // The log of the backup, with the mark of the newer one.
  fs::remove_all(data / "log");
  fs::copy(backup / "log", data / "log");
  EXPECT_NE(testing::error_of([&] { service.start(); }).find("records 41 to 80 are missing"),
            std::string::npos);
  EXPECT_NE(testing::error_of([&] { verify_log(data); }).find("records 41 to 80 are missing"),
            std::string::npos);
  const AcceptedLoss loss = accept_loss(data, [](const std::string&) {});
  EXPECT_EQ(loss.acknowledged, 80U);
  EXPECT_EQ(loss.last, 40U);
  EXPECT_TRUE(loss.model_removed);
  service.start();
  rank_and_reward(service, 20, 30);
  service.stop();
  EXPECT_EQ(verify_log(data).last, 60U);
  EXPECT_TRUE(replay_log(data).same);
}

TEST(Folder, AStruckEventWasNeverLearnedFrom) {
  TestService with, without;
  for (TestService* service : {&with, &without}) rank_and_reward(*service, 0, 20);
  // Both logs are the same, but one service does not learn from the event "odd".
  ASSERT_TRUE(without.configure(R"({"learningMode":"LoggingOnly"})").ok());
  ASSERT_TRUE(with.configure(R"({"learningMode":"Online"})").ok());
  for (TestService* service : {&with, &without}) {
    static_cast<void>(service->rank(simple_request("odd")));
    ASSERT_TRUE(service->reward("odd", 1.0).ok());
    ASSERT_TRUE(service->configure(R"({"learningMode":"Online"})").ok());
  }
  EXPECT_NE(with.model_checksum(), without.model_checksum());
  const fs::path data = with.folder() / "data";
  EXPECT_NE(testing::error_of([&] { strike_events(data, {"odd"}); }).find("in use"),
            std::string::npos);
  with.stop();
  EXPECT_NE(testing::error_of([&] {
              strike_events(data, {"odd", "nobody"});
            }).find("nobody"),
            std::string::npos);
  const std::string unstruck = read_file(data / "model.sau");
  const Struck struck = strike_events(data, {"odd", "odd"});
  EXPECT_EQ(struck.events, 1U);
  EXPECT_EQ(struck.already, 1U);
  EXPECT_EQ(struck.checksum, without.model_checksum());
  EXPECT_TRUE(replay_log(data).same);
  EXPECT_NO_THROW(verify_log(data));
  // The same if the program was stopped before the model was rebuilt.
  write_file(data / "model.sau", unstruck);
  with.start();
  EXPECT_EQ(with.model_checksum(), struck.checksum);
  rank_and_reward(with, 20, 30);
  rank_and_reward(without, 20, 30);
  EXPECT_EQ(with.model_checksum(), without.model_checksum());
  EXPECT_EQ(nlohmann::json::parse(with->decision("odd").value())["state"], "struck");
  with.stop();
  EXPECT_TRUE(replay_log(data).same);
}

// Makes events e0 to e69 and lets the first ones be removed, so that base.sau replaces them.
void remove_first_events(TestService& service) {
  service.snapshot_every = std::chrono::milliseconds(1);
  service.restart();
  ASSERT_TRUE(service.configure(R"({"logRetentionDays":1})").ok());
  rank_and_reward(service, 0, 50);
  service.pass(2 * kDays);
  rank_and_reward(service, 50, 60);
  ASSERT_TRUE(eventually([&] {
    service.pass(1000);
    return !service->decision("e0").ok();
  }));
  rank_and_reward(service, 60, 70);
  service->settle();
}

// Without base.sau the model cannot be rebuilt, so nothing is struck.
TEST(Folder, NothingIsStruckWithoutTheBaseOfTheLog) {
  TestService service;
  remove_first_events(service);
  service.stop();
  const fs::path data = service.folder() / "data";
  fs::remove(data / "base.sau");
  const std::string model = read_file(data / "model.sau");
  EXPECT_NE(testing::error_of([&] { strike_events(data, {"e69"}); }).find("base.sau"),
            std::string::npos);
  EXPECT_EQ(read_file(data / "model.sau"), model);
  EXPECT_NE(testing::error_of([&] { verify_log(data); }).find("base.sau"), std::string::npos);
}

// base.sau is all that is left of the events that were removed.
TEST(Folder, ABaseThatCannotBeReplacedStaysAsItWas) {
  TestService service;
  remove_first_events(service);
  service.stop();
  const fs::path data = service.folder() / "data";
  const std::string base = read_file(data / "base.sau"), model = read_file(data / "model.sau");
  const detail::FolderSettings settings = detail::read_folder(data);
  const auto refused = [&](Sequence least) {
    return testing::error_of([&] { detail::write_base(data, settings, least); });
  };
  EXPECT_NE(refused(1'000'000).find("is too old"), std::string::npos);
  EXPECT_EQ(read_file(data / "base.sau"), base);
  write_file(data / "model.sau", model.substr(0, model.size() / 2));
  EXPECT_NE(refused(0).find("is cut short"), std::string::npos);
  EXPECT_EQ(read_file(data / "base.sau"), base);
}

// A model file in the format that was used before agents and models shared one
// (docs/formats/model.md).
std::string as_version_1(const std::string& bytes) {
  const Container file = open_container(bytes, "a model", kModelFile);
  const auto header = nlohmann::json::parse(file.header);
  const auto schema = header["schema"].get<std::string>();
  std::string old = "SAUMODEL";
  const auto put = [&](auto number) {
    old.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  put(std::uint32_t{1});
  put(static_cast<std::uint32_t>(schema.size()));
  old += schema;
  put(header["position"].get<std::uint64_t>());
  put(header["changed"].get<std::uint64_t>());
  old += file.payload;
  put(detail::hash_of(old));
  return old;
}

TEST(Folder, ModelFilesOfVersion1AreReadAndReplaced) {
  TestService service;
  remove_first_events(service);
  const std::string before = service.model_checksum();
  service.stop();
  const fs::path data = service.folder() / "data";
  for (const char* name : {"model.sau", "base.sau"}) {
    write_file(data / name, as_version_1(read_file(data / name)));
  }
  EXPECT_NO_THROW(verify_log(data));
  const ReplayCheck replay = replay_log(data);
  EXPECT_TRUE(replay.same);
  EXPECT_TRUE(replay.from_base);
  service.start();
  EXPECT_EQ(service.model_checksum(), before);
  ASSERT_TRUE(service.load_model(as_version_1(service->model())).ok());
  EXPECT_EQ(service.model_checksum(), before);
  rank_and_reward(service, 70, 80);
  service->settle();
  service.stop();
  const std::string model = read_file(data / "model.sau");
  // Version 3 is for files with a trial in them.
  EXPECT_EQ(open_container(model, "the model").version, 2U);
  EXPECT_TRUE(replay_log(data).same);
}

// Older programs wrote the name of an agent with settings that are now left out.
TEST(Folder, TwoSpellingsOfAnAgentAreTheSameModel) {
  const std::string old_agent = "hashed_linear(bits=10)+sau_ucb(actions=64)";
  TestService service(old_agent);
  rank_and_reward(service, 0, 10);
  service->settle();
  service.stop();
  const fs::path data = service.folder() / "data";
  ASSERT_NE(detail::read_folder(data).agent, old_agent);
  const std::string model = read_file(data / "model.sau");
  const Container file = open_container(model, "the model", kModelFile);
  constexpr FileKind kPlain{"model", 2, 1};
  auto header = nlohmann::ordered_json::parse(file.header);
  header["schema"] = old_agent + " seed=1 features=1";
  write_file(data / "model.sau",
             finish_container(begin_container(kPlain, header.dump()).append(file.payload)));
  EXPECT_TRUE(replay_log(data).same);
  // But another entry that changed it last is a difference.
  header["changed"] = 19;
  write_file(data / "model.sau",
             finish_container(begin_container(kPlain, header.dump()).append(file.payload)));
  EXPECT_FALSE(replay_log(data).same);
}

// It is not damaged, so the service must not replace it.
TEST(Folder, AModelFromANewerProgramStopsTheStart) {
  TestService service;
  rank_and_reward(service, 0, 10);
  service->settle();
  service.stop();
  const fs::path file = service.folder() / "data/model.sau";
  std::string newer = read_file(file);
  newer.resize(newer.size() - sizeof(std::uint64_t));
  newer[16] = 4;
  newer = finish_container(newer);
  write_file(file, newer);
  const std::string error = testing::error_of([&] { service.start(); });
  EXPECT_NE(error.find("is of version 4 of model files; this sau reads versions 1 to 3"),
            std::string::npos)
      << error;
  EXPECT_EQ(read_file(file), newer);
}

// A note may throw, since memory may run out.
TEST(Folder, ANoteThatThrowsDoesNotStopTheService) {
  TestService service;
  service.throwing_notes = true;
  {
    const std::lock_guard lock(service.disk().mutex);
    service.disk().full = true;
  }
  EXPECT_FALSE(service.rank(simple_request("refused")).ok());
  {
    const std::lock_guard lock(service.disk().mutex);
    service.disk().full = false;
  }
  ASSERT_TRUE(eventually([&] { return service.rank(simple_request("taken")).ok(); }));
}

}  // namespace
}  // namespace sau
