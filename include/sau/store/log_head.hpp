#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/store/record.hpp"

namespace sau {

// Where the log stands after a batch. The store writes one with every batch. A copy of the latest
// is kept outside the store: it tells what was acknowledged, even if the store has lost it.
struct LogHead {
  Sequence last = 0;            // the latest record
  std::uint64_t decisions = 0;  // among all records up to here, including those removed since
  // A hash of the checksums of all records up to here: equal only if all of them are equal.
  std::uint64_t chain = 0;
  Sequence waiting_from = 1;      // no decision before this one waits for its reward
  Milliseconds time = 0;          // of the log's clock
  Milliseconds trusted_time = 0;  // the time that removal may rely on: see LogClock

  // The records that came after `base`.
  std::uint64_t records_since(const LogHead& base) const noexcept { return last - base.last; }

  bool operator==(const LogHead&) const = default;
};

std::uint64_t chained(std::uint64_t chain, std::uint64_t record_checksum) noexcept;

std::string encode(const LogHead& head);
Result<LogHead> decode_log_head(std::string_view bytes);

// The log's time moved ahead by `size` at the time `from`, but nobody waited that long: the
// machine's clock was set, or the service was stopped.
struct ClockLeap {
  Milliseconds from = 0, size = 0;
  bool operator==(const ClockLeap&) const = default;
};

std::string encode(const std::vector<ClockLeap>& leaps);
Result<std::vector<ClockLeap>> decode_clock_leaps(std::string_view bytes);

// When, by the log's time, an event of the time `begin` has waited for `wait`.
Milliseconds end_of_wait(Milliseconds begin, Milliseconds wait, std::span<const ClockLeap> leaps);

}  // namespace sau
