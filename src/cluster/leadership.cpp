#include "cluster/leadership.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "serve/event_ids.hpp"

namespace sau::detail {
namespace {

using namespace std::chrono_literals;

// Others send a sign of life twice a second.
constexpr std::chrono::milliseconds kHeardLately = 3s, kListenFirst = 3s;

}  // namespace

Leadership::Leadership(const std::filesystem::path& folder, const std::string& application,
                       bool forced, std::function<void(const std::string&)> note)
    : file_(folder / "trainer.json"),
      application_(application),
      forced_(forced),
      note_(std::move(note)) {
  if (!std::filesystem::exists(file_)) {
    trainer_ = EventIds().next().substr(0, 16);
    keep();
    return;
  }
  const auto json = nlohmann::json::parse(read_file(file_), nullptr, false);
  try {
    trainer_ = json.at("trainer");
    epoch_ = json.at("epoch");
    led_ = json.at("led");
    for (const std::string peer : json.at("peers")) peers_[peer] = {};
    if (json.at("application") != application) {
      throw UsageError(fmt::format("{}: a trainer of the application '{}', not of '{}'",
                                   file_.string(), json.at("application").get<std::string>(),
                                   application));
    }
  } catch (const nlohmann::json::exception&) {
    throw Error(file_.string() + ": expected trainer, application, epoch, led and peers");
  }
}

void Leadership::keep() {
  nlohmann::ordered_json json = {{"trainer", trainer_},
                                 {"application", application_},
                                 {"epoch", epoch_},
                                 {"led", led_},
                                 {"peers", nlohmann::ordered_json::array()}};
  for (const auto& [id, peer] : peers_) json["peers"].push_back(id);
  write_file(file_, json.dump() + "\n");
}

bool Leadership::leads() const {
  const std::lock_guard lock(mutex_);
  return leads_;
}
Leadership::Leader Leadership::leader() const {
  const std::lock_guard lock(mutex_);
  return leader_;
}
std::uint64_t Leadership::epoch() const {
  const std::lock_guard lock(mutex_);
  return epoch_;
}
std::uint64_t Leadership::revision() const {
  const std::lock_guard lock(mutex_);
  return revision_;
}

std::string Leadership::presence(const StreamPlace& place, const std::string& settings) const {
  const std::lock_guard lock(mutex_);
  return nlohmann::ordered_json{{"trainer", trainer_},
                                {"number", place.number},
                                {"led", led_},
                                {"epoch", epoch_},
                                {"settings", settings}}
      .dump();
}

void Leadership::heard(std::string_view text, Clock::time_point now) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return;
  const std::string id = json.at("trainer");
  const std::lock_guard lock(mutex_);
  if (id == trainer_) return;
  const bool is_new = !peers_.contains(id);
  peers_[id] = {
      .number = json.at("number"), .led = json.at("led"), .heard = now, .was_heard = true};
  const std::uint64_t epoch = json.at("epoch");
  if (!is_new && epoch <= epoch_) return;
  epoch_ = std::max(epoch_, epoch);
  keep();
}

bool Leadership::may_lead(const StreamPlace& place, Stream stream, Clock::time_point now,
                          std::string& why) const {
  const std::lock_guard lock(mutex_);
  if (forced_) return true;
  if (stream == Stream::kUnknown) {
    why = "the stream cannot be looked at";
    return false;
  }
  if (stream == Stream::kSame) return true;
  // The others may be about to speak.
  if (now < started_ + kListenFirst) {
    why = "it listens for other trainers first";
    return false;
  }
  const auto own = std::tuple(place.number, led_, trainer_);
  for (const auto& [id, peer] : peers_) {
    const bool is_there = peer.was_heard && now - peer.heard < kHeardLately;
    if (!is_there && place.number > 0) {
      why = fmt::format(
          "the stream was lost, and trainer {} may have more of it: start that one, or lead with "
          "--lead and lose what only that one has",
          id);
      return false;
    }
    if (is_there && std::tuple(peer.number, peer.led, id) > own) {
      why = fmt::format("trainer {} has more", id);
      return false;
    }
  }
  return true;
}

std::string Leadership::next_lease() const {
  const std::lock_guard lock(mutex_);
  return nlohmann::ordered_json{{"trainer", trainer_}, {"epoch", epoch_ + 1}}.dump();
}
std::string Leadership::lease() const {
  const std::lock_guard lock(mutex_);
  return nlohmann::ordered_json{{"trainer", trainer_}, {"epoch", epoch_}}.dump();
}

void Leadership::took(std::uint64_t revision, bool anew, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  revision_ = revision;
  renewed_ = now;
  if (!anew) return;
  led_ = ++epoch_;
  keep();
  leader_ = {trainer_, epoch_};
  if (!std::exchange(leads_, true)) {
    note_(fmt::format("trainer {} leads now, in epoch {}", trainer_, epoch_));
  }
}

void Leadership::lost_to(const std::string& holder) {
  const auto json = nlohmann::json::parse(holder, nullptr, false);
  if (!json.is_object()) return;
  const std::lock_guard lock(mutex_);
  const Leader other{json.at("trainer"), json.at("epoch")};
  if (std::exchange(leads_, false) || other.trainer != leader_.trainer) {
    note_(fmt::format("trainer {} leads; this one, {}, stands by", other.trainer, trainer_));
  }
  leader_ = other;
  if (other.epoch <= epoch_) return;
  epoch_ = other.epoch;
  keep();
}

void Leadership::not_renewed(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (!leads_ || now < renewed_ + kLease) return;
  leads_ = false;
  leader_ = {};
  note_("the lease could not be renewed: this trainer does not lead any more");
}

}  // namespace sau::detail
