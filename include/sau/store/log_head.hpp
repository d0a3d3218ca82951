#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sau/store/record.hpp"

namespace sau {

// Where the log stands after a batch. The store keeps one with every batch; a copy of the latest is
// kept outside of it, so that what was acknowledged is known even if the store has lost it.
struct LogHead {
  Sequence last = 0;            // the latest record
  std::uint64_t decisions = 0;  // of all records up to here, also of those removed since
  // Of the checksums of all records up to here: the same only if every one of them is the same.
  std::uint64_t chain = 0;
  Sequence waiting_from = 1;      // no decision before this one waits for its reward
  Milliseconds time = 0;          // of the log's clock
  Milliseconds trusted_time = 0;  // the part of it that removal may rely on: see LogClock

  // The records that came after `base`.
  std::uint64_t records_since(const LogHead& base) const noexcept { return last - base.last; }

  bool operator==(const LogHead&) const = default;
};

std::uint64_t chained(std::uint64_t chain, std::uint64_t record_checksum) noexcept;

std::string encode(const LogHead& head);
Result<LogHead> decode_log_head(std::string_view bytes);

}  // namespace sau
