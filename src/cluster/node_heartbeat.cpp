#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/node.hpp"
#include "core/host_name.hpp"
#include "serve/safe_note.hpp"

// The part of NodeService that talks with the stream and the trainers.
namespace sau::detail {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kHeartbeat = 500ms, kKeepModel = 30s;

}  // namespace

Result<std::uint64_t> NodeService::append(const std::string& id, std::string_view bytes) {
  auto appended = link_->append(names_.events, id, bytes);
  if (!appended.ok()) return appended;
  static_cast<void>(link_->publish(names_.news, ""));
  // A caller that waits for the stream gets the first decision of its event.
  if (confirm_stream_) {
    if (const Status read = order_.read_to(appended.value(), bytes); !read.ok()) {
      return read.failure();
    }
  }
  return appended;
}

void NodeService::heard_leader(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return;
  const auto epoch = json.value("epoch", std::uint64_t{0});
  if (epoch < epoch_) return;  // of a leader that was replaced
  epoch_ = epoch;
  leader_heard_ = options_.steady_clock();
  leader_version_ = json.value("version", std::uint64_t{0});
  const bool idle = json.value("idle", false);
  const auto& positions = json.at("positions");
  const auto found = positions.find(node_);
  const Sequence position = found == positions.end() ? 0 : found->get<Sequence>();
  bool misses = false;
  for (const auto& each : json.at("misses")) misses = misses || each == node_;
  if (position > spool_.last()) {
    if (!too_far_.exchange(true)) options_.note(closed()->message);
    return;
  }
  shipper_.trainer_has(position, misses, idle);
  // The leader was restored from a backup, or leads without what another trainer had.
  const Sequence dropped = spool_.first() - 1;
  if (idle && position < dropped && given_up_.exchange(dropped) != dropped) {
    options_.note(fmt::format(
        "the leading trainer lacks records {} to {}, which this node has dropped because a "
        "trainer's log had them",
        position + 1, dropped));
  }
}

void NodeService::heard_node(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("node", "") != node_ ||
      json.value("session", "") == session_) {
    return;
  }
  const bool was_alone = twin_heard_ == 0;
  twin_heard_ = options_.steady_clock();
  if (was_alone) options_.note(kTwin.message);
}

std::string NodeService::presence() const {
  const auto newest = inbox_.newest();
  const auto totals = metrics_.totals();
  return nlohmann::ordered_json{{"node", node_},
                                {"session", session_},
                                {"host", host_name()},
                                {"ready", ready()},
                                {"epoch", std::max(epoch_.load(), newest ? newest->epoch : 0)},
                                {"keptFrom", spool_.first()},
                                {"last", spool_.last()},
                                {"shipped", shipper_.shipped()},
                                {"version", newest ? newest->model.version : 0},
                                {"ranks", totals.ranks},
                                {"rewards", totals.rewards}}
      .dump();
}

void NodeService::run() {
  auto next_kept = Clock::now() + kKeepModel;
  bool kept = false;
  for (;;) {
    std::vector<std::function<void(Status)>> late;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, kHeartbeat, [this] { return stopping_; });
      const auto now = Clock::now();
      while (!unconfirmed_.empty() && (stopping_ || unconfirmed_.front().until <= now)) {
        late.push_back(std::move(unconfirmed_.front().answer));
        unconfirmed_.pop_front();
      }
      if (stopping_ && late.empty()) return;
    }
    call_safely(options_.note, "the node's heartbeat failed: ", [&] {
      for (const auto& each : late) {
        each(Failure{Failure::Code::kUnavailable,
                     "the record is on this node's disk, but the stream has not confirmed it"});
      }
      const auto newest = inbox_.newest();
      static_cast<void>(link_->publish(names_.nodes, presence()));
      if (!newest || inbox_.incomplete() || newest->model.version < leader_version_) {
        static_cast<void>(link_->publish(names_.ask, ""));
      }
      // The first model is kept at once: a node that is started again needs one.
      if (Clock::now() < next_kept && (kept || !newest)) return;
      kept = true;
      next_kept = Clock::now() + kKeepModel;
      inbox_.keep();
    });
  }
}

}  // namespace sau::detail
