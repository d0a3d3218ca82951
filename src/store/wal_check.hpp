#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace sau::detail {

// What a write-ahead log file of RocksDB holds: blocks of 32 KiB; in them fragments with a header
// of seven bytes (CRC-32C, length, type) that make up records; a record is one batch. (RocksDB
// wiki, "Write Ahead Log File Format".) Looked at here, before RocksDB reads it, since RocksDB
// either tolerates damage anywhere or nowhere and does not say which it met.
struct WalCheck {
  std::uint64_t whole = 0;    // bytes up to the end of the last whole record before any damage
  std::uint64_t records = 0;  // whole ones up to there
  bool torn = false;          // there are bytes beyond `whole` that are not padding
  bool goes_on = false;       // and a record begins after the damage: this is no torn end
};

WalCheck check_wal(std::string_view bytes);

// Throws Error, with file and offset, when a log file is damaged elsewhere than at its end.
void check_wal_files(const std::filesystem::path& folder);

// Checks the log files of a store that nobody has open, in order. An end torn by a crash, that is
// one after which no record begins, is cut off; returns a sentence that says so, or an empty one.
// Throws Error, with file and offset, when a file is damaged elsewhere.
std::string repair_wal(const std::filesystem::path& folder);

}  // namespace sau::detail
