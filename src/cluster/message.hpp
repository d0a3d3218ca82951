#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "serve/journal.hpp"

namespace sau::detail {

// What a node spools, and what the stream carries (docs/formats/spool.md).

struct SpooledReward {
  std::string event_id;
  double value = 0.0;
};
struct SpooledActivation {
  std::string event_id;
};
struct SpooledConfiguration {
  std::string json;
};
struct SpooledReset {};
// A decision, encoded as in the log.
struct SpooledDecision {
  std::string record;
};
using Spooled = std::variant<SpooledDecision, SpooledReward, SpooledActivation,
                             SpooledConfiguration, SpooledReset>;

std::string encode(const Spooled& spooled);
Result<Spooled> decode_spooled(std::string_view bytes);

// What the journal does with it. Fails when a decision cannot be read.
Status add_part(Spooled spooled, FeedOperation& to);

// A message of the stream: consecutive records of one node's spool. Without a node, the message
// only tells the time.
struct ShippedBatch {
  std::string node;
  Sequence first = 0;      // number of the first record
  Sequence kept_from = 0;  // the oldest record that the node still has
  std::vector<std::string> records;
};
std::string encode(const ShippedBatch& batch);
Result<ShippedBatch> decode_shipped(std::string_view bytes);

// One message as a trainer took it; kept beside its log, for standbys.
struct TakenMessage {
  std::uint64_t number = 0;  // from 1, counted by the trainers
  std::int64_t life = 0;     // of the stream: when it was created
  std::uint64_t place = 0;   // in the stream
  Milliseconds time = 0;
  // The log before it: where the message belongs.
  Sequence last = 0;
  std::uint64_t chain = 0;
  std::string bytes;  // a ShippedBatch, or something else that is skipped

  static void fields(auto& self, auto&& field) {
    field(self.number);
    field(self.life);
    field(self.place);
    field(self.time);
    field(self.last);
    field(self.chain);
    field(self.bytes);
  }
};
std::string encode(const TakenMessage& message);
Result<TakenMessage> decode_taken(std::string_view bytes);

// The part of a model that one message of NATS has room for.
struct ModelPart {
  std::uint64_t epoch = 0;  // of the leader
  Sequence version = 0;
  std::uint64_t checksum = 0;  // of the whole model file
  std::uint32_t part = 0, parts = 0;
  std::string configuration;  // JSON
  std::string bytes;

  static void fields(auto& self, auto&& field) {
    field(self.epoch);
    field(self.version);
    field(self.checksum);
    field(self.part);
    field(self.parts);
    field(self.configuration);
    field(self.bytes);
  }
};
std::string encode(const ModelPart& part);
Result<ModelPart> decode_model_part(std::string_view bytes);

}  // namespace sau::detail
