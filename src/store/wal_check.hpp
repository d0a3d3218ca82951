#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sau::detail {

// The result of checking a write-ahead log file of RocksDB. Such a file consists of blocks of 32
// KiB. They hold fragments with a header of seven bytes (CRC-32C, length, type). Fragments make up
// records; a record is one batch. (RocksDB wiki, "Write Ahead Log File Format".) We check it before
// RocksDB reads it, since RocksDB tolerates damage either anywhere or nowhere, and does not say
// where it was.
struct WalCheck {
  std::uint64_t whole = 0;    // bytes up to the end of the last whole record before any damage
  std::uint64_t records = 0;  // whole ones up to there
  bool torn = false;          // there are bytes beyond `whole` that are not padding
  bool goes_on = false;       // a record begins after the damage, so it is not a torn end
};

WalCheck check_wal(std::string_view bytes);

// Where the end of the last file is torn.
struct TornEnd {
  std::filesystem::path file;
  std::uint64_t whole = 0, lost = 0;  // bytes
};

// Reads the log files in order, and changes nothing. Finds the end that a crash has torn: no record
// begins after it. Throws Error, with file and offset, when a file is damaged elsewhere.
std::optional<TornEnd> find_torn_end(const std::filesystem::path& folder);

// Cuts it off; nobody may have the store open. Returns a sentence that says so; `of` says what the
// bytes belonged to.
std::string cut_off(const TornEnd& torn, std::string_view of);

}  // namespace sau::detail
