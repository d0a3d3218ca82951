// Whatever happens to the files of a store: either everything acknowledged is there, or opening it
// is refused and nothing is changed.
#include <gtest/gtest.h>

#include <map>

#include "sau/core/file.hpp"
#include "store/log_mark.hpp"
#include "store/store_support.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;
using testing::batch_of;
using testing::decisions_in;
using testing::error_of;
using testing::fill;
using testing::TemporaryFolder;

std::map<fs::path, std::string> contents(const fs::path& folder) {
  std::map<fs::path, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    // Created whenever the store is opened; always empty.
    if (entry.path().filename() != "LOCK") files[entry.path()] = read_file(entry.path());
  }
  return files;
}

fs::path only(const fs::path& folder, const std::string& beginning) {
  fs::path found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with(beginning)) continue;
    EXPECT_TRUE(found.empty());
    found = entry.path();
  }
  return found;
}

// A store of three parts: each start writes the log that the one before left to tables.
void fill_in_parts(const fs::path& folder) {
  Sequence next = 1;
  for (int part = 0; part < 3; ++part) {
    const auto store = open_event_store(folder, {});
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(store->write(batch_of(next++, 100)).ok());
  }
}

TEST(Damage, ACutManifestIsFoundBeforeAnythingIsDeleted) {
  const TemporaryFolder folder;
  fill_in_parts(folder / "s");
  const auto manifest = only(folder / "s", "MANIFEST").filename();
  const std::string whole = read_file(folder / "s" / manifest.string());
  std::map<bool, int> outcomes;
  for (std::size_t cut = 1; cut < whole.size(); cut += 7) {
    const fs::path copy = folder / "copy";
    fs::remove_all(copy);
    fs::copy(folder / "s", copy);
    fs::copy_file(folder / "s.mark", copy.string() + ".mark", fs::copy_options::overwrite_existing);
    write_file(copy / manifest, whole.substr(0, whole.size() - cut));
    const auto before = contents(copy);
    const std::string error = error_of([&] {
      const auto store = open_event_store(copy, {});
      EXPECT_EQ(decisions_in(*store), 60U) << cut;
    });
    if (!error.empty()) {
      EXPECT_EQ(contents(copy), before) << cut << error;
    }
    ++outcomes[error.empty()];
  }
  EXPECT_GT(outcomes[false], 5);
}

TEST(Damage, AMissingLogFileIsNoticed) {
  for (const bool read_only : {true, false}) {
    const TemporaryFolder folder;
    fill_in_parts(folder / "s");
    fs::path log;
    for (const auto& entry : fs::directory_iterator(folder / "s")) {
      if (entry.path().extension() == ".log" && entry.file_size() > 0) log = entry.path();
    }
    fs::remove(log);
    const auto before = contents(folder / "s");
    const std::string error =
        error_of([&] { open_event_store(folder / "s", {.read_only = read_only}); });
    EXPECT_NE(error.find("records 41 to 60 are missing"), std::string::npos) << error;
    EXPECT_EQ(contents(folder / "s"), before);
    // But the rest can be opened with accept_loss.
    const auto store =
        open_event_store(folder / "s", {.read_only = read_only, .accept_loss = true});
    EXPECT_EQ(decisions_in(*store), 40U);
  }
}

TEST(Damage, AStoreWithoutCurrentIsNotOverwritten) {
  const TemporaryFolder folder;
  fill(folder / "s", 3);
  fs::remove(folder / "s/CURRENT");
  const auto before = contents(folder / "s");
  EXPECT_NE(error_of([&] { open_event_store(folder / "s", {}); }).find("CURRENT"),
            std::string::npos);
  EXPECT_EQ(contents(folder / "s"), before);
  fs::remove_all(folder / "s");
  EXPECT_NE(
      error_of([&] { open_event_store(folder / "s", {}); }).find("records 1 to 3 are missing"),
      std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "s"));
}

TEST(Damage, WithoutItsMarkALogIsNotTrusted) {
  const TemporaryFolder folder;
  fill(folder / "s", 3);
  const std::string mark = read_file(folder / "s.mark");
  // One of its copies may be damaged.
  for (const std::size_t place : {4U, 4096U + 4U}) {
    std::string damaged = mark;
    damaged[place] ^= 1;
    write_file(folder / "s.mark", damaged);
    const auto found = acknowledged_head(folder / "s");
    ASSERT_TRUE(found.has_value());
    EXPECT_GE(found->last, 2U);
  }
  std::string damaged = mark;
  damaged[4] ^= 1;
  damaged[4096 + 4] ^= 1;
  write_file(folder / "s.mark", damaged);
  EXPECT_NE(error_of([&] { open_event_store(folder / "s", {}); }).find("s.mark"),
            std::string::npos);
  fs::remove(folder / "s.mark");
  EXPECT_NE(error_of([&] { open_event_store(folder / "s", {}); }).find("s.mark"),
            std::string::npos);
  EXPECT_EQ(decisions_in(*open_event_store(folder / "s", {.accept_loss = true})), 3U);
  EXPECT_EQ(decisions_in(*open_event_store(folder / "s", {})), 3U);
}

