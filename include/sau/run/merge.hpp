#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sau {

struct MergeOptions {
  // Write a folder even if trials are missing. A cell then ends before its first missing trial.
  bool partial = false;
  // Called with the new folder while it still has its temporary name, if the paper's tables belong
  // into it.
  std::function<void(const std::filesystem::path& folder)> write_tables = {};
};

struct MergeOutcome {
  std::uint64_t cells = 0;
  std::uint64_t trials = 0;            // written
  std::uint64_t failed = 0;            // of these, trials that failed
  std::uint64_t missing = 0;           // asked for, and in none of the folders
  std::uint64_t left_out = 0;          // in a folder, but behind a missing trial of their cell
  std::vector<std::string> gaps = {};  // one line per cell that lacks trials
};

// Joins result folders of the same experiment, such as its shards, into the new folder `out`, which
// is byte by byte what a single run would have written, except for timing.csv and sessions.jsonl.
// A trial may be in several folders if its rows are equal. Files that are not trials, such as
// theory.json, are copied. The folder gets its name when it is complete and on disk: a call that is
// killed leaves only out.merging, which the next one removes.
//
// Throws Error, naming the folder, if `out` exists, if one of the folders is in use, damaged, of
// another seed, version or format, has other cells or other data, or if rows or files differ.
// Throws Error as well if trials are missing, unless `partial` is set. Nothing is written then.
MergeOutcome merge_results(const std::filesystem::path& out,
                           std::span<const std::filesystem::path> folders,
                           const MergeOptions& options = {});

}  // namespace sau
