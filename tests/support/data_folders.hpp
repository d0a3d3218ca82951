#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "sau/core/file.hpp"
#include "support/temporary_folder.hpp"

namespace sau::testing {

// A cache folder of the test's own, and room for its files.
class DataFolders {
 public:
  DataFolders() { ::setenv("SAU_CACHE_DIR", (folder_ / "cache").c_str(), 1); }

  // Writes a file and returns its path.
  std::string file(const std::string& name, std::string_view content) const {
    write_file(folder_ / name, content);
    return (folder_ / name).string();
  }
  const std::filesystem::path& path() const { return folder_.path(); }

  // Points the data folder to the real data. False where they are not at hand.
  static bool use_shared_data() {
    const std::filesystem::path shared = std::filesystem::path(SAU_SHARED_DIR) / "data";
    ::setenv("SAU_DATA_DIR", shared.c_str(), 1);
    return std::filesystem::is_directory(shared);
  }

 private:
  TemporaryFolder folder_;
};

// For tests that need the data sets themselves.
#define SAU_NEED_SHARED_DATA(folders) \
  if (!(folders).use_shared_data()) GTEST_SKIP() << "the data sets are not in " SAU_SHARED_DIR

}  // namespace sau::testing
