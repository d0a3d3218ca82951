#include <lz4.h>

#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "sau/store/record.hpp"
#include "store/record_format.hpp"

namespace sau {
namespace {

using namespace detail;

constexpr std::size_t kActionBytes = 40;
constexpr std::size_t kTimeOfDecision = 1;  // offset of the time, after the format
constexpr std::size_t kLargestRatio = 255;  // LZ4 compresses by at most this factor

bool has_committee(std::string_view bytes) {
  return !bytes.empty() &&
         static_cast<RecordFormat>(bytes.front()) == RecordFormat::kCommitteeDecision;
}

// The contents of a decision of either format.
Result<std::string_view> checked_decision(std::string_view bytes) {
  return checked_record(
      bytes, has_committee(bytes) ? RecordFormat::kCommitteeDecision : RecordFormat::kDecision);
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

// False if the bytes are not a packed text.
bool take_packed(ByteReader& reader, std::string& text) {
  const auto size = reader.take<std::uint32_t>();
  const std::string_view block = reader.take_text();
  if (size / kLargestRatio > block.size()) return false;
  text.resize(size);
  const int unpacked = LZ4_decompress_safe(block.data(), text.data(),
                                           static_cast<int>(block.size()), static_cast<int>(size));
  return unpacked >= 0 && static_cast<std::uint32_t>(unpacked) == size;
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

// False when the numbers are not all there.
bool skip_committee(ByteReader& reader, std::size_t actions) {
  const std::size_t members = reader.take<std::uint32_t>();
  reader.take_bytes(members * sizeof(float) + sizeof(double));
  if (members > 0) reader.take_bytes(actions * 2 * sizeof(float));
  return reader.good();
}

// What every decision begins with.
struct DecisionStart {
  explicit DecisionStart(ByteReader& reader)
      : time(reader.take<Milliseconds>()),
        fingerprint(reader.take<std::uint64_t>()),
        model_version(reader.take<std::uint64_t>()),
        mode(enum_within(reader.take<std::uint8_t>(), LearningMode::kLoggingOnly)),
        deferred(reader.take<std::uint8_t>() != 0),
        chosen(reader.take<std::uint32_t>()),
        policy(reader.take<std::uint32_t>()),
        baseline(reader.take<std::uint32_t>()),
        event_id(reader.take_text()),
        actions(reader.take<std::uint32_t>()) {}

  // Whether that many actions can follow in the reader.
  bool makes_sense(const ByteReader& reader) const noexcept {
    return mode && actions <= reader.left() / kActionBytes && chosen < actions &&
           policy < actions && baseline < actions;
  }

  Milliseconds time;
  std::uint64_t fingerprint, model_version;
  std::optional<LearningMode> mode;
  bool deferred;
  std::uint32_t chosen, policy, baseline;
  std::string_view event_id;
  std::uint32_t actions;
};

DecidedAction take_action(ByteReader& reader) {
  DecidedAction action;
  action.value = reader.take<double>();
  action.spread = reader.take<double>();
  action.variance = reader.take<double>();
  action.probability = reader.take<double>();
  action.count = reader.take<std::uint64_t>();
  return action;
}

}  // namespace

void encode(const Decision& decision, std::string& into) {
  const DecidedCommittee& committee = decision.committee;
  ByteWriter writer = begin_record(
      committee.empty() ? RecordFormat::kDecision : RecordFormat::kCommitteeDecision, into);
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
  finish_record(writer);
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
  const DecisionStart start(reader);
  if (!start.makes_sense(reader)) return senseless_record();
  Decision decision{.time = start.time,
                    .event_id = std::string(start.event_id),
                    .fingerprint = start.fingerprint,
                    .model_version = start.model_version,
                    .mode = *start.mode,
                    .deferred = start.deferred,
                    .chosen = start.chosen,
                    .policy = start.policy,
                    .baseline = start.baseline,
                    .actions = std::vector<DecidedAction>(start.actions),
                    .request = {}};
  for (DecidedAction& action : decision.actions) action = take_action(reader);
  if (has_committee(bytes)) {
    auto committee = take_committee(reader, start.actions);
    if (!committee) return senseless_record();
    decision.committee = std::move(*committee);
  }
  if (!take_packed(reader, decision.request) || !reader.finished()) return senseless_record();
  return decision;
}

Result<DecisionHead> decode_decision_head(std::string_view bytes) {
  const auto contents = checked_decision(bytes);
  if (!contents.ok()) return contents.failure();
  ByteReader reader(contents.value());
  const DecisionStart start(reader);
  if (reader.left() == 0) return senseless_record();
  return DecisionHead{.time = start.time,
                      .fingerprint = start.fingerprint,
                      .deferred = start.deferred,
                      .event_id = std::string(start.event_id)};
}

DecisionLesson DecisionLesson::of(const Decision& decision) {
  const DecidedAction& chosen = decision.actions[decision.chosen];
  DecisionLesson lesson{.event_id = decision.event_id,
                        .mode = decision.mode,
                        .chosen = decision.chosen,
                        .baseline = decision.baseline,
                        .value = chosen.value,
                        .probability = chosen.probability,
                        .request = {}};
  if (lesson.teaches()) lesson.request = decision.request;
  return lesson;
}

Status decode_lesson(std::string_view bytes, DecisionLesson& into) {
  const auto contents = checked_decision(bytes);
  if (!contents.ok()) return contents.failure();
  ByteReader reader(contents.value());
  const DecisionStart start(reader);
  if (!start.makes_sense(reader)) return senseless_record();
  reader.take_bytes(start.chosen * kActionBytes);
  const DecidedAction chosen = take_action(reader);
  reader.take_bytes((start.actions - start.chosen - 1) * kActionBytes);
  into.event_id = start.event_id;
  into.mode = *start.mode;
  into.chosen = start.chosen;
  into.baseline = start.baseline;
  into.value = chosen.value;
  into.probability = chosen.probability;
  into.request.clear();
  if (has_committee(bytes) && !skip_committee(reader, start.actions)) return senseless_record();
  if (!into.teaches()) return Done{};
  if (!take_packed(reader, into.request) || !reader.finished()) return senseless_record();
  return Done{};
}

}  // namespace sau
