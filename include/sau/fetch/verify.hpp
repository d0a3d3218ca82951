#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sau/data/source.hpp"

namespace sau {

// SHA-256 (FIPS 180-4) as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

// Why `content` is not the content of the file; empty when it is. If no checksum is known, the
// first bytes and the number of lines are compared.
std::string mismatch(const DataFile& file, std::string_view content);

enum class FileState { kMissing, kGood, kUnverified, kBad };

struct FileReport {
  FileState state = FileState::kMissing;
  std::filesystem::path path;  // where it is, or where it belongs
  std::string why;             // only for kBad
};

// Reads the whole file, if it exists. kUnverified: no checksum is known, everything else is right.
FileReport check_data_file(const std::filesystem::path& folder, const DataFile& file);

}  // namespace sau
