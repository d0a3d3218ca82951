#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sau/agent/offer_agent.hpp"
#include "sau/core/archive.hpp"
#include "sau/core/shared_chunks.hpp"

namespace sau {

// SAU's two numbers of an action id, and what else is known of it.
struct ActionStatistics {
  std::uint64_t count = 0;  // n_a
  double squares = 1.0;     // S2_a
  double reward_sum = 0.0;
  std::uint64_t last_seen = 0;  // the number of the event, of all actions, it was learned from last
};

// Statistics by action id, for a bounded number of ids, which are told apart by a 64-bit hash: of
// 100,000 ids two have the same one with a probability of 3e-10, and a joint model takes them for
// one action too.
//
// A new id that finds the table full makes room: of the ids known the sixteenth with the lowest
//     log2(n_a) - age / capacity
// is forgotten at once (log2 with straight lines between the powers of two), age being the events
// since the id was last learned from; so a count is worth half as much for each `capacity` events
// without a reward. Of equals the one with the lower hash goes.
class ActionTable {
 public:
  explicit ActionTable(std::uint64_t capacity);

  // None for an id that is not known.
  const ActionStatistics* find(std::uint64_t hash) const noexcept;

  // Learns that event number `event` rewarded the id, which the residual is of.
  void observe(std::uint64_t hash, std::string_view id, double residual, double reward,
               std::uint64_t event);

  std::size_t size() const noexcept { return size_; }
  // Most counted first, at most `limit`; of equals in the order of their ids.
  std::vector<ActionRecord> most_counted(std::size_t limit) const;

  // A copy to read.
  ActionTable shared();

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  struct Entry {
    ActionStatistics statistics;
    std::shared_ptr<const std::string> id;
  };
  // A few ids, in the order in which they came. Hashes stand apart: they are what is searched.
  struct Bucket {
    std::vector<std::uint64_t> hash;
    std::vector<Entry> entry;
  };

  ActionTable(std::uint64_t capacity, unsigned bits, std::size_t size, SharedChunks<Bucket> buckets)
      : capacity_(capacity), bits_(bits), size_(size), buckets_(std::move(buckets)) {}

  std::size_t bucket_of(std::uint64_t hash) const noexcept {
    return bits_ == 0 ? 0 : static_cast<std::size_t>(hash >> (64U - bits_));
  }
  void make_room(std::uint64_t event);

  std::uint64_t capacity_;
  unsigned bits_;  // of a hash, that tell its bucket
  std::size_t size_ = 0;
  SharedChunks<Bucket> buckets_;
};

}  // namespace sau
