#include "cluster/spool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "support/failing_sync.hpp"
#include "support/temporary_folder.hpp"

namespace sau::detail {
namespace {

using sau::testing::TemporaryFolder;

std::vector<std::string> numbered(Sequence first, Sequence last) {
  std::vector<std::string> records;
  for (Sequence i = first; i <= last; ++i) records.push_back("record " + std::to_string(i));
  return records;
}

std::vector<std::string> all_of(const Spool& spool) {
  std::vector<std::string> found;
  for (Sequence next = spool.first(); next <= spool.last();) {
    const auto read = spool.read(next, 40);
    EXPECT_TRUE(read.ok());
    if (!read.ok() || read.value().empty()) break;
    next += read.value().size();
    found.insert(found.end(), read.value().begin(), read.value().end());
  }
  return found;
}

std::filesystem::path only_file(const std::filesystem::path& folder) {
  return folder / "00000000000000000001.spool";
}

TEST(Spool, KeepsRecordsInOrderAcrossFilesAndRestarts) {
  const TemporaryFolder folder;
  {
    Spool spool(folder / "spool", {.segment_bytes = 100});
    for (Sequence i = 0; i < 10; ++i) {
      ASSERT_TRUE(spool.append(numbered(3 * i + 1, 3 * i + 3)).ok());
    }
    EXPECT_EQ(all_of(spool), numbered(1, 30));
  }
  Spool spool(folder / "spool", {.segment_bytes = 100});
  EXPECT_EQ(spool.last(), 30U);
  EXPECT_EQ(all_of(spool), numbered(1, 30));
  ASSERT_TRUE(spool.append(numbered(31, 31)).ok());
  EXPECT_EQ(all_of(spool), numbered(1, 31));
}

TEST(Spool, DropsWholeFilesAndKeepsItsNumbers) {
  const TemporaryFolder folder;
  std::uint64_t before = 0;
  {
    Spool spool(folder / "spool", {.segment_bytes = 100});
    for (Sequence i = 1; i <= 30; ++i) ASSERT_TRUE(spool.append(numbered(i, i)).ok());
    before = spool.bytes();
    spool.drop(17);
    EXPECT_EQ(spool.first(), 18U);
    EXPECT_EQ(all_of(spool), numbered(18, 30));
    EXPECT_LT(spool.bytes(), before);
    spool.drop(1000);
    EXPECT_EQ(spool.first(), 31U);
  }
  Spool spool(folder / "spool", {.segment_bytes = 100});
  EXPECT_EQ(spool.last(), 30U);
  ASSERT_TRUE(spool.append(numbered(31, 31)).ok());
  EXPECT_EQ(spool.last(), 31U);
}

TEST(Spool, AFileWhoseNameIsNotOnDiskTakesNoRecords) {
  const TemporaryFolder folder;
  Spool spool(folder / "spool", {.segment_bytes = 20});
  ASSERT_TRUE(spool.append(numbered(1, 1)).ok());
  sau::testing::folder_sync_fails = true;
  EXPECT_FALSE(spool.append(numbered(2, 2)).ok());
  sau::testing::folder_sync_fails = false;
  EXPECT_EQ(all_of(spool), numbered(1, 1));
  ASSERT_TRUE(spool.append(numbered(2, 2)).ok());
  EXPECT_EQ(all_of(spool), numbered(1, 2));
}

TEST(Spool, CutAtEveryByteIsAPrefixOfTheRecords) {
  const TemporaryFolder folder;
  { ASSERT_TRUE(Spool(folder / "spool", {}).append(numbered(1, 3)).ok()); }
  const std::string whole = read_file(only_file(folder / "spool"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::filesystem::remove_all(folder / "spool");
    std::filesystem::create_directories(folder / "spool");
    std::ofstream(only_file(folder / "spool"), std::ios::binary) << whole.substr(0, size);
    std::string notes;
    Spool spool(folder / "spool", {.note = [&](const std::string& note) { notes += note; }});
    EXPECT_LT(spool.last(), 3U) << size;
    EXPECT_EQ(all_of(spool), numbered(1, spool.last())) << size;
    ASSERT_TRUE(spool.append({std::vector<std::string>{"next"}}).ok()) << size;
    EXPECT_EQ(all_of(spool).back(), "next") << size;
  }
}

TEST(Spool, RefusesADamagedByteAnywhereBeforeTheLastRecord) {
  const TemporaryFolder folder;
  { ASSERT_TRUE(Spool(folder / "spool", {}).append(numbered(1, 3)).ok()); }
  const std::string whole = read_file(only_file(folder / "spool"));
  const std::size_t last_record = whole.size() - 12 - std::string("record 3").size();
  for (std::size_t at = 0; at < last_record; ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    std::ofstream(only_file(folder / "spool"), std::ios::binary) << damaged;
    EXPECT_THROW(Spool(folder / "spool", {}), Error) << at;
  }
}

TEST(Spool, RefusesAMissingFileInTheMiddle) {
  const TemporaryFolder folder;
  {
    Spool spool(folder / "spool", {.segment_bytes = 20});
    for (Sequence i = 1; i <= 3; ++i) ASSERT_TRUE(spool.append(numbered(i, i)).ok());
  }
  std::filesystem::remove(folder / "spool/00000000000000000002.spool");
  EXPECT_THROW(Spool(folder / "spool", {}), Error);
}

TEST(Spool, IsForOneProcess) {
  const TemporaryFolder folder;
  const Spool spool(folder / "spool", {});
  EXPECT_THROW(Spool(folder / "spool", {}), Error);
}

TEST(Spool, AFullDiskLosesNothingAndIsTriedAgain) {
  const TemporaryFolder folder;
  Spool spool(folder / "spool", {});
  ASSERT_TRUE(spool.append(numbered(1, 2)).ok());
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 80;
  ::setrlimit(RLIMIT_FSIZE, &small);
  const Status failed = spool.append(std::vector<std::string>{std::string(500, 'x')});
  const Status probed = spool.probe();
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.failure().code, Failure::Code::kUnavailable);
  EXPECT_FALSE(probed.ok());
  EXPECT_EQ(all_of(spool), numbered(1, 2));
  EXPECT_TRUE(spool.probe().ok());
  EXPECT_EQ(all_of(spool), numbered(1, 2));
  ASSERT_TRUE(spool.append(numbered(3, 3)).ok());
  EXPECT_EQ(all_of(spool), numbered(1, 3));
}

TEST(Spool, AFullDiskGetsRoomOnceAllRecordsAreDropped) {
  const TemporaryFolder folder;
  Spool spool(folder / "spool", {});
  ASSERT_TRUE(spool.append(numbered(1, 20)).ok());
  const std::uint64_t before = spool.bytes();
  rlimit unlimited{};
  ::getrlimit(RLIMIT_FSIZE, &unlimited);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = unlimited;
  small.rlim_cur = before;
  ::setrlimit(RLIMIT_FSIZE, &small);
  const bool first = spool.append(numbered(21, 21)).ok();
  spool.drop(19);
  const bool one_left = spool.append(numbered(21, 21)).ok();
  spool.drop(20);
  const bool none_left = spool.append(numbered(21, 21)).ok();
  ::setrlimit(RLIMIT_FSIZE, &unlimited);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(first);
  EXPECT_FALSE(one_left);
  EXPECT_TRUE(none_left);
  EXPECT_LT(spool.bytes(), before);
  EXPECT_EQ(spool.first(), 21U);
  EXPECT_EQ(all_of(spool), numbered(21, 21));
}

}  // namespace
}  // namespace sau::detail
