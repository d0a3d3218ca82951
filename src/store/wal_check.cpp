#include "store/wal_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"

namespace sau::detail {
namespace {

constexpr std::size_t kBlock = 32'768, kHeader = 7;
enum FragmentType : std::uint8_t { kZero, kFull, kFirst, kMiddle, kLast };

using Crc32c = boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true>;

// RocksDB rotates a checksum and adds a constant before it stores it, so that the checksum of data
// that contain checksums is not trivial.
std::uint32_t masked(std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U; }

struct Fragment {
  FragmentType type = kZero;
  std::size_t end = 0;
  bool good = false;
};

// The fragment at `place`, which is not in the last six bytes of a block.
Fragment fragment_at(std::string_view bytes, std::size_t place) {
  Fragment found{.type = kZero, .end = bytes.size(), .good = false};
  if (bytes.size() - place < kHeader) return found;
  std::uint32_t crc = 0;
  std::uint16_t length = 0;
  std::memcpy(&crc, bytes.data() + place, sizeof crc);
  std::memcpy(&length, bytes.data() + place + sizeof crc, sizeof length);
  found.type = static_cast<FragmentType>(bytes[place + kHeader - 1]);
  found.end = place + kHeader + length;
  if (found.end > bytes.size() || found.end > (place / kBlock + 1) * kBlock) return found;
  Crc32c computed;
  computed.process_bytes(bytes.data() + place + kHeader - 1, length + 1U);
  found.good = found.type >= kFull && found.type <= kLast && masked(computed.checksum()) == crc;
  return found;
}

std::size_t after_padding(std::size_t place) {
  const std::size_t left = kBlock - place % kBlock;
  return left < kHeader ? place + left : place;
}

bool all_zero(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) { return c == 0; });
}

// Whether a record with a right checksum begins at or after `place`. Tries every byte: a damaged
// length does not say where the next fragment is.
bool record_begins_after(std::string_view bytes, std::size_t place) {
  for (; place + kHeader <= bytes.size(); ++place) {
    const auto type = static_cast<FragmentType>(bytes[place + kHeader - 1]);
    if ((type == kFull || type == kFirst) && fragment_at(bytes, place).good) return true;
  }
  return false;
}

}  // namespace

WalCheck check_wal(std::string_view bytes) {
  WalCheck check;
  bool inside = false;  // a record of several fragments
  std::size_t place = 0;
  while ((place = after_padding(place)) < bytes.size()) {
    const Fragment fragment = fragment_at(bytes, place);
    const bool expected = inside ? fragment.type == kMiddle || fragment.type == kLast
                                 : fragment.type == kFull || fragment.type == kFirst;
    if (!fragment.good || !expected) break;
    inside = fragment.type == kFirst || fragment.type == kMiddle;
    place = fragment.end;
    if (!inside) {
      check.whole = place;
      ++check.records;
    }
  }
  const std::string_view rest = bytes.substr(std::min<std::size_t>(check.whole, bytes.size()));
  check.torn = !all_zero(rest);
  // If the damage is inside a record, search from the damage on: the record's own beginning is
  // good and would be found.
  const std::size_t broken = std::min(std::max<std::size_t>(place, check.whole), bytes.size());
  check.goes_on =
      check.torn && record_begins_after(bytes, broken + (broken < bytes.size() ? 1 : 0));
  return check;
}

std::optional<TornEnd> find_torn_end(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".log") files.push_back(entry.path());
  }
  std::ranges::sort(files);  // their numbers have leading zeros
  std::optional<TornEnd> torn;
  for (const auto& file : files) {
    const std::string bytes = read_file(file);
    const WalCheck check = check_wal(bytes);
    const bool damaged_before = torn && check.records > 0;
    if (damaged_before || check.goes_on) {
      throw Error(fmt::format(
          "{}: damaged at offset {}: a record there does not match its checksum, and whole records "
          "follow; nothing was changed. Restore the folder from a backup",
          (damaged_before ? torn->file : file).string(),
          damaged_before ? torn->whole : check.whole));
    }
    if (check.torn) torn = TornEnd{file, check.whole, bytes.size() - check.whole};
  }
  return torn;
}

std::string cut_off(const TornEnd& torn, std::string_view of) {
  std::filesystem::resize_file(torn.file, torn.whole);
  return fmt::format("{}: cut at offset {}, after the last whole record; {} bytes of {} are gone",
                     torn.file.string(), torn.whole, torn.lost, of);
}

}  // namespace sau::detail
