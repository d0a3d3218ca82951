#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sau/agent/offer_agent.hpp"
#include "sau/core/archive.hpp"
#include "sau/core/shared_chunks.hpp"
#include "sau/explore/evidence.hpp"

namespace sau {

// A record per action id, for a bounded number of ids. A 64-bit hash identifies an id. Among
// 100,000 ids two have the same hash with a probability of 3e-10; a joint model would also take
// them for one action.
//
// When a new id finds the table full, a sixteenth of the known ids is removed: those with the
// lowest
//     log2(n_a) - age / capacity,
// where age counts the events since the id was last learned from, and log2 is linear between powers
// of two. So a count is worth half as much after every `capacity` events without a reward. Of two
// equal ones the lower hash is removed first.
class ActionTable {
 public:
  // `start` is S2_a before the first reward; keeps_own says whether IdRecord::own is used.
  explicit ActionTable(std::uint64_t capacity, double start = 1.0, bool keeps_own = false);

  // Both return nullptr for an unknown id.
  const IdRecord* find(std::uint64_t hash) const noexcept;
  const std::string* id_of(std::uint64_t hash) const noexcept;

  // The record of this id, for the reward of event number `event`. Valid until the next call.
  IdRecord& record(std::uint64_t hash, std::string_view id, std::uint64_t event);

  std::size_t size() const noexcept { return size_; }
  // Highest count first, at most `limit`; equal counts are ordered by id.
  std::vector<ActionRecord> most_counted(std::size_t limit) const;

  // A copy for readers. Both share what neither has written since.
  ActionTable shared();

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  struct Entry {
    IdRecord record;
    std::shared_ptr<const std::string> id;
  };
  // A few ids, in the order in which they came. Hashes are stored separately, for the search.
  struct Bucket {
    std::vector<std::uint64_t> hash;
    std::vector<Entry> entry;
  };

  ActionTable(std::uint64_t capacity, double start, bool keeps_own, unsigned bits, std::size_t size,
              SharedChunks<Bucket> buckets)
      : capacity_(capacity),
        start_(start),
        keeps_own_(keeps_own),
        bits_(bits),
        size_(size),
        buckets_(std::move(buckets)) {}

  const Entry* entry_of(std::uint64_t hash) const noexcept;
  std::size_t bucket_of(std::uint64_t hash) const noexcept {
    return bits_ == 0 ? 0 : static_cast<std::size_t>(hash >> (64U - bits_));
  }
  void make_room(std::uint64_t event);

  std::uint64_t capacity_;
  double start_;
  bool keeps_own_;
  unsigned bits_;  // how many top bits of a hash select its bucket
  std::size_t size_ = 0;
  SharedChunks<Bucket> buckets_;
};

}  // namespace sau
