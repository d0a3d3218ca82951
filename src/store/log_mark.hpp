#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "sau/store/log_head.hpp"
#include "store/rocks_database.hpp"

namespace sau::detail {

// What a store had when it was last written: it may have more now, but not less.
struct Acknowledged {
  LogHead head;            // after the last batch that was synced
  ManifestPlace manifest;  // RocksDB's list of its files
};

// The file beside a store that records this. It is written in place after each batch, so it
// survives `kill -9`. It is synced about once a second, so after a power failure it may be behind,
// but never ahead. It holds two copies, written in turns: one of them is always whole.
class LogMark {
 public:
  explicit LogMark(const std::filesystem::path& store_folder);
  LogMark(const LogMark&) = delete;
  LogMark& operator=(const LogMark&) = delete;
  ~LogMark();

  // Nothing when there is no file. Throws Error when neither copy in it is whole.
  static std::optional<Acknowledged> read(const std::filesystem::path& store_folder);

  // Creates the file, for this head and the store's current manifest. Throws Error on failure.
  void begin(const LogHead& head);
  // On failure the copy that was written before remains.
  Status set(const LogHead& head);
  Status sync();

 private:
  std::filesystem::path folder_, file_;
  ManifestPlace manifest_;
  std::uintmax_t seen_size_ = 0;  // size of the manifest at the last sync
  int descriptor_ = -1;
  unsigned turn_ = 0;
  std::chrono::steady_clock::time_point synced_{};
};

std::filesystem::path mark_file(const std::filesystem::path& store_folder);

}  // namespace sau::detail
