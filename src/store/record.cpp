#include "sau/store/record.hpp"

#include <lz4.h>

#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "core/bytes.hpp"
#include "core/hash.hpp"
#include "sau/store/event_store.hpp"
#include "sau/store/log_head.hpp"

namespace sau {
namespace {

using detail::ByteReader;
using detail::ByteWriter;

// The first byte. A record with another one is refused.
enum class Format : std::uint8_t {
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
constexpr std::size_t kActionBytes = 40, kReceivedBytes = 17;
constexpr std::size_t kTimeOfDecision = 1;    // offset of the time, after the format
constexpr std::size_t kLargestRatio = 255;    // LZ4 compresses by at most this factor
constexpr unsigned kActive = 1, kStruck = 2;  // flags of an event's state

ByteWriter begin(Format format, std::string& into) {
  into.clear();
  ByteWriter writer(into);
  writer.put(format);
  return writer;
}

void finish(ByteWriter& writer) {
  writer.put(static_cast<std::uint64_t>(detail::hash_of(writer.bytes())));
}

Failure broken(const char* what) { return {Failure::Code::kInternal, what}; }

// The contents between format and checksum.
Result<std::string_view> checked(std::string_view bytes, Format format) {
  if (bytes.size() < 1 + kRecordChecksum) return broken("it is too short for a record");
  const std::string_view contents = bytes.substr(0, bytes.size() - kRecordChecksum);
  ByteReader tail(bytes.substr(contents.size()));
  if (tail.take<std::uint64_t>() != detail::hash_of(contents)) {
    return broken("its checksum is wrong");
  }
  if (static_cast<Format>(contents.front()) != format) {
    return broken("it is a record of another kind or of another version of the program");
  }
  return contents.substr(1);
}

bool has_committee(std::string_view bytes) {
  return !bytes.empty() && static_cast<Format>(bytes.front()) == Format::kCommitteeDecision;
}

// The contents of a decision of either format.
Result<std::string_view> checked_decision(std::string_view bytes) {
  return checked(bytes, has_committee(bytes) ? Format::kCommitteeDecision : Format::kDecision);
}

// A text as an LZ4 block.
class PackedText {
 public:
  explicit PackedText(std::string_view text) : size_(static_cast<std::uint32_t>(text.size())) {
    const int bound = LZ4_compressBound(static_cast<int>(text.size()));
    char* to = small_.data();
    if (static_cast<std::size_t>(bound) > small_.size()) {
      large_.resize(static_cast<std::size_t>(bound));
      to = large_.data();
    }
    const int packed = LZ4_compress_default(text.data(), to, static_cast<int>(text.size()), bound);
    block_ = {to, static_cast<std::size_t>(packed)};
  }
  PackedText(const PackedText&) = delete;
  PackedText& operator=(const PackedText&) = delete;
  ~PackedText() = default;

  std::uint32_t size() const noexcept { return size_; }  // of the text
  std::string_view block() const noexcept { return block_; }

