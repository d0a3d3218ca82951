#include "sau/agent/action_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

#include "sau/core/error.hpp"

namespace sau {
namespace {

constexpr std::uint64_t kPerBucket = 32;  // in a full table 32 to 64 ids, on average
constexpr std::size_t kForgotten = 16;    // one id in this many is removed

unsigned bucket_bits(std::uint64_t capacity) {
  return static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(capacity / kPerBucket, 1)) -
                               1);
}

std::size_t place_in(const std::vector<std::uint64_t>& hashes, std::uint64_t hash) noexcept {
  return static_cast<std::size_t>(std::ranges::find(hashes, hash) - hashes.begin());
}

// log2, linear between powers of two: the same on every machine.
double doublings(std::uint64_t count) noexcept {
  int exponent = 0;
  const double fraction = std::frexp(static_cast<double>(count), &exponent);
  return exponent - 2 + 2.0 * fraction;
}

}  // namespace

ActionTable::ActionTable(std::uint64_t capacity, double start, bool keeps_own)
    : capacity_(capacity),
      start_(start),
      keeps_own_(keeps_own),
      bits_(bucket_bits(capacity)),
      buckets_(std::size_t{1} << bucket_bits(capacity)) {}

const ActionTable::Entry* ActionTable::entry_of(std::uint64_t hash) const noexcept {
  const Bucket* bucket = buckets_[bucket_of(hash)];
  if (bucket == nullptr) return nullptr;
  const std::size_t place = place_in(bucket->hash, hash);
  return place < bucket->hash.size() ? &bucket->entry[place] : nullptr;
}

const IdRecord* ActionTable::find(std::uint64_t hash) const noexcept {
  const Entry* entry = entry_of(hash);
  return entry == nullptr ? nullptr : &entry->record;
}

const std::string* ActionTable::id_of(std::uint64_t hash) const noexcept {
  const Entry* entry = entry_of(hash);
  return entry == nullptr ? nullptr : entry->id.get();
}

IdRecord& ActionTable::record(std::uint64_t hash, std::string_view id, std::uint64_t event) {
  if (size_ >= capacity_ && find(hash) == nullptr) make_room(event);
  Bucket& bucket = buckets_.writable(bucket_of(hash));
  const std::size_t place = place_in(bucket.hash, hash);
  if (place == bucket.hash.size()) {
    bucket.hash.push_back(hash);
    bucket.entry.push_back({{.squares = start_}, std::make_shared<const std::string>(id)});
    ++size_;
  }
  return bucket.entry[place].record;
}

void ActionTable::make_room(std::uint64_t event) {
  std::vector<std::pair<double, std::uint64_t>> worth;  // with the hash
  worth.reserve(size_);
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    if (buckets_[b] == nullptr) continue;
    for (std::size_t i = 0; i < buckets_[b]->hash.size(); ++i) {
      const IdRecord& known = buckets_[b]->entry[i].record;
      const auto age = static_cast<double>(event - known.last_seen);
      worth.emplace_back(doublings(known.count) - age / static_cast<double>(capacity_),
                         buckets_[b]->hash[i]);
    }
  }
  const std::size_t going = std::max<std::size_t>(size_ / kForgotten, 1);
  std::ranges::nth_element(worth, worth.begin() + static_cast<std::ptrdiff_t>(going - 1));
  for (std::size_t i = 0; i < going; ++i) {
    Bucket& bucket = buckets_.writable(bucket_of(worth[i].second));
    const auto place = static_cast<std::ptrdiff_t>(place_in(bucket.hash, worth[i].second));
    bucket.hash.erase(bucket.hash.begin() + place);
    bucket.entry.erase(bucket.entry.begin() + place);
  }
  size_ -= going;
}

