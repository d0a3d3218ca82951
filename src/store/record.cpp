#include "sau/store/record.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "core/hash.hpp"
#include "store/bytes.hpp"

namespace sau {
namespace {

using detail::ByteReader;
using detail::ByteWriter;

// The first byte. A record of another format, or of a later one, is refused by name.
enum class Format : std::uint8_t { kDecision = 0xD1, kEntry = 0xE1, kEventState = 0x51 };

constexpr std::size_t kChecksum = sizeof(std::uint64_t);
constexpr std::size_t kActionBytes = 40, kReceivedBytes = 17;

ByteWriter begin(Format format) {
  ByteWriter writer;
  writer.put(format);
  return writer;
}

std::string finish(ByteWriter writer) {
  writer.put(static_cast<std::uint64_t>(detail::hash_of(writer.bytes())));
  return std::move(writer.bytes());
}

Failure broken(const char* what) { return {Failure::Code::kInternal, what}; }

// The contents between format and checksum.
Result<std::string_view> checked(std::string_view bytes, Format format) {
  if (bytes.size() < 1 + kChecksum) return broken("it is too short for a record");
  const std::string_view contents = bytes.substr(0, bytes.size() - kChecksum);
  ByteReader tail(bytes.substr(contents.size()));
  if (tail.take<std::uint64_t>() != detail::hash_of(contents)) {
    return broken("its checksum is wrong");
  }
  if (static_cast<Format>(contents.front()) != format) {
    return broken("it is a record of another kind or of another version of the program");
  }
  return contents.substr(1);
}

template <class E>
std::optional<E> enum_within(std::uint8_t value, E last) {
  if (value > static_cast<std::uint8_t>(last)) return std::nullopt;
  return static_cast<E>(value);
}

}  // namespace

std::string encode(const Decision& decision) {
  ByteWriter writer = begin(Format::kDecision);
  writer.reserve(80 + decision.event_id.size() + decision.request.size() +
                 decision.actions.size() * kActionBytes);
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
  writer.put_text(decision.request);
  return finish(std::move(writer));
}

Result<Decision> decode_decision(std::string_view bytes) {
  const auto contents = checked(bytes, Format::kDecision);
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
  decision.request = reader.take_text();
  if (!reader.finished() || decision.chosen >= count || decision.policy >= count ||
      decision.baseline >= count) {
    return broken("its contents make no sense");
  }
  return decision;
}

std::string encode(const Entry& entry) {
  ByteWriter writer = begin(Format::kEntry);
  writer.reserve(48 + entry.text.size());
  writer.put(entry.kind);
  writer.put(static_cast<std::uint8_t>(entry.completes));
  writer.put(entry.time);
  writer.put(entry.decision);
  writer.put(entry.value);
  writer.put_text(entry.text);
  return finish(std::move(writer));
}

Result<Entry> decode_entry(std::string_view bytes) {
  const auto contents = checked(bytes, Format::kEntry);
  if (!contents.ok()) return contents.failure();
  ByteReader reader(contents.value());
  Entry entry;
  const auto kind = enum_within(reader.take<std::uint8_t>(), EntryKind::kModelLoaded);
  entry.completes = reader.take<std::uint8_t>() != 0;
  entry.time = reader.take<Milliseconds>();
  entry.decision = reader.take<Sequence>();
  entry.value = reader.take<double>();
  entry.text = reader.take_text();
  if (!kind || !reader.finished() || !std::isfinite(entry.value)) {
    return broken("its contents make no sense");
  }
  entry.kind = *kind;
  return entry;
}

std::string encode(const EventState& state) {
  ByteWriter writer = begin(Format::kEventState);
  writer.reserve(96 + state.received.size() * kReceivedBytes);
  writer.put(state.decision);
  writer.put(state.time);
  writer.put(state.fingerprint);
  writer.put(state.phase);
  writer.put(static_cast<std::uint8_t>(state.active));
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
  return finish(std::move(writer));
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
  state.active = reader.take<std::uint8_t>() != 0;
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

}  // namespace sau
