#include "cluster/feeder.hpp"

#include <fmt/format.h>

#include <chrono>
#include <future>
#include <thread>
#include <utility>

#include "core/bytes.hpp"
#include "sau/core/error.hpp"
#include "store/sequence_key.hpp"

namespace sau::detail {
namespace {

constexpr const char *kPlaceKey = "stream", *kNodeKey = "node/", *kTakenKey = "taken/";

std::string encoded_place(const StreamPlace& place) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.put(place.number);
  writer.put(place.life);
  writer.put(place.place);
  return bytes;
}

}  // namespace

Feeder::Feeder(LocalService& service, std::function<void(const std::string&)> note)
    : service_(service), note_(std::move(note)) {
  refresh();
  const LogHead head = service_.store().read([](const EventStore& store) { return store.head(); });
  if (place_.number == 0 && head.last > 0) {
    throw UsageError(
        "the folder has a log that no stream has fed; a trainer needs a new folder, or that of a "
        "trainer");
  }
}

void Feeder::refresh() {
  StreamPlace place;
  std::map<std::string, Sequence> positions;
  service_.store().read([&](const EventStore& store) {
    good(store.rows(kPlaceKey, "", [&](std::string_view, std::string_view value) {
      ByteReader reader(value);
      place.number = reader.take<std::uint64_t>();
      place.life = reader.take<std::int64_t>();
      place.place = reader.take<std::uint64_t>();
      if (!reader.finished()) throw Error("the trainer's place in the stream is damaged");
      return false;
    }));
    good(store.rows(kNodeKey, "", [&](std::string_view key, std::string_view value) {
      positions[std::string(key.substr(std::string_view(kNodeKey).size()))] = number_of(value);
      return true;
    }));
  });
  const std::lock_guard lock(mutex_);
  place_ = place;
  positions_ = std::move(positions);
}

TakenMessage Feeder::next(std::int64_t life, std::uint64_t place, Milliseconds time,
                          std::string bytes) const {
  const LogHead head = service_.store().read([](const EventStore& store) { return store.head(); });
  return {.number = this->place().number + 1,
          .life = life,
          .place = place,
          .time = time,
          .last = head.last,
          .chain = head.chain,
          .bytes = std::move(bytes)};
}

std::optional<Sequence> Feeder::read(const ShippedBatch& batch, FeedOperation& into) {
  if (batch.node.empty()) return std::nullopt;
  Sequence position = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = positions_.find(batch.node); found != positions_.end()) {
      position = found->second;
    }
    // The leader was told to give up what is missing (--lead).
    const bool gives_up = batch.records.empty();
    if (batch.first > position + 1 && !gives_up) {
      misses_.insert(batch.node);
      return std::nullopt;
    }
    misses_.erase(batch.node);
    if (gives_up && batch.first > position + 1) {
      counts_.given_up.fetch_add(batch.first - 1 - position, std::memory_order_relaxed);
      note_(
          fmt::format("records {} to {} of node {} are given up: no trainer that is here has them",
                      position + 1, batch.first - 1, batch.node));
    }
  }
  Sequence number = batch.first - 1;
  for (const std::string& record : batch.records) {
    if (++number <= position) {
      counts_.repeated_records.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    auto spooled = decode_spooled(record);
    const Status added =
        spooled.ok() ? add_part(std::move(spooled).value(), into) : Status(spooled.failure());
    if (!added.ok()) {
      counts_.unreadable.fetch_add(1, std::memory_order_relaxed);
      note_(fmt::format("record {} of node {} is skipped: {}", number, batch.node,
                        added.failure().message));
    }
  }
  return std::max(position, number);
}

void Feeder::count(const FeedOperation::Outcome& outcome) {
  const auto add = [](std::atomic<std::uint64_t>& to, std::size_t count) {
    to.fetch_add(count, std::memory_order_relaxed);
  };
  add(counts_.repeated_decisions, outcome.repeated);
  add(counts_.contradicting, outcome.contradicting);
  add(counts_.early, outcome.early);
  add(counts_.unknown, outcome.dropped);
  add(counts_.refused, outcome.refused);
  if (outcome.contradicting > 0) {
    note_(fmt::format("event '{}' was decided twice, and differently: the first decision counts",
                      outcome.contradiction));
  }
}

