// The upgrade of a folder of version 2 keeps every record, or leaves the folder as it was.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "sau/core/file.hpp"
#include "sau/serve/log_tools.hpp"
#include "sau/serve/service.hpp"
#include "store/old_store_support.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_paths.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::OldDatabase;
using testing::TemporaryFolder;

// A copy of tests/data/service_v2: 36 events, 72 records, all of them in the write-ahead log. Its
// model has learned from all of them.
class OldFolder {
 public:
  OldFolder() {
    fs::copy(fs::path(testing::test_data_folder()) / "service_v2", path(),
             fs::copy_options::recursive);
    for (const auto& entry : fs::recursive_directory_iterator(path())) {
      fs::permissions(entry.path(), fs::perms::owner_all);
    }
  }

  fs::path path() const { return folder_ / "data"; }
  fs::path events() const { return path() / "events"; }
  // The only file of the old log whose name begins or ends like this, and is not empty.
  fs::path the(const std::string& part) const {
    fs::path found;
    for (const auto& entry : fs::directory_iterator(events())) {
      const std::string name = entry.path().filename().string();
      const bool wanted = name.starts_with(part) || name.ends_with(part);
      if (!wanted || entry.file_size() == 0) continue;
      EXPECT_TRUE(found.empty()) << found;
      found = entry.path();
    }
    return found;
  }
  void flush() const { OldDatabase(events()).flush(); }

  std::map<fs::path, std::string> contents() const {
    std::map<fs::path, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(path())) {
      // Created whenever the old log is opened; always empty.
      if (!entry.is_regular_file() || entry.path().filename() == "LOCK") continue;
      files[entry.path()] = read_file(entry.path());
    }
    return files;
  }

  std::string notes;
  bool upgrade() {
    return upgrade_log(path(), [this](const std::string& note) { notes += note + "\n"; });
  }
  // Both ways to upgrade refuse the folder, and change nothing.
  void stays_refused(const std::string& says) {
    const auto before = contents();
    ServiceOptions options;
    options.folder = path();
    for (const std::string& error :
         {error_of([&] { upgrade(); }), error_of([&] { const Service started(options); })}) {
      EXPECT_NE(error.find(says), std::string::npos) << error;
      EXPECT_NE(error.find("nothing was changed"), std::string::npos) << error;
    }
    EXPECT_TRUE(contents() == before);
  }

 private:
  TemporaryFolder folder_;
};

void cut(const fs::path& file, std::uintmax_t bytes) {
  fs::resize_file(file, fs::file_size(file) - bytes);
}

TEST(Upgrade, KeepsEveryRecord) {
  for (const bool flushed : {false, true}) {
    OldFolder folder;
    if (flushed) folder.flush();
    EXPECT_TRUE(folder.upgrade());
    EXPECT_FALSE(fs::exists(folder.events()));
    EXPECT_NE(folder.notes.find("72 records"), std::string::npos) << folder.notes;
    EXPECT_EQ(verify_log(folder.path()).last, 72U);
    EXPECT_TRUE(replay_log(folder.path()).same);
  }
}

TEST(Upgrade, AListOfTablesThatIsCutIsRefused) {
  OldFolder folder;
  folder.flush();
  cut(folder.the("MANIFEST-"), 300);
  folder.stays_refused("has read the log up to record 72");
  // Without a model, the tables that nobody lists show the loss.
  fs::remove(folder.path() / "model.sau");
  folder.stays_refused("which the manifest does not list");
}

TEST(Upgrade, ALogThatIsCutIsRefused) {
  OldFolder folder;
  const fs::path log = folder.the(".log");
  cut(log, fs::file_size(log) / 2);
  folder.stays_refused("has read the log up to record 72");
}

// A crash may have left half a record, which nobody got an answer for.
TEST(Upgrade, ATornEndIsReported) {
  OldFolder folder;
  const fs::path log = folder.the(".log");
  write_file(log, read_file(log) + std::string("half a record"));
  EXPECT_TRUE(folder.upgrade());
  EXPECT_NE(folder.notes.find("13 bytes"), std::string::npos) << folder.notes;
  EXPECT_EQ(verify_log(folder.path()).last, 72U);
}

// An upgrade was interrupted before it removed the old log.
TEST(Upgrade, TheOldLogIsRemovedOnlyBesideAGoodNewOne) {
  OldFolder folder;
  fs::copy(folder.events(), folder.path() / "kept", fs::copy_options::recursive);
  EXPECT_TRUE(folder.upgrade());
  fs::rename(folder.path() / "kept", folder.events());
  const fs::path log = folder.path() / "log", aside = folder.path() / "aside";
  fs::copy(log, aside, fs::copy_options::recursive);
  for (const auto& entry : fs::directory_iterator(log)) {
    if (entry.path().extension() == ".sst") cut(entry.path(), 10);
  }
  EXPECT_NE(error_of([&] { folder.upgrade(); }).find("is kept"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder.events() / "CURRENT"));
  fs::remove_all(log);
  fs::rename(aside, log);
  EXPECT_FALSE(folder.upgrade());
  EXPECT_FALSE(fs::exists(folder.events()));
}

// The beginning of a log is removed only when base.sau has learned from it.
TEST(Upgrade, ALogWhoseBeginningWasRemoved) {
  OldFolder folder;
  OldDatabase(folder.events()).remove_before(41);
  folder.stays_refused("base.sau");
  fs::copy_file(folder.path() / "model.sau", folder.path() / "base.sau");
  EXPECT_TRUE(folder.upgrade());
  const LogCheck check = verify_log(folder.path());
  EXPECT_EQ(check.first, 41U);
  EXPECT_EQ(check.last, 72U);
  ServiceOptions options;
  options.folder = folder.path();
  Service service(options);
  service.settle();
  EXPECT_FALSE(service.decision("e1").ok());
  EXPECT_TRUE(service.decision("e31").ok());
}

}  // namespace
}  // namespace sau
