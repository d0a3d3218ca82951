#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/trainer.hpp"
#include "core/hash.hpp"
#include "serve/model_file.hpp"
#include "serve/safe_note.hpp"

// The part of Trainer that speaks: it has or wants the lease, tells the others how it is, hears how
// they are, and publishes models.
namespace sau::detail {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kHeraldPause = 100ms, kPresencePause = 500ms, kRenewPause = 1s,
                                    kModelPause = 50ms, kAskedPause = 400ms, kNodeGone = 60s,
                                    kUnfit = 10s;
constexpr int kModelShare = 10;  // publishing takes at most this fraction of the time
constexpr std::size_t kModelBytes = 512U << 10, kChecksumsKept = 2000;
constexpr const char* kLeaseKey = "leader";

}  // namespace

// The thread that renews the lease or waits for it, and tells the others how this trainer is.
void Trainer::send_heartbeats() {
  auto next_presence = Clock::now(), next_lease = Clock::now();
  while (pause(kHeraldPause)) {
    call_safely(options_.note, "the trainer's heartbeat failed: ", [&] {
      const auto now = Clock::now();
      if (leadership_.leads(now)) announce();
      if (now >= next_presence) {
        next_presence = now + kPresencePause;
        static_cast<void>(link_->publish(names_.trainers,
                                         leadership_.presence(feeder_.place(), settings_text())));
      }
      std::string why;
      {
        const std::lock_guard lock(mutex_);
        if (std::exchange(gives_up_, false)) {
          why = unfit_;
          fit_again_ = now + kUnfit;
        }
      }
      if (!why.empty()) {
        release();
        leadership_.resign(why);
      }
      if (now < next_lease) return;
      next_lease = now + kRenewPause;
      if (renew(now)) return;
      next_lease = now + kPresencePause;
      ask_for_lease(now);
    });
  }
  call_safely(options_.note, "", [&] { release(); });
}

// Others need not wait until the lease ends.
void Trainer::release() {
  if (!leadership_.leads()) return;
  static_cast<void>(
      link_->take_lease(names_.leases, kLeaseKey, leadership_.released(), leadership_.revision()));
}

bool Trainer::renew(Clock::time_point now) {
  if (!leadership_.leads(now) || leadership_.outdated()) return false;
  const auto renewed =
      link_->take_lease(names_.leases, kLeaseKey, leadership_.lease(), leadership_.revision());
  if (renewed.ok()) leadership_.took(renewed.value(), false, now);
  return renewed.ok();
}

void Trainer::ask_for_lease(Clock::time_point now) {
  const bool leads = leadership_.leads(now);
  leadership_.not_renewed(now);
  const auto lease = link_->lease(names_.leases, kLeaseKey);
  if (!lease.ok()) {
    if (!link_->connected()) return;
    static_cast<void>(
        link_->create_leases(names_.leases, Leadership::kLease, options_.cluster.replicas));
    return;
  }
  std::uint64_t revision = 0;
  if (lease.value()) {
    if (leadership_.holder(lease.value()->holder, now) == Leadership::Holder::kOther) {
      return leadership_.lost_to(lease.value()->holder);
    }
    revision = lease.value()->revision;
  }
  {
    const std::lock_guard lock(mutex_);
    if (now < fit_again_) return;  // then it tries once more: the disk may have room again
  }
  std::string why = fault();
  auto stream = Leadership::Stream::kUnknown;
  const StreamPlace place = feeder_.place();
  if (const auto look = look_at_stream()) {
    const auto& found = look->stream;
    const bool same = found && place.life == found->created && found->last >= place.place &&
                      found->first <= place.place + 1;
    stream = same ? Leadership::Stream::kSame : Leadership::Stream::kOther;
  }
  if (why.empty() && (leads || leadership_.may_lead(place, stream, now, why))) {
    const auto taken =
        link_->take_lease(names_.leases, kLeaseKey, leadership_.next_lease(), revision);
    if (taken.ok()) leadership_.took(taken.value(), true, now);
  } else if (!why.empty() && std::exchange(told_, why) != why) {
    options_.note("nobody leads, and this trainer does not either: " + why);
  }
}

