#include "cluster/message.hpp"

#include <cmath>
#include <concepts>
#include <utility>

#include "core/bytes.hpp"
#include "core/hash.hpp"
#include "serve/batch_work.hpp"

namespace sau::detail {
namespace {

enum class SpooledKind : std::uint8_t {
  kDecision = 1,
  kReward,
  kActivation,
  kConfiguration,
  kReset
};
// The first bytes of each kind of message; the number is the version of the format.
constexpr std::uint32_t kShippedMark = 0x31736173, kTakenMark = 0x31746173, kModelMark = 0x316d6173;

Failure unreadable(const char* what) {
  return {Failure::Code::kBadRequest, std::string(what) + " cannot be read"};
}

// Messages end with a checksum of what is before it.
std::string with_checksum(std::string bytes) {
  const std::uint64_t checksum = hash_of(bytes);
  ByteWriter(bytes).put(checksum);
  return bytes;
}
bool take_checksum(std::string_view& bytes) {
  std::uint64_t checksum = 0;
  if (bytes.size() < sizeof checksum) return false;
  std::memcpy(&checksum, bytes.data() + bytes.size() - sizeof checksum, sizeof checksum);
  bytes.remove_suffix(sizeof checksum);
  return hash_of(bytes) == checksum;
}

template <class Message>
std::string written(std::uint32_t mark, const Message& message) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.put(mark);
  Message::fields(message, [&writer]<class T>(const T& value) {
    if constexpr (std::same_as<T, std::string>) {
      writer.put_text(value);
    } else {
      writer.put(value);
    }
  });
  return with_checksum(std::move(bytes));
}

// False if the bytes are no such message.
template <class Message>
bool read(std::string_view bytes, std::uint32_t mark, Message& message) {
  if (!take_checksum(bytes)) return false;
  ByteReader reader(bytes);
  const bool is_ours = reader.take<std::uint32_t>() == mark;
  Message::fields(message, [&reader]<class T>(T& value) {
    if constexpr (std::same_as<T, std::string>) {
      value = reader.take_text();
    } else {
      value = reader.take<T>();
    }
  });
  return is_ours && reader.finished();
}

}  // namespace

std::string encode(const Spooled& spooled) {
  std::string bytes;
  ByteWriter writer(bytes);
  if (const auto* decision = std::get_if<SpooledDecision>(&spooled)) {
    writer.put(SpooledKind::kDecision);
    writer.put_text(decision->record);
  } else if (const auto* reward = std::get_if<SpooledReward>(&spooled)) {
    writer.put(SpooledKind::kReward);
    writer.put_text(reward->event_id);
    writer.put(reward->value);
  } else if (const auto* activation = std::get_if<SpooledActivation>(&spooled)) {
    writer.put(SpooledKind::kActivation);
    writer.put_text(activation->event_id);
  } else if (const auto* configuration = std::get_if<SpooledConfiguration>(&spooled)) {
    writer.put(SpooledKind::kConfiguration);
    writer.put_text(configuration->json);
  } else {
    writer.put(SpooledKind::kReset);
  }
  return bytes;
}

Result<Spooled> decode_spooled(std::string_view bytes) {
  ByteReader reader(bytes);
  Spooled spooled;
  bool is_known = true;
  switch (reader.take<SpooledKind>()) {
    case SpooledKind::kDecision:
      spooled = SpooledDecision{std::string(reader.take_text())};
      break;
    case SpooledKind::kReward: {
      SpooledReward reward{.event_id = std::string(reader.take_text())};
      reward.value = reader.take<double>();
      is_known = std::isfinite(reward.value);
      spooled = std::move(reward);
      break;
    }
    case SpooledKind::kActivation:
      spooled = SpooledActivation{std::string(reader.take_text())};
      break;
    case SpooledKind::kConfiguration:
      spooled = SpooledConfiguration{std::string(reader.take_text())};
      break;
    case SpooledKind::kReset:
      spooled = SpooledReset{};
      break;
    default:
      is_known = false;
  }
  if (!is_known || !reader.finished()) return unreadable("a record of a spool");
  return spooled;
}

Status add_part(Spooled spooled, FeedOperation& to) {
  if (auto* decision = std::get_if<SpooledDecision>(&spooled)) {
    const auto read = decode_decision(decision->record);
    if (!read.ok()) return read.failure();
    auto answer = answer_of(read.value());
    if (!answer.ok()) return answer.failure();
    const Decision& made = read.value();
    bool explored = false;
    for (std::size_t i = 0; i < made.actions.size(); ++i) {
      explored = explored || (made.actions[i].probability > 0.0 &&
                              made.actions[i].value > made.actions[made.policy].value);
    }
    to.parts.emplace_back(RankOperation{.record = std::move(decision->record),
                                        .fingerprint = made.fingerprint,
                                        .mode = made.mode,
                                        .deferred = made.deferred,
                                        .explored = explored,
                                        .agreed = made.policy == made.chosen,
                                        .answer = std::move(answer).value(),
                                        .done = {}});
  } else if (auto* reward = std::get_if<SpooledReward>(&spooled)) {
    to.parts.emplace_back(RewardOperation{std::move(reward->event_id), reward->value, {}});
  } else if (auto* activation = std::get_if<SpooledActivation>(&spooled)) {
    to.parts.emplace_back(ActivateOperation{std::move(activation->event_id), {}});
  } else if (auto* configuration = std::get_if<SpooledConfiguration>(&spooled)) {
    to.parts.emplace_back(ConfigureOperation{std::move(configuration->json), {}});
  } else {
    to.parts.emplace_back(ModelOperation{EntryKind::kModelReset, {}, {}, {}});
  }
  return Done{};
}

std::string encode(const ShippedBatch& batch) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.put(kShippedMark);
  writer.put_text(batch.node);
  writer.put(batch.first);
  writer.put(batch.kept_from);
  writer.put(static_cast<std::uint32_t>(batch.records.size()));
  for (const std::string& record : batch.records) writer.put_text(record);
  return with_checksum(std::move(bytes));
}

Result<ShippedBatch> decode_shipped(std::string_view bytes) {
  if (!take_checksum(bytes)) return unreadable("a message of the stream");
  ByteReader reader(bytes);
  ShippedBatch batch;
  if (reader.take<std::uint32_t>() != kShippedMark) return unreadable("a message of the stream");
  batch.node = reader.take_text();
  batch.first = reader.take<Sequence>();
  batch.kept_from = reader.take<Sequence>();
  const auto count = reader.take<std::uint32_t>();
  for (std::uint32_t i = 0; i < count && reader.left() > 0; ++i) {
    batch.records.emplace_back(reader.take_text());
  }
  if (batch.records.size() != count || !reader.finished()) {
    return unreadable("a message of the stream");
  }
  return batch;
}

std::string encode(const TakenMessage& message) { return written(kTakenMark, message); }

Result<TakenMessage> decode_taken(std::string_view bytes) {
  TakenMessage message;
  if (!read(bytes, kTakenMark, message)) return unreadable("a message that was taken");
  return message;
}

std::string encode(const ModelPart& part) { return written(kModelMark, part); }

Result<ModelPart> decode_model_part(std::string_view bytes) {
  ModelPart part;
  if (!read(bytes, kModelMark, part) || part.part >= part.parts) {
    return unreadable("a part of a model");
  }
  return part;
}

}  // namespace sau::detail