Status Feeder::apply(const TakenMessage& message) {
  const LogHead head = service_.store().read([](const EventStore& store) { return store.head(); });
  StreamPlace after = place();
  if (message.number != after.number + 1 || message.last != head.last ||
      message.chain != head.chain) {
    return Failure{
        Failure::Code::kConflict,
        fmt::format("message {} belongs after record {} of the log, with chain {:016x}; this log "
                    "has {} messages and ends at record {}, with chain {:016x}",
                    message.number, message.last, message.chain, after.number, head.last,
                    head.chain)};
  }
  after = {message.number, message.life, message.place};
  FeedOperation operation;
  operation.time = message.time;
  const auto batch = decode_shipped(message.bytes);
  std::optional<Sequence> position;
  if (batch.ok()) {
    position = read(batch.value(), operation);
  } else {
    counts_.unreadable.fetch_add(1, std::memory_order_relaxed);
    note_(fmt::format("message {} of the stream is skipped: {}", message.place,
                      batch.failure().message));
  }
  if (position) operation.rows.emplace_back(kNodeKey + batch.value().node, sortable(*position));
  operation.rows.emplace_back(kPlaceKey, encoded_place(after));
  operation.rows.emplace_back(kTakenKey + sortable(message.number), encode(message));
  if (message.number > kKept) {
    operation.rows.emplace_back(kTakenKey + sortable(message.number - kKept), std::nullopt);
  }
  const std::size_t parts = operation.parts.size();
  const auto answered = std::make_shared<std::promise<Result<FeedOperation::Outcome>>>();
  auto answer = answered->get_future();
  operation.done = [answered](Result<FeedOperation::Outcome> outcome) {
    answered->set_value(std::move(outcome));
  };
  service_.feed(std::move(operation));
  const auto outcome = answer.get();
  if (!outcome.ok()) return outcome.failure();
  // Counted before the position is shown: whoever sees from it that a spool is empty must see these
  // counts, too.
  counts_.records.fetch_add(parts, std::memory_order_relaxed);
  count(outcome.value());
  const std::lock_guard lock(mutex_);
  place_ = after;
  if (position) positions_[batch.value().node] = *position;
  return Done{};
}

StreamPlace Feeder::place() const {
  const std::lock_guard lock(mutex_);
  return place_;
}
std::map<std::string, Sequence> Feeder::positions() const {
  const std::lock_guard lock(mutex_);
  return positions_;
}
std::set<std::string> Feeder::misses() const {
  const std::lock_guard lock(mutex_);
  return misses_;
}

std::optional<ShippedBatch> Feeder::lost_before(const std::string& node, Sequence kept_from) const {
  const std::lock_guard lock(mutex_);
  const auto found = positions_.find(node);
  const Sequence position = found == positions_.end() ? 0 : found->second;
  if (kept_from <= position + 1) return std::nullopt;
  return ShippedBatch{.node = node, .first = kept_from, .kept_from = kept_from, .records = {}};
}

std::optional<ShippedBatch> Feeder::lost_before(std::string_view message) const {
  const auto batch = decode_shipped(message);
  if (!batch.ok() || batch.value().node.empty()) return std::nullopt;
  return lost_before(batch.value().node, batch.value().kept_from);
}

Result<std::vector<std::string>> Feeder::taken(std::uint64_t from, std::size_t bytes) const {
  std::vector<std::string> messages;
  std::size_t size = 0;
  bool is_kept = true;
  const Status read = service_.store().read([&](const EventStore& store) {
    return store.rows(
        kTakenKey, kTakenKey + sortable(from), [&](std::string_view key, std::string_view value) {
          const auto number = number_of(key.substr(std::string_view(kTakenKey).size()));
          if (messages.empty()) is_kept = number == from;
          if (!is_kept || (!messages.empty() && size + value.size() > bytes)) return false;
          size += value.size();
          messages.emplace_back(value);
          return true;
        });
  });
  if (!read.ok()) return read.failure();
  if (!is_kept) {
    return Failure{Failure::Code::kNotFound,
                   fmt::format("message {} is too old: the latest {} are kept", from, kKept)};
  }
  return messages;
}

std::optional<bool> Feeder::agrees(std::uint64_t number, Sequence last, std::uint64_t chain) const {
  // Another thread may be writing the next message.
  constexpr int kTries = 20;
  for (int tries = 0; tries < kTries; ++tries) {
    // The next message says how the log was before it, which is how it was after this one.
    const auto found = taken(number + 1, 1);
    if (!found.ok()) return std::nullopt;
    if (!found.value().empty()) {
      const auto message = decode_taken(found.value().front());
      if (!message.ok()) return std::nullopt;
      return message.value().last == last && message.value().chain == chain;
    }
    if (place().number < number) return std::nullopt;
    const LogHead head =
        service_.store().read([](const EventStore& store) { return store.head(); });
    if (head.last == last && head.chain == chain) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace sau::detail