void Trainer::announce() {
  const StreamPlace place = feeder_.place();
  nlohmann::ordered_json json = {
      {"trainer", leadership_.trainer()}, {"epoch", leadership_.epoch()},
      {"number", place.number},           {"idle", idle_.load()},
      {"version", sent_version_.load()},  {"positions", feeder_.positions()},
      {"misses", feeder_.misses()}};
  {
    const std::lock_guard lock(mutex_);
    json["checksum"] = sent_checksum_;
  }
  static_cast<void>(link_->publish(names_.leader, json.dump()));
}

void Trainer::heard_leader(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("trainer", "") == leadership_.trainer()) return;
  {
    const std::lock_guard lock(mutex_);
    const Sequence version = json.at("version");
    checksums_[version] = json.at("checksum");
    if (checksums_.size() > kChecksumsKept) checksums_.erase(checksums_.begin());
    news_ = json.at("number").get<std::uint64_t>() > feeder_.place().number;
  }
  wake_.notify_all();
}

void Trainer::heard_node(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return;
  const auto now = Clock::now();
  leadership_.heard_epoch(json.value("epoch", std::uint64_t{0}));
  const std::lock_guard lock(mutex_);
  nodes_[json.at("node")] = {.heard = now,
                             .host = json.value("host", ""),
                             .version = json.at("version"),
                             .last = json.at("last"),
                             .kept_from = json.at("keptFrom"),
                             .ranks = json.value("ranks", std::uint64_t{0}),
                             .rewards = json.value("rewards", std::uint64_t{0}),
                             .ready = json.value("ready", false)};
  std::erase_if(nodes_, [now](const auto& each) { return now - each.second.heard > kNodeGone; });
}

// The thread that publishes models, or compares its own with the leader's.
void Trainer::publish() {
  auto next = Clock::now(), next_answer = Clock::now();
  while (pause(20ms)) {
    call_safely(options_.note, "the model could not be published: ", [&] {
      const auto begin = Clock::now();
      if (begin < next) return;
      if (!leadership_.leads()) {
        sent_version_ = 0;
        next = begin + kPresencePause;
        return compare_models();
      }
      bool configured = false;
      {
        const std::lock_guard lock(mutex_);
        configured = sent_configuration_ != to_json(service_.configuration());
      }
      const bool asked = begin >= next_answer && asked_.exchange(false);
      if (!asked && !configured && sent_version_ != 0 &&
          service_.published_version() == sent_version_) {
        return;
      }
      if (asked) next_answer = begin + kAskedPause;
      send_model();
      const auto end = Clock::now();
      next = end + std::max<Clock::duration>(kModelPause, kModelShare * (end - begin));
    });
  }
}

void Trainer::send_model() {
  const LearnedSoFar learned = service_.learned();
  ModelPart part{.epoch = leadership_.epoch(),
                 .version = learned.version,
                 .checksum = hash_of(learned.model),
                 .configuration = to_json(service_.configuration()),
                 .bytes = {}};
  part.parts = static_cast<std::uint32_t>((learned.model.size() + kModelBytes - 1) / kModelBytes);
  for (; part.part < part.parts; ++part.part) {
    part.bytes = learned.model.substr(part.part * kModelBytes, kModelBytes);
    if (!link_->publish(names_.model, encode(part)).ok()) return;
  }
  const std::lock_guard lock(mutex_);
  sent_checksum_ = model_checksum(learned.model);
  sent_configuration_ = part.configuration;
  sent_version_ = learned.version;
}

void Trainer::compare_models() {
  const Sequence version = service_.published_version();
  {
    const std::lock_guard lock(mutex_);
    if (version == last_compared_ || !checksums_.contains(version)) return;
  }
  const LearnedSoFar learned = service_.learned();
  const std::string own = model_checksum(learned.model);
  const std::lock_guard lock(mutex_);
  const auto found = checksums_.find(learned.version);
  if (found == checksums_.end()) return;
  last_compared_ = learned.version;
  compared_.fetch_add(1);
  if (found->second == own) return;
  different_.fetch_add(1);
  other_model_ = fmt::format("the model of version {} has the checksum {}, and the leader's has {}",
                             learned.version, own, found->second);
  note_safely(options_.note, "", other_model_.c_str());
}

}  // namespace sau::detail
