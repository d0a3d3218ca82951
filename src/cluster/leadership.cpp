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
constexpr std::chrono::milliseconds kHeardLately = 3s, kListenFirst = 3s, kTwinSpeaks = 1500ms;
// After this time, everything that was sent before the stream was lost has arrived.
constexpr std::chrono::milliseconds kOnItsWay = 500ms;

}  // namespace

Leadership::Leadership(const std::filesystem::path& folder, const std::string& application,
                       bool forced, std::function<void(const std::string&)> note)
    : file_(folder / "trainer.json"),
      application_(application),
      forced_(forced),
      note_(std::move(note)),
      session_(EventIds().next().substr(0, 8)) {
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

// Called with the mutex locked.
void Leadership::raise_epoch(std::uint64_t epoch) {
  if (epoch <= epoch_) return;
  epoch_ = epoch;
  keep();
}

bool Leadership::leads(Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  return has_lease(now);
}
Leadership::Leader Leadership::leader() const {
  const std::lock_guard lock(mutex_);
  return leader_;
}
std::uint64_t Leadership::epoch() const {
  const std::lock_guard lock(mutex_);
  return leads_ ? led_ : epoch_;
}
std::uint64_t Leadership::revision() const {
  const std::lock_guard lock(mutex_);
  return revision_;
}
bool Leadership::outdated() const {
  const std::lock_guard lock(mutex_);
  return leads_ && epoch_ > led_;
}

std::string Leadership::presence(const StreamPlace& place, const std::string& settings) const {
  const std::lock_guard lock(mutex_);
  return nlohmann::ordered_json{
      {"trainer", trainer_},    {"session", session_}, {"leads", has_lease(Clock::now())},
      {"number", place.number}, {"led", led_},         {"epoch", epoch_},
      {"settings", settings}}
      .dump();
}

void Leadership::heard(std::string_view text, Clock::time_point now) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return;
  const std::string id = json.at("trainer");
  const std::lock_guard lock(mutex_);
  if (id == trainer_) {
    const std::string session = json.value("session", "");
    if (session != session_) twin_ = Twin{now, session, json.value("leads", false)};
    return;
  }
  const bool is_new = !peers_.contains(id);
  peers_[id] = {
      .number = json.at("number"), .led = json.at("led"), .heard = now, .was_heard = true};
  const std::uint64_t epoch = json.at("epoch");
  if (!is_new && epoch <= epoch_) return;
  epoch_ = std::max(epoch_, epoch);
  keep();
}

void Leadership::heard_epoch(std::uint64_t epoch) {
  const std::lock_guard lock(mutex_);
  raise_epoch(epoch);
}

std::string Leadership::twin(Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  // If neither of the two leads, the one with the larger session goes on.
  if (!twin_ || now - twin_->heard > kHeardLately || has_lease(now) ||
      (!twin_->leads && twin_->session < session_)) {
    return "";
  }
  return fmt::format(
      "another trainer has the same id, {}: the folder of one is a copy of the other's. Stop the "
      "copy, and remove {} there: then it is a trainer of its own",
      trainer_, file_.filename().string());
}

std::vector<Leadership::Other> Leadership::others(Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  std::vector<Other> others;
  for (const auto& [id, peer] : peers_) {
    if (peer.was_heard && now - peer.heard < kHeardLately) {
      others.push_back({id, peer.number, peer.heard});
    }
  }
  return others;
}

bool Leadership::may_lead(const StreamPlace& place, Stream stream, Clock::time_point now,
                          std::string& why) {
  const std::lock_guard lock(mutex_);
  if (stream == Stream::kSame) lost_since_.reset();
  if (forced_) return true;
  if (stream == Stream::kUnknown) {
    why = "the stream cannot be looked at";
    return false;
  }
  if (stream == Stream::kSame) return true;
  // What the others said before the stream was lost was not their last word: they may have taken
  // more until then. So everybody must speak again.
  if (!lost_since_) lost_since_ = now;
  if (now < std::max(started_, *lost_since_) + kListenFirst) {
    why = "it listens for other trainers first";
    return false;
  }
  const auto own = std::tuple(place.number, led_, trainer_);
  for (const auto& [id, peer] : peers_) {
    const bool is_there =
        peer.was_heard && now - peer.heard < kHeardLately && peer.heard >= *lost_since_ + kOnItsWay;
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

std::string Leadership::text(const std::string& trainer, std::uint64_t epoch) const {
  return nlohmann::ordered_json{{"trainer", trainer}, {"session", session_}, {"epoch", epoch}}
      .dump();
}

Leadership::Holder Leadership::holder(std::string_view lease, Clock::time_point now) const {
  const auto json = nlohmann::json::parse(lease, nullptr, false);
  if (!json.is_object()) return Holder::kOther;
  const std::string trainer = json.value("trainer", "");
  if (trainer.empty()) return Holder::kNobody;
  const std::lock_guard lock(mutex_);
  if (trainer != trainer_) return Holder::kOther;
  if (json.value("session", "") == session_) return Holder::kThis;
  // From before a restart, unless a copy of the folder is at work: that one would have spoken.
  return twin_ || now < started_ + kTwinSpeaks ? Holder::kOther : Holder::kThis;
}

std::string Leadership::next_lease() {
  const std::lock_guard lock(mutex_);
  raise_epoch(epoch_ + 1);
  asked_ = epoch_;
  return text(trainer_, asked_);
}
std::string Leadership::lease() const {
  const std::lock_guard lock(mutex_);
  return text(trainer_, led_);
}
std::string Leadership::released() const {
  const std::lock_guard lock(mutex_);
  return text("", led_);
}

void Leadership::took(std::uint64_t revision, bool anew, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  revision_ = revision;
  renewed_ = now;
  if (!anew) return;
  led_ = asked_;
  leader_ = {trainer_, led_};
  if (!std::exchange(leads_, true)) {
    note_(fmt::format("trainer {} leads now, in epoch {}", trainer_, led_));
  }
  keep();
}

void Leadership::lost_to(const std::string& holder) {
  const auto json = nlohmann::json::parse(holder, nullptr, false);
  if (!json.is_object()) return;
  const std::lock_guard lock(mutex_);
  const Leader other{json.at("trainer"), json.at("epoch")};
  const bool led = std::exchange(leads_, false);
  const bool is_twin = other.trainer == trainer_;
  if (!is_twin && (led || other.trainer != leader_.trainer)) {
    note_(fmt::format("trainer {} leads; this one, {}, stands by", other.trainer, trainer_));
  }
  leader_ = is_twin ? Leader{} : other;
  // It may have more of the stream than this one, also if it is lost before it was heard.
  if (!is_twin && peers_.try_emplace(other.trainer).second) keep();
  raise_epoch(other.epoch);
}

void Leadership::resign(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(leads_, false)) return;
  leader_ = {};
  if (!why.empty()) note_("this trainer gives up the lead: " + why);
}

void Leadership::not_renewed(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (!leads_ || now < renewed_ + kLease) return;
  leads_ = false;
  leader_ = {};
  note_("the lease could not be renewed: this trainer does not lead any more");
}

}  // namespace sau::detail
