#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/bytes.hpp"
#include "core/hash.hpp"
#include "sau/store/failure.hpp"

namespace sau::detail {

// What all records of the log have in common: a first byte that says what they are, and a checksum
// at the end.

// A record with another first byte is refused.
enum class RecordFormat : std::uint8_t {
  kDecision = 0xD1,
  kCommitteeDecision = 0xD2,  // the same, with a DecidedCommittee
  kEntry = 0xE1,
  kLaterEntry = 0xE2,   // of kind kImported
  kPolicyEntry = 0xE3,  // of a kind that came after kImported
  kIndexedEvent = 0x41,
  kEventState = 0x51,
  kLogHead = 0x61,
  kClockLeaps = 0x71,
};

constexpr std::size_t kRecordChecksum = sizeof(std::uint64_t);

// Replaces the contents of `into`.
inline ByteWriter begin_record(RecordFormat format, std::string& into) {
  into.clear();
  ByteWriter writer(into);
  writer.put(format);
  return writer;
}

inline void finish_record(ByteWriter& writer) {
  writer.put(static_cast<std::uint64_t>(hash_of(writer.bytes())));
}

inline Failure broken_record(const char* what) { return {Failure::Code::kInternal, what}; }
inline Failure senseless_record() { return broken_record("its contents make no sense"); }

// The contents between format and checksum.
inline Result<std::string_view> checked_record(std::string_view bytes, RecordFormat format) {
  if (bytes.size() < 1 + kRecordChecksum) return broken_record("it is too short for a record");
  const std::string_view contents = bytes.substr(0, bytes.size() - kRecordChecksum);
  ByteReader tail(bytes.substr(contents.size()));
  if (tail.take<std::uint64_t>() != hash_of(contents)) {
    return broken_record("its checksum is wrong");
  }
  if (static_cast<RecordFormat>(contents.front()) != format) {
    return broken_record("it is a record of another kind or of another version of the program");
  }
  return contents.substr(1);
}

template <class E>
std::optional<E> enum_within(std::uint8_t value, E last) {
  if (value > static_cast<std::uint8_t>(last)) return std::nullopt;
  return static_cast<E>(value);
}

}  // namespace sau::detail
