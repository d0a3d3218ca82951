#include "sau/run/remote.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>
#include <utility>

#include "core/host_name.hpp"
#include "sau/core/error.hpp"
#include "sau/core/version.hpp"
#include "sau/kernel/instruction_set.hpp"

// Messages are JSON as CBOR, which keeps every bit of a double.
//   player to host: {"program", "kernel", "machine"} first; then {"played": [...]}, which also asks
//                   for more, and so does the first one
//   host to player: {"seed", "cells"} when a run begins; {"tasks": [[cell, trial], ...]}; {"end"}

namespace sau {
namespace {

using Wire = nlohmann::json;

constexpr unsigned kHost = 0;
constexpr double kBatchSeconds = 0.05;

// Waits a little longer each time, so that an idle side takes no processor time from those that
// play.
class Nap {
 public:
  void take() {
    std::this_thread::sleep_for(length_);
    length_ = std::min(length_ * 2, std::chrono::microseconds(2000));
  }
  void over() { length_ = kShortest; }

 private:
  static constexpr std::chrono::microseconds kShortest{20};
  std::chrono::microseconds length_ = kShortest;
};

void send(Link& link, unsigned to, const Wire& message) {
  std::string bytes;
  Wire::to_cbor(message, bytes);
  link.send(to, bytes);
}

std::string machine_name() {
  const std::string name = detail::host_name();
  return name.empty() ? "unknown" : name;
}

std::string program_name() { return std::string(version()) + ", commit " + std::string(commit()); }

Wire greeting() {
  return {{"program", program_name()},
          {"kernel", instruction_set_name(instruction_set())},
          {"machine", machine_name()}};
}

// Throws Error unless the player's results would be the host's.
void check_greeting(const Wire& player, unsigned number) {
  const Wire host = greeting();
  for (const char* key : {"program", "kernel"}) {
    if (player.at(key) == host.at(key)) continue;
    throw Error("player " + std::to_string(number) + " on " +
                player.at("machine").get<std::string>() + " has the " + key + " " +
                player.at(key).get<std::string>() + ", the host on " +
                host.at("machine").get<std::string>() + " has " + host.at(key).get<std::string>() +
                "; results could differ: use one program everywhere, and SAU_KERNEL");
  }
}

Wire to_json(const Experiment& experiment) {
  Wire cells = Wire::array();
  for (const Cell& cell : experiment.cells) {
    cells.push_back(
        {cell.problem, cell.agent, cell.problem_spec, cell.agent_spec, cell.steps, cell.data});
  }
  return {{"seed", experiment.seed}, {"cells", std::move(cells)}};
}

Experiment experiment_of(const Wire& json) {
  Experiment experiment{.seed = json.at("seed"), .cells = {}};
  for (const Wire& cell : json.at("cells")) {
    experiment.cells.push_back({.problem = cell.at(0),
                                .agent = cell.at(1),
                                .problem_spec = cell.at(2),
                                .agent_spec = cell.at(3),
                                .steps = cell.at(4),
                                .data = cell.at(5)});
  }
  return experiment;
}

Wire to_json(const PlayedTrial& played) {
  const TrialRecord& record = played.record;
  return {{"cell", played.task.cell},  {"trial", played.task.trial}, {"regret", record.regret},
          {"reward", record.reward},   {"stuck", record.stuck},      {"curve", record.curve},
          {"failure", record.failure}, {"seconds", played.seconds},  {"error", played.error}};
}

PlayedTrial played_of(const Wire& json) {
  return {.task = {.cell = json.at("cell"), .trial = json.at("trial")},
          .record = {.regret = json.at("regret"),
                     .reward = json.at("reward"),
                     .stuck = json.at("stuck"),
                     .curve = json.at("curve").get<std::vector<double>>(),
                     .failure = json.at("failure")},
          .seconds = json.at("seconds"),
          .error = json.at("error")};
}

Wire wait_for_host(Link& link) {
  Nap nap;
  for (;;) {
    if (const auto message = link.receive()) return Wire::from_cbor(message->bytes);
    nap.take();
  }
}

}  // namespace

RemotePlayers::RemotePlayers(Link& link, unsigned count, unsigned most_on_one_machine)
    : link_(link), count_(count), most_on_one_machine_(most_on_one_machine), seats_(count) {}

// Takes in all messages that have arrived. Without a desk nothing is checked or kept.
void RemotePlayers::listen(TrialDesk* desk) {
  while (const auto message = link_.receive()) {
    const Wire json = Wire::from_cbor(message->bytes);
    Seat& seat = seats_.at(message->from - 1);
    seat.asking = true;
    seat.playing = 0;
    if (!seat.greeted) {
      if (desk != nullptr) check_greeting(json, message->from);
      seat.greeted = true;
      continue;
    }
    for (const Wire& played : json.at("played")) {
      if (desk != nullptr) desk->bring(played_of(played));
    }
  }
}

void RemotePlayers::play(const Experiment& experiment, TrialDesk& desk) {
  const Wire beginning = to_json(experiment);
  for (Seat& seat : seats_) seat.informed = false;
  Nap nap;
  while (desk.open()) {
    listen(&desk);
    bool handed_out = false;
    for (unsigned i = 0; i < count_; ++i) {
      Seat& seat = seats_[i];
      if (!seat.asking) continue;
      const auto tasks = desk.fetch(kBatchSeconds);
      if (tasks.empty()) break;
      if (!seat.informed) send(link_, i + 1, beginning);
      Wire list = Wire::array();
      for (const TrialTask& task : tasks) list.push_back({task.cell, task.trial});
      send(link_, i + 1, {{"tasks", std::move(list)}});
      seat.informed = true;
      seat.asking = false;
      seat.playing = tasks.size();
      handed_out = true;
    }
    if (handed_out) {
      nap.over();
    } else {
      nap.take();
    }
  }
}

bool RemotePlayers::dismiss() {
  Nap nap;
  for (std::size_t left = count_; left > 0;) {
    listen(nullptr);
    for (unsigned i = 0; i < count_; ++i) {
      if (seats_[i].playing > 0) return false;
      if (!seats_[i].asking) continue;
      send(link_, i + 1, {{"end", true}});
      seats_[i].asking = false;
      --left;
    }
    if (left > 0) nap.take();
  }
  return true;
}

void play_for_host(Link& link) {
  send(link, kHost, greeting());
  Experiment experiment;
  for (;;) {
    const Wire message = wait_for_host(link);
    if (message.contains("end")) return;
    if (message.contains("cells")) {
      experiment = experiment_of(message);
      continue;
    }
    Wire played = Wire::array();
    for (const Wire& task : message.at("tasks")) {
      const auto result =
          play_task(experiment, {.cell = task.at(0), .trial = task.at(1)}, {}, TrialControl());
      if (result) played.push_back(to_json(*result));  // always: nothing ends a trial early
    }
    send(link, kHost, {{"played", std::move(played)}});
  }
}

}  // namespace sau
