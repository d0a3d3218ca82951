#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "sau/agent/recorder.hpp"
#include "sau/run/shard.hpp"

namespace sau {

// Format version of a result folder. Version 2 added the column `failed`. Before version 3 the
// first action was the best one unless a spec said otherwise (with_first_best()).
inline constexpr std::uint64_t kFormatVersion = 3;

// The rows of one cell as text: a header, then
//     trial,failed,regret,reward,stuck,regret@STEP...,crc32
// one line per trial. The last field is the CRC-32 of the text before its comma, as eight hex
// digits. A failed trial has the reason in double quotes, and its number columns are empty.
std::string cell_header(std::span<const std::uint64_t> points,
                        std::uint64_t format = kFormatVersion);
std::string cell_row(std::uint64_t trial, const TrialRecord& record,
                     std::span<const std::uint64_t> points);

struct CellScan {
  std::uint64_t rows = 0;         // whole rows
  std::uintmax_t good_bytes = 0;  // length of the file up to the last whole row
};

// Reads every row of a file of that format version and passes it to `take`, with the number of its
// trial. The rows must be those of `slice`, in order. A last line without a line end is ignored.
// Throws Error, naming the file and the line, for anything else that cell_row() would not write.
CellScan scan_cell(const std::filesystem::path& path, std::span<const std::uint64_t> points,
                   std::uint64_t format, const TrialSlice& slice,
                   const std::function<void(std::uint64_t trial, TrialRecord&&)>& take);

// Appends `line`, with `header` before it if the file is new or empty. All or nothing: if the disk
// is full, restores the file and throws Error.
void append_line(const std::filesystem::path& path, const std::string& header,
                 const std::string& line);

}  // namespace sau
