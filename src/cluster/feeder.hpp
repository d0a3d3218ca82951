#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/message.hpp"
#include "serve/local_service.hpp"

namespace sau::detail {

// Where a trainer is in the stream.
struct StreamPlace {
  std::uint64_t number = 0;  // of the latest message that was taken, counted by the trainers
  std::int64_t life = 0;     // when that stream was created
  std::uint64_t place = 0;   // of the message in the stream

  bool operator==(const StreamPlace&) const = default;
};

// Gives messages to a trainer's journal, one after the other. Everything it knows is written with
// the log: each record of a node is taken exactly once, whatever the stream repeats. The log, and
// so the model, depend only on the messages and their order. One thread calls apply(); the rest is
// thread-safe.
class Feeder {
 public:
  struct Counts {
    std::atomic<std::uint64_t> records{0}, repeated_records{0}, unreadable{0};
    std::atomic<std::uint64_t> repeated_decisions{0}, contradicting{0}, early{0}, unknown{0};
    std::atomic<std::uint64_t> refused{0}, given_up{0};
  };

  // Continues where the log ends. Throws Error when the store cannot be read.
  Feeder(LocalService& service, std::function<void(const std::string&)> note);

  // The next message, for this place in the log.
  TakenMessage next(std::int64_t life, std::uint64_t place, Milliseconds time,
                    std::string bytes) const;
  // Returns when it is in the log and on disk. Fails if it is not the next one, if it belongs to
  // another log, and if the log cannot be written.
  Status apply(const TakenMessage& message);
  // Reads again where the log ends: after a failed write nobody knows. Throws Error when the store
  // cannot be read.
  void refresh();

  StreamPlace place() const;
  std::map<std::string, Sequence> positions() const;  // by node
  // Nodes with a gap: later records of them have come, but not the next one.
  std::set<std::string> misses() const;
  // The node has only its records from `kept_from` on. If it has dropped some that this log lacks,
  // they must be given up first: the result is a message that does so.
  std::optional<ShippedBatch> lost_before(const std::string& node, Sequence kept_from) const;
  // The same for a message of the stream.
  std::optional<ShippedBatch> lost_before(std::string_view message) const;
  const Counts& counts() const noexcept { return counts_; }

  // Messages that were taken, encoded, from this number on: at least one if there is one, then as
  // many as fit. Fails if they are too old to be kept.
  Result<std::vector<std::string>> taken(std::uint64_t from, std::size_t bytes) const;
  // Whether a log that ends there is the beginning of this one. Nothing if that place is too long
  // ago, or has not come yet.
  std::optional<bool> agrees(std::uint64_t number, Sequence last, std::uint64_t chain) const;

  static constexpr std::uint64_t kKept = 100'000;  // messages, for standbys

 private:
  // Adds what the message says about a node's records. Returns the node's new position.
  std::optional<Sequence> read(const ShippedBatch& batch, FeedOperation& into);
  void count(const FeedOperation::Outcome& outcome);

  LocalService& service_;
  const std::function<void(const std::string&)> note_;
  Counts counts_;
  mutable std::mutex mutex_;
  StreamPlace place_;
  std::map<std::string, Sequence> positions_;
  std::set<std::string> misses_;
};

}  // namespace sau::detail
