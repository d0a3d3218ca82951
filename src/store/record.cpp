#include "sau/store/record.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "sau/store/event_store.hpp"
#include "sau/store/log_head.hpp"
#include "store/record_format.hpp"

namespace sau {
namespace {

using namespace detail;

constexpr std::size_t kReceivedBytes = 17;
constexpr unsigned kActive = 1, kStruck = 2;  // flags of an event's state

// Sorted sequence numbers, as the steps from one to the next: seven bits per byte, the low ones
// first; the high bit is set when more bytes of the number follow.
void put_steps(ByteWriter& writer, const std::vector<Sequence>& sequences) {
  Sequence before = 0;
  for (const Sequence sequence : sequences) {
    Sequence step = sequence - before;
    before = sequence;
    for (; step >= 0x80; step >>= 7) writer.put(static_cast<std::uint8_t>(step | 0x80));
    writer.put(static_cast<std::uint8_t>(step));
  }
}

// Nothing when the bytes are not such numbers, or the numbers do not increase.
std::optional<std::vector<Sequence>> take_steps(std::string_view bytes) {
  std::vector<Sequence> sequences;
  Sequence before = 0, step = 0;
  int shift = 0;
  for (const char c : bytes) {
    if (shift > 56) return std::nullopt;
    step |= static_cast<Sequence>(c & 0x7F) << shift;
    shift += 7;
    if ((c & 0x80) != 0) continue;
    if (step == 0) return std::nullopt;
    sequences.push_back(before += step);
    step = 0;
    shift = 0;
  }
  if (shift != 0) return std::nullopt;
  return sequences;
}

// The first byte of an entry says how new its kind is: older programs do not take it for damaged.
RecordFormat format_of(EntryKind kind) {
  if (kind > EntryKind::kImported) return RecordFormat::kPolicyEntry;
  return kind > EntryKind::kStruck ? RecordFormat::kLaterEntry : RecordFormat::kEntry;
}

}  // namespace

void encode(const Entry& entry, std::string& into) {
  ByteWriter writer = begin_record(format_of(entry.kind), into);
  writer.reserve(48 + entry.text.size());
  writer.put(entry.kind);
  writer.put(static_cast<std::uint8_t>(entry.completes));
  writer.put(entry.time);
  writer.put(entry.decision);
  writer.put(entry.value);
  if (entry.kind == EntryKind::kMissing) {
    std::string steps;
    ByteWriter list(steps);
    put_steps(list, entry.missing);
    writer.put_text(steps);
  } else {
    writer.put_text(entry.text);
  }
  finish_record(writer);
}

Result<Entry> decode_entry(std::string_view bytes) {
  RecordFormat format = RecordFormat::kEntry;
  for (const RecordFormat later : {RecordFormat::kLaterEntry, RecordFormat::kPolicyEntry}) {
    if (!bytes.empty() && static_cast<RecordFormat>(bytes.front()) == later) format = later;
  }
  const auto contents = checked_record(bytes, format);
  if (!contents.ok()) return contents.failure();
  ByteReader reader(contents.value());
  Entry entry;
  const auto kind = enum_within(reader.take<std::uint8_t>(), EntryKind::kTrialEnded);
  entry.completes = reader.take<std::uint8_t>() != 0;
  entry.time = reader.take<Milliseconds>();
  entry.decision = reader.take<Sequence>();
  entry.value = reader.take<double>();
  const std::string_view text = reader.take_text();
  if (!kind || format_of(*kind) != format || !reader.finished() || !std::isfinite(entry.value)) {
    return senseless_record();
  }
  entry.kind = *kind;
  if (entry.kind != EntryKind::kMissing) {
    entry.text = text;
    return entry;
  }
  auto missing = take_steps(text);
  if (!missing || missing->empty()) return senseless_record();
  entry.missing = std::move(*missing);
  return entry;
}

void encode(const IndexedEvent& event, std::string& into) {
  ByteWriter writer = begin_record(RecordFormat::kIndexedEvent, into);
  writer.put(event.decision);
  writer.put(event.time);
  writer.put(event.fingerprint);
  writer.put(static_cast<std::uint8_t>(event.deferred));
  finish_record(writer);
}

Result<IndexedEvent> decode_indexed_event(std::string_view bytes) {
  const auto contents = checked_record(bytes, RecordFormat::kIndexedEvent);
  if (!contents.ok()) return contents.failure();
  ByteReader reader(contents.value());
  IndexedEvent event;
  event.decision = reader.take<Sequence>();
  event.time = reader.take<Milliseconds>();
  event.fingerprint = reader.take<std::uint64_t>();
  event.deferred = reader.take<std::uint8_t>() != 0;
  if (!reader.finished()) return senseless_record();
  return event;
}

void encode(const EventState& state, std::string& into) {
  ByteWriter writer = begin_record(RecordFormat::kEventState, into);
  writer.reserve(96 + state.received.size() * kReceivedBytes);
  writer.put(state.decision);
  writer.put(state.time);
  writer.put(state.fingerprint);
  writer.put(state.phase);
  writer.put(
      static_cast<std::uint8_t>((state.active ? kActive : 0) | (state.struck ? kStruck : 0)));
  writer.put(state.rewards);
  writer.put(state.late);
  writer.put(state.first);
  writer.put(state.sum);
  writer.put(state.final_reward);
  writer.put(state.completed_by);
  writer.put(static_cast<std::uint32_t>(state.received.size()));
  for (const ReceivedReward& reward : state.received) {
    writer.put(reward.time);
    writer.put(reward.value);
    writer.put(static_cast<std::uint8_t>(reward.late));
  }
  finish_record(writer);
}

Result<EventState> decode_event_state(std::string_view bytes) {
  const auto contents = checked_record(bytes, RecordFormat::kEventState);
  if (!contents.ok()) return contents.failure();
  ByteReader reader(contents.value());
  EventState state;
  state.decision = reader.take<Sequence>();
  state.time = reader.take<Milliseconds>();
  state.fingerprint = reader.take<std::uint64_t>();
  const auto phase = enum_within(reader.take<std::uint8_t>(), EventPhase::kDropped);
  const auto flags = reader.take<std::uint8_t>();
  state.active = (flags & kActive) != 0;
  state.struck = (flags & kStruck) != 0;
  state.rewards = reader.take<std::uint32_t>();
  state.late = reader.take<std::uint32_t>();
  state.first = reader.take<double>();
  state.sum = reader.take<double>();
  state.final_reward = reader.take<double>();
  state.completed_by = reader.take<Sequence>();
  const auto received = reader.take<std::uint32_t>();
  if (received > reader.left() / kReceivedBytes) return senseless_record();
  state.received.resize(received);
  for (ReceivedReward& reward : state.received) {
    reward.time = reader.take<Milliseconds>();
    reward.value = reader.take<double>();
    reward.late = reader.take<std::uint8_t>() != 0;
  }
  if (!phase || !reader.finished()) return senseless_record();
  state.phase = *phase;
  return state;
}

std::optional<std::uint64_t> record_checksum(std::string_view bytes) {
  if (bytes.size() < 1 + kRecordChecksum) return std::nullopt;
  const std::size_t size = bytes.size() - kRecordChecksum;
  const auto stored = ByteReader(bytes.substr(size)).take<std::uint64_t>();
  if (stored != detail::hash_of(bytes.substr(0, size))) return std::nullopt;
  return stored;
}

std::uint64_t chained(std::uint64_t chain, std::uint64_t record_checksum) noexcept {
  return detail::hash_of({reinterpret_cast<const char*>(&record_checksum), sizeof record_checksum},
                         chain);
}

void EventDigest::add(std::string_view id, Sequence decision) noexcept {
  ++count;
  sum += detail::hash_of(id, decision);
}

std::string encode(const LogHead& head) {
  std::string bytes;
  ByteWriter writer = begin_record(RecordFormat::kLogHead, bytes);
  writer.put(head.last);
  writer.put(head.decisions);
  writer.put(head.chain);
  writer.put(head.waiting_from);
  writer.put(head.time);
  writer.put(head.trusted_time);
  finish_record(writer);
  return bytes;
}

Result<LogHead> decode_log_head(std::string_view bytes) {
  const auto contents = checked_record(bytes, RecordFormat::kLogHead);
  if (!contents.ok()) return contents.failure();
  ByteReader reader(contents.value());
  LogHead head;
  head.last = reader.take<Sequence>();
  head.decisions = reader.take<std::uint64_t>();
  head.chain = reader.take<std::uint64_t>();
  head.waiting_from = reader.take<Sequence>();
  head.time = reader.take<Milliseconds>();
  head.trusted_time = reader.take<Milliseconds>();
  if (!reader.finished()) return senseless_record();
  return head;
}

std::string encode(const std::vector<ClockLeap>& leaps) {
  std::string bytes;
  ByteWriter writer = begin_record(RecordFormat::kClockLeaps, bytes);
  writer.put(static_cast<std::uint32_t>(leaps.size()));
  for (const ClockLeap& leap : leaps) {
    writer.put(leap.from);
    writer.put(leap.size);
  }
  finish_record(writer);
  return bytes;
}

Result<std::vector<ClockLeap>> decode_clock_leaps(std::string_view bytes) {
  const auto contents = checked_record(bytes, RecordFormat::kClockLeaps);
  if (!contents.ok()) return contents.failure();
  ByteReader reader(contents.value());
  const auto count = reader.take<std::uint32_t>();
  if (reader.left() != std::size_t{count} * 2 * sizeof(Milliseconds)) {
    return senseless_record();
  }
  std::vector<ClockLeap> leaps(count);
  for (ClockLeap& leap : leaps) {
    leap.from = reader.take<Milliseconds>();
    leap.size = reader.take<Milliseconds>();
  }
  return leaps;
}

Milliseconds end_of_wait(Milliseconds begin, Milliseconds wait, std::span<const ClockLeap> leaps) {
  Milliseconds end = begin + wait;
  for (const ClockLeap& leap : leaps) {
    if (leap.from >= begin) end += leap.size;
  }
  return end;
}

}  // namespace sau