std::vector<ActionRecord> ActionTable::most_counted(std::size_t limit) const {
  std::vector<const Entry*> entries;
  entries.reserve(size_);
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    if (buckets_[b] == nullptr) continue;
    for (const Entry& entry : buckets_[b]->entry) entries.push_back(&entry);
  }
  const std::size_t shown = std::min(limit, entries.size());
  std::ranges::partial_sort(entries, entries.begin() + static_cast<std::ptrdiff_t>(shown),
                            [](const Entry* a, const Entry* b) {
                              return a->record.count != b->record.count
                                         ? a->record.count > b->record.count
                                         : *a->id < *b->id;
                            });
  std::vector<ActionRecord> records;
  records.reserve(shown);
  for (std::size_t i = 0; i < shown; ++i) {
    const IdRecord& known = entries[i]->record;
    records.push_back({*entries[i]->id, known.count, known.squares, known.reward_sum});
  }
  return records;
}

ActionTable ActionTable::shared() {
  return {capacity_, start_, keeps_own_, bits_, size_, buckets_.shared()};
}

// Ordered by bucket and, within a bucket, by arrival: the same events give the same bytes.
void ActionTable::save(StateWriter& writer) const {
  std::vector<std::uint64_t> hash, count, last_seen, id_end;
  std::vector<double> squares, reward_sum, own;
  std::string ids;
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    if (buckets_[b] == nullptr) continue;
    for (std::size_t i = 0; i < buckets_[b]->hash.size(); ++i) {
      const Entry& entry = buckets_[b]->entry[i];
      hash.push_back(buckets_[b]->hash[i]);
      count.push_back(entry.record.count);
      squares.push_back(entry.record.squares);
      reward_sum.push_back(entry.record.reward_sum);
      last_seen.push_back(entry.record.last_seen);
      own.push_back(entry.record.own);
      ids += *entry.id;
      id_end.push_back(ids.size());
    }
  }
  writer("action_hashes", hash);
  writer("action_counts", count);
  writer("action_squares", squares);
  writer("action_rewards", reward_sum);
  writer("action_last_seen", last_seen);
  if (keeps_own_) writer("action_own", own);
  writer("action_ids", ids);
  writer("action_id_ends", id_end);
}

void ActionTable::load(StateReader& reader) {
  const auto hash = reader.take_vector<std::uint64_t>("action_hashes");
  const auto count = reader.take_vector<std::uint64_t>("action_counts");
  const auto squares = reader.take_vector<double>("action_squares");
  const auto reward_sum = reader.take_vector<double>("action_rewards");
  const auto last_seen = reader.take_vector<std::uint64_t>("action_last_seen");
  const auto own =
      keeps_own_ ? reader.take_vector<double>("action_own") : std::vector<double>(hash.size());
  const std::string ids = reader.take_string("action_ids");
  const auto id_end = reader.take_vector<std::uint64_t>("action_id_ends");
  for (const std::size_t size : {count.size(), squares.size(), reward_sum.size(), last_seen.size(),
                                 own.size(), id_end.size()}) {
    if (size != hash.size()) throw Error("its table of actions is damaged");
  }
  if (hash.size() > capacity_) {
    throw Error("it has " + std::to_string(hash.size()) + " actions, expected at most " +
                std::to_string(capacity_));
  }
  ActionTable loaded(capacity_, start_, keeps_own_);
  for (std::size_t i = 0; i < hash.size(); ++i) {
    const std::uint64_t start = i == 0 ? 0 : id_end[i - 1];
    if (id_end[i] < start || id_end[i] > ids.size() || loaded.find(hash[i]) != nullptr) {
      throw Error("its table of actions is damaged");
    }
    Bucket& bucket = loaded.buckets_.writable(bucket_of(hash[i]));
    bucket.hash.push_back(hash[i]);
    bucket.entry.push_back({{count[i], squares[i], reward_sum[i], last_seen[i], own[i]},
                            std::make_shared<const std::string>(ids, start, id_end[i] - start)});
  }
  loaded.size_ = hash.size();
  *this = std::move(loaded);
}

}  // namespace sau
