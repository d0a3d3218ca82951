#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "sau/http/http_server.hpp"

namespace sau::detail {

class Crowd;
class Worker;

// Connections are counted by this: an IPv4 address, or the first half of an IPv6 address, because
// the owner of one IPv6 address usually has the whole network.
using AddressKey = std::array<unsigned char, 8>;
AddressKey key_of(const boost::asio::ip::address& address);

// One connection as the crowd sees it. The connection owns it and says what it is doing. The crowd
// may drop it at any moment while it is not being answered.
class Guest {
 public:
  // kSending: the client is sending its request. kAnswering: it waits for the answer. kTaking: it
  // is reading the answer.
  enum class State : std::uint64_t { kIdle, kSending, kAnswering, kTaking, kDropped };

  Guest(Crowd& crowd, Worker& worker, std::uint64_t id, AddressKey key, bool turned_away) noexcept;
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;
  ~Guest();  // leaves the crowd

  std::uint64_t id() const noexcept { return id_; }
  // Stands for its address, as HttpRequest::client.
  std::uint64_t client() const noexcept { return std::bit_cast<std::uint64_t>(key_); }
  // There was no room: answer it with 503 and close it.
  bool turned_away() const noexcept { return turned_away_; }

  // Called only by the connection's own thread. False: it was dropped in the meantime.
  bool enter(State state) noexcept;
  bool dropped() const noexcept { return state_of(word_) == State::kDropped; }

 private:
  friend class Crowd;
  static constexpr unsigned kStateBits = 3;
  static State state_of(std::uint64_t word) noexcept {
    return static_cast<State>(word & ((1U << kStateBits) - 1U));
  }

  Crowd& crowd_;
  Worker& worker_;
  const std::uint64_t id_;
  const AddressKey key_;
  const bool turned_away_;
  std::size_t place_ = 0;  // in its group; used by the crowd, under its lock
  // The state, and since when, in microseconds. Both in one word, so that the crowd drops a guest
  // only if it is still in the state that was seen.
  std::atomic<std::uint64_t> word_;
};

// All connections. A new one always finds room as long as some other is not being answered. One of
// the address that has most is dropped: the one idle longest; if none is idle, the one that has
// been sending its request longest; else one that has not read its answer for a twelfth of the time
// it has for that. Thread-safe.
class Crowd {
 public:
  struct Dropped {
    Worker* worker = nullptr;
    std::uint64_t id = 0;
  };
  struct Admission {
    std::unique_ptr<Guest> guest;    // null: close the new connection without an answer
    std::optional<Dropped> dropped;  // to be closed by its worker
  };

  explicit Crowd(const HttpServerOptions& options);

  // Whether one more may be accepted: while some are being closed, a few more than the limit may be
  // open. If not, `on_room` is called once when there is room, by the thread that made the room.
  bool has_room(std::function<void()> on_room);
  Admission admit(const boost::asio::ip::address& address, Worker& worker);
  // Makes room without a new connection: the process has no file descriptors left.
  std::optional<Dropped> drop_one();

 private:
  friend class Guest;
  struct Candidate {
    Guest* guest = nullptr;
    std::uint64_t word = 0;  // as it was when it was chosen
  };
  using Group = std::vector<Guest*>;

  Candidate longest_waiting(const Group& group) const noexcept;
  Candidate longest_waiting_of_largest() const noexcept;
  template <class Choose>
  std::optional<Dropped> drop(Choose choose, bool by_address);
  std::unique_ptr<Guest> turn_away(const AddressKey& key, Worker& worker);
  void remove(Guest& guest) noexcept;
  void leave(Guest& guest) noexcept;
  void show() noexcept {
    const std::size_t open = staying_ + leaving_;
    tally_->open += open - std::exchange(shown_, open);
  }

  const std::size_t limit_, spare_, address_limit_;
  const bool loopback_is_limited_;
  const std::uint64_t patience_;  // microseconds to take an answer before it may be dropped
  const std::shared_ptr<HttpTally> tally_;
  std::size_t shown_ = 0;  // of tally_->open: several servers may share it

  std::mutex mutex_;
  std::function<void()> on_room_;
  std::map<AddressKey, Group> groups_;  // those that stay
  std::size_t staying_ = 0;
  std::size_t leaving_ = 0;  // dropped or turned away, and not closed yet
  std::uint64_t last_id_ = 0;
};

}  // namespace sau::detail
