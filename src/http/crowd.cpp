#include "http/crowd.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "http/address.hpp"

namespace sau::detail {
namespace {

std::uint64_t microseconds_now() noexcept {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

std::shared_ptr<HttpTally> tally_of(const HttpServerOptions& options) {
  return options.tally ? options.tally : std::make_shared<HttpTally>();
}

std::size_t address_limit_of(const HttpServerOptions& options) {
  if (options.connections_per_address > 0) return options.connections_per_address;
  return std::max<std::size_t>(options.connections / 2, 1);
}

}  // namespace

AddressKey key_of(const boost::asio::ip::address& address) {
  AddressKey key{};
  if (address.is_v4()) {
    const auto bytes = address.to_v4().to_bytes();
    std::ranges::copy(bytes, key.begin() + 4);
  } else if (address.to_v6().is_v4_mapped()) {
    const auto bytes = address.to_v6().to_bytes();
    std::copy(bytes.begin() + 12, bytes.end(), key.begin() + 4);
  } else {
    const auto bytes = address.to_v6().to_bytes();
    std::copy_n(bytes.begin(), key.size(), key.begin());
  }
  return key;
}

Guest::Guest(Crowd& crowd, Worker& worker, std::uint64_t id, AddressKey key,
             bool turned_away) noexcept
    : crowd_(crowd),
      worker_(worker),
      id_(id),
      key_(key),
      turned_away_(turned_away),
      word_((microseconds_now() << kStateBits) | static_cast<std::uint64_t>(State::kIdle)) {}

Guest::~Guest() { crowd_.leave(*this); }

bool Guest::enter(State state) noexcept {
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  if (state_of(word) == State::kDropped) return false;
  if (state_of(word) == state) return true;
  // Nobody needs to know since when a connection is being answered.
  const std::uint64_t since = state == State::kAnswering ? 0 : microseconds_now();
  return word_.compare_exchange_strong(word,
                                       (since << kStateBits) | static_cast<std::uint64_t>(state));
}

Crowd::Crowd(const HttpServerOptions& options)
    : limit_(std::max<std::size_t>(options.connections, 1)),
      spare_(spare_connections(limit_)),
      address_limit_(address_limit_of(options)),
      loopback_is_limited_(options.connections_per_address > 0),
      patience_(static_cast<std::uint64_t>(
          std::chrono::microseconds(options.write_timeout).count() / 12)),
      tally_(tally_of(options)) {}

bool Crowd::has_room(std::function<void()> on_room) {
  const std::scoped_lock lock(mutex_);
  const bool room = staying_ + leaving_ < limit_ + spare_;
  on_room_ = room ? nullptr : std::move(on_room);
  return room;
}

Crowd::Admission Crowd::admit(const boost::asio::ip::address& address, Worker& worker) {
  const AddressKey key = key_of(address);
  const bool is_limited = loopback_is_limited_ || !is_loopback(address);
  Admission admission;
  const std::scoped_lock lock(mutex_);
  const auto group = groups_.find(key);
  if (is_limited && group != groups_.end() && group->second.size() >= address_limit_) {
    admission.dropped = drop([&] { return longest_waiting(group->second); }, true);
    if (!admission.dropped) {
      ++tally_->address;
      admission.guest = turn_away(key, worker);
      return admission;
    }
  } else if (staying_ >= limit_) {
    admission.dropped = drop([this] { return longest_waiting_of_largest(); }, false);
    if (!admission.dropped) {
      ++tally_->full;
      admission.guest = turn_away(key, worker);
      return admission;
    }
  }
  Group& joined = groups_[key];
  if (joined.size() == joined.capacity()) joined.reserve(2 * joined.size() + 1);
  admission.guest = std::make_unique<Guest>(*this, worker, ++last_id_, key, false);
  admission.guest->place_ = joined.size();
  joined.push_back(admission.guest.get());
  ++staying_;
  show();
  return admission;
}

std::optional<Crowd::Dropped> Crowd::drop_one() {
  const std::scoped_lock lock(mutex_);
  return drop([this] { return longest_waiting_of_largest(); }, false);
}

Crowd::Candidate Crowd::longest_waiting(const Group& group) const noexcept {
  Candidate idle, sending, taking;
  for (Guest* const guest : group) {
    const std::uint64_t word = guest->word_.load(std::memory_order_relaxed);
    const auto state = Guest::state_of(word);
    if (state == Guest::State::kAnswering) continue;
    // Of two words with the same state, the smaller one is older.
    Candidate& best = state == Guest::State::kIdle      ? idle
                      : state == Guest::State::kSending ? sending
                                                        : taking;
    if (best.guest == nullptr || word < best.word) best = {guest, word};
  }
  if (idle.guest != nullptr) return idle;
  if (sending.guest != nullptr) return sending;
  const std::uint64_t since = taking.word >> Guest::kStateBits;
  if (taking.guest != nullptr && microseconds_now() < since + patience_) return {};
  return taking;
}

Crowd::Candidate Crowd::longest_waiting_of_largest() const noexcept {
  Candidate best;
  std::size_t size = 0;
  for (const auto& [key, group] : groups_) {
    if (group.size() <= size) continue;
    const Candidate candidate = longest_waiting(group);
    if (candidate.guest == nullptr) continue;
    best = candidate;
    size = group.size();
  }
  return best;
}

// The server may begin to answer the chosen connection meanwhile; then another one is chosen.
template <class Choose>
std::optional<Crowd::Dropped> Crowd::drop(Choose choose, bool by_address) {
  constexpr int kAttempts = 8;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Candidate chosen = choose();
    if (chosen.guest == nullptr) break;
    std::uint64_t word = chosen.word;
    if (!chosen.guest->word_.compare_exchange_strong(
            word, static_cast<std::uint64_t>(Guest::State::kDropped))) {
      continue;
    }
    const bool idle = Guest::state_of(chosen.word) == Guest::State::kIdle;
    ++(by_address ? tally_->address : idle ? tally_->idle : tally_->slow);
    const Dropped dropped{.worker = &chosen.guest->worker_, .id = chosen.guest->id()};
    remove(*chosen.guest);
    ++leaving_;
    return dropped;
  }
  return std::nullopt;
}

std::unique_ptr<Guest> Crowd::turn_away(const AddressKey& key, Worker& worker) {
  // A refusal needs a socket for a moment. It may use half of the spare ones; the others are for
  // connections that are admitted.
  if (leaving_ >= std::max<std::size_t>(spare_ / 2, 1)) return nullptr;
  auto guest = std::make_unique<Guest>(*this, worker, ++last_id_, key, true);
  ++leaving_;
  show();
  return guest;
}

void Crowd::remove(Guest& guest) noexcept {
  const auto group = groups_.find(guest.key_);
  Group& guests = group->second;
  guests.back()->place_ = guest.place_;
  std::swap(guests[guest.place_], guests.back());
  guests.pop_back();
  if (guests.empty()) groups_.erase(group);
  --staying_;
}

void Crowd::leave(Guest& guest) noexcept {
  std::function<void()> on_room;
  {
    const std::scoped_lock lock(mutex_);
    if (guest.turned_away_ || guest.dropped()) {
      --leaving_;
    } else {
      remove(guest);
    }
    show();
    on_room.swap(on_room_);
  }
  if (on_room) on_room();
}

}  // namespace sau::detail
