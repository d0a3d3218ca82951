#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "sau/core/file.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_paths.hpp"

namespace sau::testing {

// A separate cache folder for the test, and a place for its files.
class DataFolders {
 public:
  DataFolders() { ::setenv("SAU_CACHE_DIR", (folder_ / "cache").c_str(), 1); }

  // Writes a file and returns its path.
  std::string file(const std::string& name, std::string_view content) const {
    write_file(folder_ / name, content);
    return (folder_ / name).string();
  }
  const std::filesystem::path& path() const { return folder_.path(); }

  // The folder of the real data sets, if it exists: $SAU_SHARED_DIR/data, or ../shared/data beside
  // the repository.
  static std::filesystem::path shared_data() {
    const std::string folder = variable("SAU_SHARED_DIR");
    return std::filesystem::path(folder.empty() ? folder_beside_repository() : folder) / "data";
  }
  // Points the data folder to the real data. Returns false if there are none.
  static bool use_shared_data() {
    ::setenv("SAU_DATA_DIR", shared_data().c_str(), 1);
    return std::filesystem::is_directory(shared_data());
  }
  // Whether a test that finds no data must fail.
  static bool data_required() { return !variable("SAU_REQUIRE_DATA").empty(); }
  static std::string no_data() { return "the data sets are not in " + shared_data().string(); }
  // Adds the running test to the file $SAU_SKIPPED_TESTS, which `make test` counts.
  static void list_as_skipped() {
    const std::string file = variable("SAU_SKIPPED_TESTS");
    if (file.empty()) return;
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::ofstream(file, std::ios::app)
        << std::string(test->test_suite_name()) + "." + test->name() + "\n";
  }

 private:
  static std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  }

  TemporaryFolder folder_;
};

// For tests that need the data sets themselves. Without them the test is skipped and counted; with
// SAU_REQUIRE_DATA it fails.
#define SAU_NEED_SHARED_DATA(folders)                                   \
  if (!(folders).use_shared_data()) {                                   \
    if ((folders).data_required()) {                                    \
      FAIL() << (folders).no_data() << ", and SAU_REQUIRE_DATA is set"; \
    }                                                                   \
    (folders).list_as_skipped();                                        \
    GTEST_SKIP() << (folders).no_data();                                \
  }                                                                     \
  static_assert(true)

}  // namespace sau::testing
