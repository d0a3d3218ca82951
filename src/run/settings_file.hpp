#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/open_file.hpp"
#include "sau/run/experiment.hpp"

namespace sau {

// The files of a result folder, beside those in cells/ (docs/formats/results.md).
inline constexpr const char* kSettingsFile = "run.json";
inline constexpr const char* kTimingFile = "timing.csv";
inline constexpr const char* kSessionsFile = "sessions.jsonl";
inline constexpr const char* kTimingHeader = "file,trial,seconds";

struct SettingsCell {
  Cell cell;
  std::string file;  // relative to the folder
};

// What run.json says.
struct Settings {
  std::uint64_t format_version = 0;
  std::string sau_version;
  std::uint64_t seed = 0;
  std::vector<SettingsCell> cells;
  Shard shard = {};

  // Why trials of this program and seed cannot be joined with those of the folder: "holds results
  // of seed 2, not 1". Empty if they can.
  std::string mismatch(std::uint64_t other_seed) const;
};

// Throws Error if the folder has no run.json or it is damaged.
Settings read_settings(const std::filesystem::path& folder);

// Writes run.json of this program's version, and makes the folder cells/.
void write_settings(const std::filesystem::path& folder, std::uint64_t seed, const Shard& shard,
                    const std::vector<SettingsCell>& cells);

// A file name for the cell, other than those that are taken.
std::string name_cell_file(const Cell& cell, const std::vector<std::string>& taken);

// Removes temporary settings files that a killed program left behind: run.json.tmp plus digits,
// beside run.json or alone in the folder. Other files stay.
void remove_leftovers(const std::filesystem::path& folder);

// Whether the folder is empty or holds results.
bool is_result_folder(const std::filesystem::path& folder);

// The folder is locked while this object lives. Throws Error if it is locked already; any number
// of shared locks may exist together. Where the file system has no locks, a note says so.
class FolderLock {
 public:
  enum class Kind { kExclusive, kShared };
  FolderLock(const std::filesystem::path& folder, Kind kind);

 private:
  detail::OpenFile folder_;
};

}  // namespace sau