// A log with the same record numbers but other records is not the acknowledged one.
TEST(Damage, AnotherLogIsNotTakenForThisOne) {
  const TemporaryFolder folder;
  fill(folder / "s", 3, 10);
  fill(folder / "other", 3, 11);
  fs::copy_file(folder / "other.mark", folder / "s.mark", fs::copy_options::overwrite_existing);
  EXPECT_NE(error_of([&] {
              open_event_store(folder / "s", {});
            }).find("not those that were acknowledged"),
            std::string::npos);
}

TEST(Damage, ReopeningSaysWhatIsWrongInsteadOfThrowing) {
  const TemporaryFolder folder;
  const auto store = open_event_store(folder / "s", {});
  ASSERT_TRUE(store->write(batch_of(1)).ok());
  fs::rename(folder / "s", folder / "aside");
  write_file(folder / "s", "a file where a folder was");
  const Status status = store->reopen();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.failure().code, Failure::Code::kUnavailable);
  fs::remove(folder / "s");
  fs::rename(folder / "aside", folder / "s");
  ASSERT_TRUE(store->reopen().ok());
  EXPECT_EQ(decisions_in(*store), 1U);
}

// Writes a part of a store with something in every table: five decisions, of which the first has a
// reward and the next two are completed with the default reward.
void write_part(const fs::path& folder, Sequence first) {
  const auto store = open_event_store(folder, {});
  for (Sequence i = first; i < first + 5; ++i) ASSERT_TRUE(store->write(batch_of(i)).ok());
  StoreBatch batch;
  batch.entries = {
      {first + 5, {.decision = first, .completes = true, .value = 1.0}},
      {first + 6,
       {.kind = EntryKind::kMissing, .completes = true, .missing = {first + 1, first + 2}}}};
  batch.states.emplace_back(
      first, EventState{.decision = first, .phase = EventPhase::kCompleted, .final_reward = 1.0});
  batch.waiting_from = first + 3;
  batch.time = batch.trusted_time = static_cast<Milliseconds>(first + 4);
  batch.keep_head = true;
  ASSERT_TRUE(store->write(batch).ok());
}

// Compaction removes files while somebody reads. A reader keeps all of them open, however few files
// a server would keep open.
TEST(View, SurvivesTheRemovalOfItsFiles) {
  const TemporaryFolder folder;
  for (Sequence part = 0; part < 3; ++part) write_part(folder / "s", 1 + 7 * part);
  const auto store = open_event_store(folder / "s", {});
  const auto view =
      open_event_store(folder / "s", {.read_only = true, .verify = false, .open_files = 20});
  ASSERT_TRUE(store->write(batch_of(22)).ok());
  int removed = 0;
  for (const auto& entry : fs::directory_iterator(folder / "s")) {
    if (entry.path().extension() == ".sst") removed += fs::remove(entry.path()) ? 1 : 0;
  }
  EXPECT_GT(removed, 16);
  EXPECT_EQ(view->check_tables(), "");
  EXPECT_EQ(view->check_continuity(), "");
  EXPECT_EQ(view->event_digest().value().count, 15U);
  std::map<EventPhase, int> phases;
  const auto count = [&phases](const LoggedEvent& event) {
    return ++phases[event.state.phase] > 0;
  };
  EXPECT_TRUE(view->events(1, view->head().last, count).ok());
  EXPECT_EQ(phases, (std::map<EventPhase, int>{{EventPhase::kCompleted, 3},
                                               {EventPhase::kMissing, 6},
                                               {EventPhase::kWaiting, 6}}));
  EXPECT_EQ(view->event("e17").value()->decision, 17U);
  EXPECT_EQ(view->removable(21, 100).value()->last, 14U);
}

TEST(Copy, IsWholeAndOfOneMomentWhileTheStoreIsWritten) {
  const TemporaryFolder folder;
  const auto store = open_event_store(folder / "s", {.sync = false});
  Sequence last = 0;
  for (int copies = 0; copies < 5; ++copies) {
    for (int i = 0; i < 300; ++i) ASSERT_TRUE(store->write(batch_of(++last, 200)).ok());
    const fs::path copy = folder / ("copy" + std::to_string(copies));
    copy_event_store(folder / "s", copy);
    EXPECT_EQ(decisions_in(*open_event_store(copy, {})), last);
    EXPECT_NE(error_of([&] { copy_event_store(folder / "s", copy); }), "");
  }
}

}  // namespace
}  // namespace sau
