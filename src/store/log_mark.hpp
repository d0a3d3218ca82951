#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "sau/store/log_head.hpp"
#include "store/rocks_database.hpp"

namespace sau::detail {

// What a store had: it may have more now, but not less.
struct Acknowledged {
  LogHead head;            // after the last batch that was synced
  ManifestPlace manifest;  // the list of its tables
};

// The file beside a store that says so. It is written after each batch, in place, and so survives
// `kill -9`; it is synced about once a second, so after a power failure it may be behind, but never
// ahead. Two copies take turns: one of them is always whole.
class LogMark {
 public:
  explicit LogMark(const std::filesystem::path& store_folder);
  LogMark(const LogMark&) = delete;
  LogMark& operator=(const LogMark&) = delete;
  ~LogMark();

  // Nothing when there is no file. Throws Error when neither copy in it is whole.
  static std::optional<Acknowledged> read(const std::filesystem::path& store_folder);

  // Makes the file, with this head and the store as it is now. Throws Error when that fails.
  void begin(const LogHead& head);
  // A failure leaves the copy that was written before.
  Status set(const LogHead& head);
  Status sync();

 private:
  std::filesystem::path folder_, file_;
  ManifestPlace manifest_;
  std::uintmax_t seen_size_ = 0;  // of the manifest, at the last sync
  int descriptor_ = -1;
  unsigned turn_ = 0;
  std::chrono::steady_clock::time_point synced_{};
};

// Of the store in this folder.
std::filesystem::path mark_file(const std::filesystem::path& store_folder);

}  // namespace sau::detail
