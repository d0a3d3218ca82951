#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sau/run/runner.hpp"

namespace sau {

// Carries messages between one host, number 0, and its players, numbers 1 to n. Each side has one
// of its own. A message arrives whole, and messages of the same sender arrive in order.
class Link {
 public:
  struct Message {
    unsigned from = 0;
    std::string bytes;
  };
  virtual ~Link() = default;
  virtual void send(unsigned to, const std::string& bytes) = 0;
  // The next message, if one has arrived.
  virtual std::optional<Message> receive() = 0;
};

// The host's side: hands out trials when players ask for them, about a twentieth of a second of
// work at a time, and collects the results. A player must be of the same version of sau and
// use the same kernel, so that the results are those of a single process.
class RemotePlayers final : public Players {
 public:
  // `most_on_one_machine` of the `count` players share a machine.
  RemotePlayers(Link& link, unsigned count, unsigned most_on_one_machine);

  unsigned count() const override { return count_; }
  unsigned most_on_one_machine() const override { return most_on_one_machine_; }
  // Returns without waiting for those who are playing if the run is to end early. Throws Error if a
  // player does not fit, or cannot go on.
  void play(const Experiment& experiment, TrialDesk& desk) override;

  // Tells the players to end, and waits until all know. Returns false at once if some of them are
  // playing: then nobody waits for their results, and they must be ended by other means.
  bool dismiss();

 private:
  // What the host knows about a player.
  struct Seat {
    bool greeted = false;     // its first message was checked
    bool asking = false;      // it waits for an answer
    bool informed = false;    // it has the experiment
    std::size_t playing = 0;  // trials it has not brought back
  };
  void listen(TrialDesk* desk);

  Link& link_;
  unsigned count_, most_on_one_machine_;
  std::vector<Seat> seats_;  // of player 1 first
};

// The player's side: plays what the host hands out, until the host ends it.
void play_for_host(Link& link);

}  // namespace sau
