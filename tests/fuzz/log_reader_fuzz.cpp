// Feeds bytes to the readers of the log: as they are, and with the right checksums, which a fuzzer
// would never find. A record that can be decoded must encode to the same bytes. A log file must be
// cut where an independent reader would cut it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sau/store/record.hpp"
#include "store/wal_check.hpp"

namespace {

constexpr std::size_t kBlock = 32'768, kHeader = 7;

void require(bool condition) {
  if (!condition) std::abort();
}

// Flags are written as 0 or 1 and read as 0 or not 0. All other bytes stay the same, except for a
// request, which can be packed in many ways.
template <class T>
void check_record(sau::Result<T> (*decode)(std::string_view), std::string_view bytes) {
  const auto read = decode(bytes);
  if (!read.ok()) return require(!read.failure().message.empty());
  const std::string written = sau::encode(read.value());
  require((std::is_same_v<T, sau::Decision>) || written.size() == bytes.size());
  const auto again = decode(written);
  require(again.ok() && sau::encode(again.value()) == written);
}

void check_records(std::string_view bytes) {
  check_record<sau::Decision>(sau::decode_decision, bytes);
  check_record<sau::Entry>(sau::decode_entry, bytes);
  check_record<sau::EventState>(sau::decode_event_state, bytes);
}

void append_number(std::string& to, std::uint64_t number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) to += static_cast<char>(number >> (8 * i));
}

std::string with_checksum(std::string_view contents) {
  std::string record(contents);
  append_number(record, XXH3_64bits(contents.data(), contents.size()), 8);
  return record;
}

// CRC-32C bit by bit, rotated and offset as in RocksDB.
std::uint32_t stored_crc(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : bytes) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78U : 0U);
  }
  crc = ~crc;
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

struct Written {
  std::string bytes;
  std::size_t whole = 0, records = 0;  // up to the first fragment out of place
  std::vector<std::size_t> padding;    // where padding begins; it goes to the end of the block

  bool is_padding(std::size_t place) const {
    return std::ranges::any_of(padding, [place](std::size_t begin) {
      return begin <= place && place / kBlock == begin / kBlock;
    });
  }
};

// Two bytes of the input make a fragment: its type and its size. Large ones fill the block, which
// takes time.
Written written_log(std::string_view input) {
  Written log;
  bool inside = false, in_order = true;
  for (std::size_t i = 0; i + 1 < input.size() && log.bytes.size() < 2 * kBlock; i += 2) {
    const auto type = static_cast<std::uint8_t>(1 + static_cast<std::uint8_t>(input[i]) % 4);
    const std::size_t left = kBlock - log.bytes.size() % kBlock;
    if (left < kHeader) {
      log.padding.push_back(log.bytes.size());
      log.bytes.append(left, '\0');
    }
    const std::size_t room = kBlock - log.bytes.size() % kBlock - kHeader;
    const std::size_t asked = static_cast<std::uint8_t>(input[i + 1]);
    const bool fills = asked == 255 && static_cast<std::uint8_t>(input[i]) >= 252;
    const std::size_t size = fills ? room : std::min(asked, room);
    std::string checked(1, static_cast<char>(type));
    checked.append(size, input[i + 1]);
    append_number(log.bytes, stored_crc(checked), 4);
    append_number(log.bytes, size, 2);
    log.bytes += checked;
    const bool begins = type == 1 || type == 2, ends = type == 1 || type == 4;
    in_order = in_order && begins != inside;
    inside = !ends;
    if (in_order && ends) {
      log.whole = log.bytes.size();
      ++log.records;
    }
  }
  return log;
}

sau::detail::WalCheck check_any_log(std::string_view bytes) {
  const auto check = sau::detail::check_wal(bytes);
  require(check.whole <= bytes.size());
  require(check.torn || !check.goes_on);
  // If it is cut there, the log has no fault and is not cut again.
  const auto cut = sau::detail::check_wal(bytes.substr(0, check.whole));
  require(cut.whole == check.whole && cut.records == check.records && !cut.torn);
  return check;
}

void check_log(std::string_view input) {
  Written log = written_log(input);
  const auto check = check_any_log(log.bytes);
  require(check.whole == log.whole && check.records == log.records);
  if (log.bytes.empty()) return;
  const std::size_t place = XXH3_64bits(input.data(), input.size()) % log.bytes.size();
  // The log ends in the middle.
  const auto torn = check_any_log(std::string_view(log.bytes).substr(0, place));
  require(torn.whole <= log.whole && torn.records <= log.records);
  // One bit is wrong: its record is not accepted, nor any record after it.
  log.bytes[place] = static_cast<char>(log.bytes[place] ^ 1);
  const auto damaged = check_any_log(log.bytes);
  require(damaged.whole <= log.whole && damaged.records <= log.records);
  if (place < log.whole && !log.is_padding(place)) {
    require(damaged.whole <= place && damaged.records < log.records && damaged.torn);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_records(bytes);
  check_records(with_checksum(bytes));
  check_any_log(bytes);
  check_log(bytes);
  return 0;
}