 private:
  std::uint32_t size_;
  std::array<char, 8192> small_;
  std::string large_;
  std::string_view block_;
};

std::optional<std::string> take_packed(ByteReader& reader) {
  const auto size = reader.take<std::uint32_t>();
  const std::string_view block = reader.take_text();
  if (size / kLargestRatio > block.size()) return std::nullopt;
  std::string text(size, '\0');
  const int unpacked = LZ4_decompress_safe(block.data(), text.data(),
                                           static_cast<int>(block.size()), static_cast<int>(size));
  if (unpacked < 0 || static_cast<std::uint32_t>(unpacked) != size) return std::nullopt;
  return text;
}

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

void put_committee(ByteWriter& writer, const DecidedCommittee& committee) {
  writer.put(static_cast<std::uint32_t>(committee.weights.size()));
  for (const float weight : committee.weights) writer.put(weight);
  writer.put(committee.pooled);
  if (committee.weights.empty()) return;
  for (const float disagreement : committee.disagreement) writer.put(disagreement);
  for (const float bonus : committee.bonuses) writer.put(bonus);
}

// Nothing when the numbers are not all there.
std::optional<DecidedCommittee> take_committee(ByteReader& reader, std::size_t actions) {
  DecidedCommittee committee;
  const auto members = reader.take<std::uint32_t>();
  if (members > reader.left() / sizeof(float)) return std::nullopt;
  const auto take = [&reader](std::vector<float>& into, std::size_t count) {
    into.resize(count);
    for (float& number : into) number = reader.take<float>();
  };
  take(committee.weights, members);
  committee.pooled = reader.take<double>();
  if (members == 0) return committee;
  if (actions > reader.left() / (2 * sizeof(float))) return std::nullopt;
  take(committee.disagreement, actions);
  take(committee.bonuses, actions);
  return committee;
}

// The first byte of an entry says how new its kind is: older programs do not take it for damaged.
Format format_of(EntryKind kind) {
  if (kind > EntryKind::kImported) return Format::kPolicyEntry;
  return kind > EntryKind::kStruck ? Format::kLaterEntry : Format::kEntry;
}

template <class E>
std::optional<E> enum_within(std::uint8_t value, E last) {
  if (value > static_cast<std::uint8_t>(last)) return std::nullopt;
  return static_cast<E>(value);
}

}  // namespace

void encode(const Decision& decision, std::string& into) {
  const DecidedCommittee& committee = decision.committee;
  ByteWriter writer =
      begin(committee.empty() ? Format::kDecision : Format::kCommitteeDecision, into);
  const PackedText request(decision.request);
  writer.reserve(80 + decision.event_id.size() + decision.actions.size() * kActionBytes +
                 sizeof(float) * (committee.weights.size() + 2 * committee.bonuses.size()) +
                 request.block().size());
  writer.put(decision.time);
  writer.put(decision.fingerprint);
  writer.put(decision.model_version);
  writer.put(decision.mode);
  writer.put(static_cast<std::uint8_t>(decision.deferred));
  writer.put(decision.chosen);
  writer.put(decision.policy);
  writer.put(decision.baseline);
  writer.put_text(decision.event_id);
  writer.put(static_cast<std::uint32_t>(decision.actions.size()));
  for (const DecidedAction& action : decision.actions) {
    writer.put(action.value);
    writer.put(action.spread);
    writer.put(action.variance);
    writer.put(action.probability);
    writer.put(action.count);
  }
  if (!committee.empty()) put_committee(writer, committee);
  writer.put(request.size());
  writer.put_text(request.block());
  finish(writer);
}

void set_time(std::string& encoded, Milliseconds time) {
  std::memcpy(encoded.data() + kTimeOfDecision, &time, sizeof time);
  const std::size_t end = encoded.size() - kRecordChecksum;
  const std::uint64_t checksum = detail::hash_of(std::string_view(encoded).substr(0, end));
  std::memcpy(encoded.data() + end, &checksum, kRecordChecksum);
}

Result<Decision> decode_decision(std::string_view bytes) {
  const auto contents = checked_decision(bytes);
  if (!contents.ok()) return contents.failure();
  ByteReader reader(contents.value());
  Decision decision;
  decision.time = reader.take<Milliseconds>();
  decision.fingerprint = reader.take<std::uint64_t>();
  decision.model_version = reader.take<std::uint64_t>();
  const auto mode = enum_within(reader.take<std::uint8_t>(), LearningMode::kLoggingOnly);
  decision.deferred = reader.take<std::uint8_t>() != 0;
  decision.chosen = reader.take<std::uint32_t>();
  decision.policy = reader.take<std::uint32_t>();
  decision.baseline = reader.take<std::uint32_t>();
  decision.event_id = reader.take_text();
  const auto count = reader.take<std::uint32_t>();
  if (!mode || count > reader.left() / kActionBytes) return broken("its contents make no sense");
  decision.mode = *mode;
  decision.actions.resize(count);
  for (DecidedAction& action : decision.actions) {
    action.value = reader.take<double>();
    action.spread = reader.take<double>();
    action.variance = reader.take<double>();
    action.probability = reader.take<double>();
    action.count = reader.take<std::uint64_t>();
  }
  if (has_committee(bytes)) {
    auto committee = take_committee(reader, count);
    if (!committee) return broken("its contents make no sense");
    decision.committee = std::move(*committee);
  }
  auto request = take_packed(reader);
  if (!request || !reader.finished() || decision.chosen >= count || decision.policy >= count ||
      decision.baseline >= count) {
    return broken("its contents make no sense");
  }
  decision.request = std::move(*request);
  return decision;
}

void encode(const Entry& entry, std::string& into) {
  ByteWriter writer = begin(format_of(entry.kind), into);
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
  finish(writer);
}

Result<Entry> decode_entry(std::string_view bytes) {
  Format format = Format::kEntry;
  for (const Format later : {Format::kLaterEntry, Format::kPolicyEntry}) {
    if (!bytes.empty() && static_cast<Format>(bytes.front()) == later) format = later;
  }
  const auto contents = checked(bytes, format);
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
    return broken("its contents make no sense");
  }
  entry.kind = *kind;
  if (entry.kind != EntryKind::kMissing) {
    entry.text = text;
    return entry;
  }
  auto missing = take_steps(text);
  if (!missing || missing->empty()) return broken("its contents make no sense");
  entry.missing = std::move(*missing);
  return entry;
}

void encode(const IndexedEvent& event, std::string& into) {
  ByteWriter writer = begin(Format::kIndexedEvent, into);
  writer.put(event.decision);
  writer.put(event.time);
  writer.put(event.fingerprint);
  writer.put(static_cast<std::uint8_t>(event.deferred));
  finish(writer);
}

Result<IndexedEvent> decode_indexed_event(std::string_view bytes) {
  const auto contents = checked(bytes, Format::kIndexedEvent);
  if (!contents.ok()) return contents.failure();
  ByteReader reader(contents.value());
  IndexedEvent event;
  event.decision = reader.take<Sequence>();
  event.time = reader.take<Milliseconds>();
  event.fingerprint = reader.take<std::uint64_t>();
  event.deferred = reader.take<std::uint8_t>() != 0;
  if (!reader.finished()) return broken("its contents make no sense");
  return event;
}

void encode(const EventState& state, std::string& into) {
  ByteWriter writer = begin(Format::kEventState, into);
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
  finish(writer);
}

Result<EventState> decode_event_state(std::string_view bytes) {
  const auto contents = checked(bytes, Format::kEventState);
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
  if (received > reader.left() / kReceivedBytes) return broken("its contents make no sense");
  state.received.resize(received);
  for (ReceivedReward& reward : state.received) {
    reward.time = reader.take<Milliseconds>();
    reward.value = reader.take<double>();
    reward.late = reader.take<std::uint8_t>() != 0;
  }
  if (!phase || !reader.finished()) return broken("its contents make no sense");
  state.phase = *phase;
  return state;
}

Result<DecisionHead> decode_decision_head(std::string_view bytes) {
  const auto contents = checked_decision(bytes);
  if (!contents.ok()) return contents.failure();
  ByteReader reader(contents.value());
  DecisionHead head;
  head.time = reader.take<Milliseconds>();
  head.fingerprint = reader.take<std::uint64_t>();
  reader.take<std::uint64_t>();  // the model's version
  reader.take<std::uint8_t>();   // the mode
  head.deferred = reader.take<std::uint8_t>() != 0;
  for (int place = 0; place < 3; ++place) reader.take<std::uint32_t>();
  head.event_id = reader.take_text();
  if (reader.left() == 0) return broken("its contents make no sense");
  return head;
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
  ByteWriter writer = begin(Format::kLogHead, bytes);
  writer.put(head.last);
  writer.put(head.decisions);
  writer.put(head.chain);
  writer.put(head.waiting_from);
  writer.put(head.time);
  writer.put(head.trusted_time);
  finish(writer);
  return bytes;
}

Result<LogHead> decode_log_head(std::string_view bytes) {
  const auto contents = checked(bytes, Format::kLogHead);
  if (!contents.ok()) return contents.failure();
  ByteReader reader(contents.value());
  LogHead head;
  head.last = reader.take<Sequence>();
  head.decisions = reader.take<std::uint64_t>();
  head.chain = reader.take<std::uint64_t>();
  head.waiting_from = reader.take<Sequence>();
  head.time = reader.take<Milliseconds>();
  head.trusted_time = reader.take<Milliseconds>();
  if (!reader.finished()) return broken("its contents make no sense");
  return head;
}

std::string encode(const std::vector<ClockLeap>& leaps) {
  std::string bytes;
  ByteWriter writer = begin(Format::kClockLeaps, bytes);
  writer.put(static_cast<std::uint32_t>(leaps.size()));
  for (const ClockLeap& leap : leaps) {
    writer.put(leap.from);
    writer.put(leap.size);
  }
  finish(writer);
  return bytes;
}

Result<std::vector<ClockLeap>> decode_clock_leaps(std::string_view bytes) {
  const auto contents = checked(bytes, Format::kClockLeaps);
  if (!contents.ok()) return contents.failure();
  ByteReader reader(contents.value());
  const auto count = reader.take<std::uint32_t>();
  if (reader.left() != count * 2 * sizeof(Milliseconds)) {
    return broken("its contents make no sense");
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
