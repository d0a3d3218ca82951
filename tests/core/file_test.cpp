#include "sau/core/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "core/gradual_file.hpp"
#include "sau/core/error.hpp"
#include "support/errors.hpp"
#include "support/failing_sync.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryFolder;

// Simulates a full disk: while it exists, writing a file beyond `bytes` fails.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(Crc32, KnownAnswers) {
  EXPECT_EQ(crc32("123456789"), 0xcbf43926U);
  EXPECT_EQ(crc32(""), 0U);
  EXPECT_EQ(crc32("The quick brown fox jumps over the lazy dog"), 0x414fa339U);
}

TEST(Crc32, CanBeComputedInParts) {
  EXPECT_EQ(crc32("6789", crc32("12345")), crc32("123456789"));
  EXPECT_EQ(crc32("", crc32("abc")), crc32("abc"));
}

TEST(WriteFile, ReadsBackByteForByte) {
  const TemporaryFolder folder;
  std::string bytes;
  for (int i = 0; i < 300'000; ++i) bytes += static_cast<char>(i * 7);
  write_file(folder / "data", bytes);
  EXPECT_EQ(read_file(folder / "data"), bytes);
}

TEST(WriteFile, AnEmptyFileIsAFile) {
  const TemporaryFolder folder;
  write_file(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "empty"), "");
  EXPECT_THAT(folder.names(), ElementsAre("empty"));
}

TEST(WriteFile, ReplacesWhatWasThereAndLeavesNothingElse) {
  const TemporaryFolder folder;
  write_file(folder / "data", "a long first version");
  write_file(folder / "data", "second");
  EXPECT_EQ(read_file(folder / "data"), "second");
  EXPECT_THAT(folder.names(), ElementsAre("data"));
}

TEST(WriteFile, ManyThreadsMayWriteTheSameFile) {
  const TemporaryFolder folder;
  const std::string bytes(100'000, 'x');
  std::atomic<int> failed = 0, torn = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        try {
          write_file(folder / "data", bytes);
          if (read_file(folder / "data") != bytes) ++torn;
        } catch (const Error&) {
          ++failed;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(torn, 0);
  EXPECT_THAT(folder.names(), ElementsAre("data"));
}

TEST(WriteFile, AMissingFolderIsNamedAndNothingIsMade) {
  const TemporaryFolder folder;
  const auto path = folder / "missing" / "data";
  const std::string error = error_of([&] { write_file(path, "x"); });
  EXPECT_THAT(error, HasSubstr("cannot write " + path.string() + ": "));
  EXPECT_THAT(error, HasSubstr("No such file or directory"));
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(WriteFile, AFileInPlaceOfTheFolderIsAnError) {
  const TemporaryFolder folder;
  write_file(folder / "file", "x");
  const auto path = folder / "file" / "data";
  EXPECT_THAT(error_of([&] { write_file(path, "y"); }), HasSubstr(path.string()));
  EXPECT_EQ(read_file(folder / "file"), "x");
}

TEST(WriteFile, AFolderInPlaceOfTheFileLeavesNothingBehind) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "taken");
  const auto path = folder / "taken";
  EXPECT_THAT(error_of([&] { write_file(path, "y"); }), HasSubstr(path.string()));
  EXPECT_THAT(folder.names(), ElementsAre("taken"));
}

TEST(WriteFile, AFullDiskKeepsTheOldFile) {
  const TemporaryFolder folder;
  write_file(folder / "data", "old");
  std::string error;
  {
    const FullDisk full(1000);
    error = error_of([&] { write_file(folder / "data", std::string(5000, 'n')); });
  }
  EXPECT_THAT(error, HasSubstr("cannot write " + (folder / "data").string()));
  EXPECT_EQ(read_file(folder / "data"), "old");
  EXPECT_THAT(folder.names(), ElementsAre("data"));
}

TEST(WriteFile, AFolderThatCannotBeSyncedIsAnError) {
  const TemporaryFolder folder;
  testing::folder_sync_fails = true;
  const std::string error = error_of([&] { write_file(folder / "data", "x"); });
  testing::folder_sync_fails = false;
  EXPECT_EQ(error, "cannot sync " + folder.path().string() + ": Input/output error");
}

TEST(SyncFolder, NamesAFolderThatIsNotThere) {
  const TemporaryFolder folder;
  EXPECT_NO_THROW(sync_folder(folder.path()));
  EXPECT_NO_THROW(sync_folder(""));  // the present one
  EXPECT_THAT(error_of([&] { sync_folder(folder / "none"); }),
              HasSubstr("cannot sync " + (folder / "none").string() + ": No such file"));
}

TEST(ReadFile, AMissingFileIsNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { read_file(folder / "none"); }),
              HasSubstr("cannot read " + (folder / "none").string() + ": No such file"));
}

TEST(ReadFile, AFolderIsNotAFile) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { read_file(folder.path()); }), HasSubstr(folder.path().string()));
}

TEST(GradualFile, HasWhatWasWritten) {
  const TemporaryFolder folder;
  std::string expected;
  {
    detail::GradualFile file(folder / "f", O_EXCL);
    for (char c = 'a'; c <= 'k'; ++c) {
      const std::string part(1'000'000, c);
      file.write(part);
      expected += part;
    }
    file.finish();
  }
  EXPECT_EQ(read_file(folder / "f"), expected);
  EXPECT_THAT(error_of([&] { detail::GradualFile(folder / "f", O_EXCL); }),
              HasSubstr("f: cannot be written: File exists"));
}

TEST(GradualFile, AFullDiskIsAnError) {
  const TemporaryFolder folder;
  detail::GradualFile file(folder / "f", O_TRUNC);
  const FullDisk full(5'000'000);
  EXPECT_THAT(error_of([&] { file.write(std::string(6'000'000, 'x')); }),
              HasSubstr("File too large"));
}

}  // namespace
}  // namespace sau
