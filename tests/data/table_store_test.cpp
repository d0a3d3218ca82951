#include "data/table_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "sau/core/container.hpp"
#include "sau/core/file.hpp"
#include "support/data_folders.hpp"
#include "support/errors.hpp"
#include "support/kept_notes.hpp"

namespace sau::detail {
namespace {

using sau::testing::DataFolders;
using sau::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TableBuilder small_table(double first) {
  PackedColumn numbers, codes, labels;
  for (const double value : {first, 300.0, -1.5}) numbers.push(value);
  for (const double code : {1.0, 0.0, 2.0}) codes.push(code);
  for (const double label : {0.0, 1.0, 1.0}) labels.push(label);
  TableBuilder table;
  table.add_number(std::move(numbers), false);
  table.add_category(std::move(codes), 2);
  table.add_label(std::move(labels), 2);
  return table;
}

std::vector<double> context(const Table& table, std::uint64_t row) {
  std::vector<double> x = table.start();
  std::vector<std::uint32_t> hot;
  table.expand(row, x, hot);
  return x;
}

TEST(PackedColumn, WidensOnlyAsFarAsTheValuesNeed) {
  PackedColumn column;
  const auto expect = [&](double value, Storage storage) {
    column.push(value);
    EXPECT_EQ(column.storage(), storage) << value;
  };
  expect(0.0, Storage::kU8);
  expect(255.0, Storage::kU8);
  expect(-1.0, Storage::kI16);
  expect(32767.0, Storage::kI16);
  expect(0.5, Storage::kF32);
  expect(16777216.0, Storage::kF32);
  expect(0.1, Storage::kF64);
  expect(1e100, Storage::kF64);
  const double values[] = {0.0, 255.0, -1.0, 32767.0, 0.5, 16777216.0, 0.1, 1e100};
  for (std::size_t i = 0; i < std::size(values); ++i) EXPECT_EQ(column[i], values[i]);
}

TEST(Table, RowsComeBackAsTheyWereBuilt) {
  const std::string image = small_table(7.0).image("key");
  const Table table(image, "key", nullptr);
  EXPECT_EQ(table.rows(), 3U);
  EXPECT_EQ(table.actions(), 2U);
  EXPECT_THAT(context(table, 0), ElementsAre(7.0, 0.0, 1.0));
  EXPECT_THAT(context(table, 1), ElementsAre(300.0, 1.0, 0.0));
  EXPECT_THAT(context(table, 2), ElementsAre(-1.5, 0.0, 0.0));
  EXPECT_EQ(table.label(0), 0U);
  EXPECT_EQ(table.label(2), 1U);

  std::vector<double> x = table.start();
  std::vector<std::uint32_t> hot;
  for (const std::uint64_t row : {0U, 1U, 2U, 0U}) {
    table.expand(row, x, hot);
    EXPECT_EQ(x, context(table, row)) << "values of the previous row are left";
  }
}

TEST(Table, EveryDamagedByteIsDetected) {
  const std::string image = small_table(7.0).image("key");
  for (std::size_t i = 0; i < image.size(); ++i) {
    std::string damaged = image;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    EXPECT_NE(error_of([&] { Table(damaged, "key", nullptr); }), "") << "byte " << i;
    EXPECT_NE(error_of([&] { Table(image.substr(0, i), "key", nullptr); }), "") << "cut at " << i;
  }
  EXPECT_THAT(error_of([&] { Table(image, "other", nullptr); }), HasSubstr("other data"));
}

TEST(Table, TheFingerprintDependsOnlyOnTheContent) {
  const auto fingerprint = [](double first, std::string_view key) {
    const std::string image = small_table(first).image(key);
    return Table(image, key, nullptr).fingerprint();
  };
  EXPECT_EQ(fingerprint(7.0, "key"), fingerprint(7.0, "a longer key"));
  EXPECT_NE(fingerprint(7.0, "key"), fingerprint(8.0, "key"));
}

// An image with a good checksum and wrong numbers is refused or harmless.
TEST(Table, ACraftedImageIsRefusedOrHarmless) {
  SparseRows sparse;
  for (const std::uint32_t place : {0U, 2U, 1U}) {
    sparse.places.push_back(place);
    sparse.values.push(1.5);
    sparse.starts.push_back(sparse.places.size());
  }
  sparse.dim = 3;
  PackedColumn labels;
  for (const double label : {0.0, 1.0, 1.0}) labels.push(label);
  TableBuilder builder;
  builder.set_sparse(std::move(sparse), false);
  builder.add_label(std::move(labels), 2);
  for (const std::string& good : {small_table(7.0).image("key"), builder.image("key")}) {
    int refused = 0;
    constexpr std::size_t kFront = 32, kChecksum = 8;
    for (std::size_t i = kFront; i < good.size() - kChecksum; ++i) {
      std::string image = good.substr(0, good.size() - kChecksum);
      image[i] = static_cast<char>(image[i] ^ 0x7F);
      image = finish_container(std::move(image));
      try {
        const Table table(image, "key", nullptr);
        for (std::uint64_t row = 0; row < table.rows(); ++row) context(table, row);
      } catch (const std::exception&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, 30);
  }
}

class TableStore : public ::testing::Test {
 public:
  std::shared_ptr<const Table> open(const std::string& file) {
    return open_table({"small", {file}, "settings"}, [&] {
      ++prepared_;
      return small_table(static_cast<double>(read_file(file).size()));
    });
  }

  DataFolders folders_;
  std::atomic<int> prepared_ = 0;
};

TEST_F(TableStore, ThreadsThatOpenTheSameFilePrepareItOnce) {
  const std::string file = folders_.file("a.csv", "1234");
  std::vector<std::shared_ptr<const Table>> tables(8);
  {
    std::vector<std::jthread> threads;
    for (auto& table : tables) threads.emplace_back([&] { table = open(file); });
  }
  EXPECT_EQ(prepared_, 1);
  for (const auto& table : tables) EXPECT_EQ(table, tables[0]);
}

TEST_F(TableStore, AChangedFileIsDetected) {
  const std::string file = folders_.file("b.csv", "1234");
  EXPECT_EQ(context(*open(file), 0)[0], 4.0);
  folders_.file("b.csv", "12345");
  EXPECT_EQ(context(*open(file), 0)[0], 5.0);
  EXPECT_EQ(prepared_, 2);
  open(file);
  EXPECT_EQ(prepared_, 2);
}

TEST_F(TableStore, AnotherFileOfTheSameSizeAndTimeIsDetected) {
  const std::string file = folders_.file("e.csv", "1234");
  const auto time = std::filesystem::last_write_time(file);
  open(file);
  folders_.file("e.csv", "5678");
  std::filesystem::last_write_time(file, time);
  open(file);
  EXPECT_EQ(prepared_, 2);
}

TEST_F(TableStore, OnlyTheOwnerCanReadTheCache) {
  open(folders_.file("f.csv", "1234"));
  struct stat info {};
  ASSERT_EQ(::stat((folders_.path() / "cache").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
}

TEST_F(TableStore, AnotherProcessReadsTheCacheAndRebuildsADamagedOne) {
  const std::string file = folders_.file("c.csv", "1234");
  const auto cache = cache_file({"small", {file}, "settings"});
  // A child starts without this process's tables. Its exit code is how many it prepared.
  const auto in_child = [&] {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(context(*open(file), 0)[0] == 4.0 ? prepared_.load() : 99);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(in_child(), 1);
  EXPECT_TRUE(std::filesystem::exists(cache));
  EXPECT_EQ(in_child(), 0);

  std::string damaged = read_file(cache);
  damaged[damaged.size() / 2] ^= 1;
  write_file(cache, damaged);
  EXPECT_EQ(in_child(), 1);
  EXPECT_EQ(in_child(), 0);
  write_file(cache, "");
  EXPECT_EQ(in_child(), 1);
  std::filesystem::last_write_time(
      file, std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_EQ(in_child(), 1);
}

TEST_F(TableStore, WithoutACacheFolderTheTableStaysInMemory) {
  const std::string file = folders_.file("d.csv", "1234");
  folders_.file("not-a-folder", "");
  ::setenv("SAU_CACHE_DIR", (folders_.path() / "not-a-folder").c_str(), 1);
  ::testing::internal::CaptureStderr();
  const testing::KeptNotes notes;
  EXPECT_EQ(open(file)->rows(), 3U);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ASSERT_EQ(notes.all().size(), 1U);
  EXPECT_EQ(notes.all()[0].kind, Note::Kind::kWarning);
  EXPECT_THAT(notes.all()[0].text,
              HasSubstr("prepared data are not kept for the next start: cannot write"));
  EXPECT_EQ(open(file)->rows(), 3U);
  EXPECT_EQ(prepared_, 1);
}

TEST_F(TableStore, AMissingFileIsNamed) {
  const std::string file = (folders_.path() / "nowhere.csv").string();
  EXPECT_EQ(error_of([&] { open(file); }), "cannot read " + file + ": No such file or directory");
  EXPECT_THAT(error_of([&] { open(folders_.path().string()); }), HasSubstr("it is a folder"));
}

}  // namespace
}  // namespace sau::detail
