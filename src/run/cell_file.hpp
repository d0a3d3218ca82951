#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "sau/agent/recorder.hpp"

namespace sau {

// Format versions of a result folder: 2 brought the column `failed`.
inline constexpr std::uint64_t kFormatVersion = 2;

// The rows of one cell as text: a header, then
//     trial,failed,regret,reward,stuck,regret@STEP...,crc32
// one line a trial. The last field is the CRC-32 of the line before it, as eight hex digits. A
// trial that failed has the reason in double quotes, and nothing in the columns of its numbers.
std::string cell_header(std::span<const std::uint64_t> points,
                        std::uint64_t format = kFormatVersion);
std::string cell_row(std::uint64_t trial, const TrialRecord& record,
                     std::span<const std::uint64_t> points);

struct CellScan {
  std::uint64_t rows = 0;         // whole rows
  std::uintmax_t good_bytes = 0;  // length of the file up to the last whole row
};

// Reads every row of a file of that format version and hands it to `take`. A last line without its
// end is not counted. Throws Error, naming the file and the line, for anything else that is not as
// written by cell_row().
CellScan scan_cell(const std::filesystem::path& path, std::span<const std::uint64_t> points,
                   std::uint64_t format, const std::function<void(TrialRecord&&)>& take);

// Appends `line`, with `header` before it when the file is new or empty. All of it or nothing: when
// the disk is full the file is cut back to what it was and Error is thrown.
void append_line(const std::filesystem::path& path, const std::string& header,
                 const std::string& line);

}  // namespace sau
