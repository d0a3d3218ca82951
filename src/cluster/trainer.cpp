#include "cluster/trainer.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/bytes.hpp"
#include "core/hash.hpp"
#include "sau/core/error.hpp"
#include "serve/model_file.hpp"
#include "serve/safe_note.hpp"

namespace sau::detail {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kLookPause = 1s, kTickAfter = 1s, kRetryFeed = 200ms,
                                    kIdleWait = 100ms, kHeraldPause = 100ms, kPresencePause = 500ms,
                                    kRenewPause = 1s, kModelPause = 50ms, kAskedPause = 400ms,
                                    kNodeGone = 60s;
constexpr int kModelShare = 10;  // publishing takes at most this fraction of the time
constexpr std::size_t kModelBytes = 512U << 10, kTakenBytes = 256U << 10, kChecksumsKept = 2000;
constexpr const char* kLeaseKey = "leader";

std::string settings_text(const FolderSettings& settings) {
  return fmt::format("{} seed={}", settings.agent, settings.seed);
}

}  // namespace

Trainer::Trainer(LocalService& service, TrainerOptions options)
    : service_(service),
      options_(std::move(options)),
      names_(options_.cluster.application),
      feeder_(service_, options_.note),
      leadership_(options_.folder, options_.cluster.application, options_.cluster.lead,
                  options_.note) {
  const ClusterOptions& cluster = options_.cluster;
  link_ = std::make_unique<NatsLink>(NatsOptions{.servers = cluster.servers,
                                                 .name = "sau trainer " + leadership_.trainer(),
                                                 .credentials = cluster.credentials,
                                                 .ca = cluster.ca,
                                                 .certificate = cluster.certificate,
                                                 .key = cluster.key,
                                                 .note = options_.note});
  if (look_at_stream()) {
    if (const std::string wrong = what_is_wrong(); !wrong.empty()) throw Error(wrong);
  }
  link_->subscribe(names_.news, [this](std::string_view, std::string_view) {
    {
      const std::lock_guard lock(mutex_);
      news_ = true;
    }
    wake_.notify_all();
  });
  link_->subscribe(names_.ask, [this](std::string_view, std::string_view) { asked_ = true; });
  link_->subscribe(names_.leader,
                   [this](std::string_view bytes, std::string_view) { heard_leader(bytes); });
  link_->subscribe(names_.nodes,
                   [this](std::string_view bytes, std::string_view) { heard_node(bytes); });
  link_->subscribe(names_.trainers, [this](std::string_view bytes, std::string_view) {
    leadership_.heard(bytes, Clock::now());
  });
  link_->subscribe(names_.taken + leadership_.trainer(),
                   [this](std::string_view bytes, std::string_view reply_to) {
                     static_cast<void>(link_->publish(std::string(reply_to), messages_for(bytes)));
                   });
  feed_ = std::thread([this] { feed(); });
  herald_ = std::thread([this] { herald(); });
  publish_ = std::thread([this] { publish(); });
}

Trainer::~Trainer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  feed_.join();
  herald_.join();
  publish_.join();
  // Handlers may still use the link; its destructor waits for them.
}

bool Trainer::pause(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, time, [this] { return stopping_; });
  return !stopping_;
}

void Trainer::fail(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(wrong_, why) == why) return;
  }
  if (!why.empty()) note_safely(options_.note, "", why.c_str());
}

std::string Trainer::what_is_wrong() const {
  const std::lock_guard lock(mutex_);
  return wrong_;
}

bool Trainer::look_at_stream() {
  const auto found = link_->stream(names_.stream);
  const std::lock_guard lock(mutex_);
  last_look_ = found.ok() ? Clock::now() : Clock::time_point{};
  if (!found.ok()) return false;
  has_stream_ = found.value().has_value();
  stream_ = has_stream_ ? *found.value() : StreamState{};
  if (has_stream_ && stream_.subjects != std::vector<std::string>{names_.events}) {
    wrong_ = fmt::format("the stream {} is not of this application: it should have the subject {}",
                         names_.stream, names_.events);
  }
  return true;
}

// The thread that takes messages. No exception leaves it: what failed is tried again.
void Trainer::feed() {
  bool failing = false;
  for (;;) {
    bool busy = false;
    try {
      const bool leads = leadership_.leads();
      if (failing) feeder_.refresh();
      failing = false;
      busy = leads ? lead_some() : follow_some();
    } catch (const std::exception& error) {
      note_safely(options_.note, "taking messages failed and is tried again: ", error.what());
      failing = true;
      if (!pause(kRetryFeed)) return;
    }
    std::unique_lock lock(mutex_);
    if (!busy) wake_.wait_for(lock, kIdleWait, [this] { return stopping_ || news_; });
    news_ = false;
    if (stopping_) return;
  }
}

bool Trainer::lead_some() {
  bool looked = false;
  if (Clock::now() > last_look_ + kLookPause) {
    if (!look_at_stream()) return false;
    looked = true;
  }
  if (!what_is_wrong().empty()) return false;
  if (!has_stream_) {
    const Status made = link_->create_stream({.name = names_.stream,
                                              .subject = names_.events,
                                              .description = "sau: what the nodes were told",
                                              .replicas = options_.cluster.replicas});
    last_look_ = {};
    return made.ok();
  }
  const StreamPlace place = feeder_.place();
  std::uint64_t at = place.life == stream_.created ? place.place : 0;
  // The stream has lost its end: what comes there now is new. The nodes' numbers tell what is not.
  if (looked && stream_.last < at) at = 0;
  const std::uint64_t next = std::max(at + 1, stream_.first);
  const auto message = link_->message(names_.stream, next);
  if (!message.ok()) {
    last_look_ = {};
    return false;
  }
  if (message.value()) {
    idle_ = false;
    const Status taken =
        take(feeder_.next(stream_.created, next, message.value()->time, message.value()->bytes));
    if (!taken.ok()) throw Error(taken.failure().message);
    return true;
  }
  if (looked && next <= stream_.last) {
    // A hole. It counts as a message that cannot be read, so that standbys count alike.
    const Status taken = take(feeder_.next(stream_.created, next, 0, ""));
    if (!taken.ok()) throw Error(taken.failure().message);
    return true;
  }
  idle_ = true;
  tick();
  return false;
}

Status Trainer::take(const TakenMessage& message) {
  Status taken = feeder_.apply(message);
  if (taken.ok()) last_taken_ = Clock::now();
  if (const std::string behind = feeder_.behind(); !behind.empty()) fail(behind);
  return taken;
}

// While events wait, the stream must tell how late it is.
void Trainer::tick() {
  if (service_.waiting() == 0) return;
  if (Clock::now() < last_taken_ + kTickAfter) return;
  const std::string id =
      fmt::format("tick.{}.{}.{}", leadership_.trainer(), leadership_.epoch(), ticks_.fetch_add(1));
  static_cast<void>(link_->append(names_.events, id, encode(ShippedBatch{})));
}

bool Trainer::follow_some() {
  idle_ = false;
  const auto leader = leadership_.leader();
  if (leader.trainer.empty() || leader.trainer == leadership_.trainer()) return false;
  const StreamPlace place = feeder_.place();
  const LogHead head = service_.store().read([](const EventStore& store) { return store.head(); });
  const nlohmann::ordered_json request = {{"number", place.number},
                                          {"last", head.last},
                                          {"chain", head.chain},
                                          {"settings", settings_text(service_.settings())}};
  const auto reply =
      link_->request(names_.taken + leader.trainer, request.dump(), std::chrono::seconds(1));
  if (!reply.ok()) return false;
  ByteReader reader(reply.value());
  const std::string wrong(reader.take_text());
  if (!wrong.empty()) {
    followed_ = false;
    fail(wrong);
    return false;
  }
  fail("");
  const auto count = reader.take<std::uint32_t>();
  for (std::uint32_t i = 0; i < count; ++i) {
    const Status taken = take(good(decode_taken(reader.take_text()), "the leader's answer"));
    if (!taken.ok()) throw Error(taken.failure().message);
  }
  followed_ = true;
  return count > 0;
}

std::string Trainer::messages_for(std::string_view request) const {
  std::string wrong;
  std::vector<std::string> messages;
  const auto json = nlohmann::json::parse(request, nullptr, false);
  const std::string own = settings_text(service_.settings());
  try {
    const std::uint64_t number = json.at("number");
    if (json.at("settings") != own) {
      wrong = fmt::format("this trainer is for {}; the leader is for {}",
                          json.at("settings").get<std::string>(), own);
    } else {
      const auto agrees = feeder_.agrees(number, json.at("last"), json.at("chain"));
      if (agrees && !*agrees) {
        wrong = fmt::format(
            "this trainer's log is not the beginning of the leader's: they differ by message {}. "
            "Move the folder away and begin anew, with a copy of the leader's",
            number);
      } else if (agrees || number < feeder_.place().number) {
        auto found = feeder_.taken(number + 1, kTakenBytes);
        if (found.ok()) {
          messages = std::move(found).value();
        } else {
          wrong = found.failure().message + ". Begin with a copy of the leader's folder";
        }
      }
    }
  } catch (const nlohmann::json::exception&) {
    wrong = "the leader cannot read the request";
  }
  std::string reply;
  ByteWriter writer(reply);
  writer.put_text(wrong);
  writer.put(static_cast<std::uint32_t>(messages.size()));
  for (const std::string& each : messages) writer.put_text(each);
  return reply;
}

// The thread that renews the lease or waits for it, and tells the others how this trainer is.
void Trainer::herald() {
  auto next_presence = Clock::now(), next_lease = Clock::now();
  std::string told;
  while (pause(kHeraldPause)) {
    call_safely(options_.note, "the trainer's heartbeat failed: ", [&] {
      const auto now = Clock::now();
      if (leadership_.leads()) announce();
      if (now >= next_presence) {
        next_presence = now + kPresencePause;
        static_cast<void>(link_->publish(
            names_.trainers,
            leadership_.presence(feeder_.place(), settings_text(service_.settings()))));
      }
      if (now < next_lease) return;
      next_lease = now + kRenewPause;
      const bool leads = leadership_.leads();
      if (leads) {
        // Whoever lacks records must not lead: the lease ends.
        const auto renewed = feeder_.behind().empty()
                                 ? link_->take_lease(names_.leases, kLeaseKey, leadership_.lease(),
                                                     leadership_.revision())
                                 : Result<std::uint64_t>(Failure{});
        if (renewed.ok()) return leadership_.took(renewed.value(), false, now);
        leadership_.not_renewed(now);
      }
      next_lease = now + kPresencePause;
      const auto lease = link_->lease(names_.leases, kLeaseKey);
      if (!lease.ok()) {
        if (!link_->connected()) return;
        static_cast<void>(
            link_->create_leases(names_.leases, Leadership::kLease, options_.cluster.replicas));
        return;
      }
      std::uint64_t revision = 0;
      if (lease.value()) {
        const auto json = nlohmann::json::parse(lease.value()->holder, nullptr, false);
        if (!json.is_object() || json.value("trainer", "") != leadership_.trainer()) {
          return leadership_.lost_to(lease.value()->holder);
        }
        revision = lease.value()->revision;  // it was ours before a restart
      }
      std::string why = what_is_wrong();
      auto stream = Leadership::Stream::kUnknown;
      const StreamPlace place = feeder_.place();
      if (look_at_stream()) {
        const std::lock_guard lock(mutex_);
        const bool same = has_stream_ && place.life == stream_.created &&
                          stream_.last >= place.place && stream_.first <= place.place + 1;
        stream = same ? Leadership::Stream::kSame : Leadership::Stream::kOther;
      }
      if ((why.empty() || options_.cluster.lead) &&
          (leads || leadership_.may_lead(place, stream, now, why))) {
        const auto taken =
            link_->take_lease(names_.leases, kLeaseKey, leadership_.next_lease(), revision);
        if (taken.ok()) leadership_.took(taken.value(), true, now);
      } else if (!why.empty() && std::exchange(told, why) != why) {
        options_.note("nobody leads, and this trainer does not either: " + why);
      }
    });
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
  const std::lock_guard lock(mutex_);
  nodes_[json.at("node")] = {now, json.at("version"), json.at("last")};
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
  wrong_ = fmt::format("the model of version {} has the checksum {}, and the leader's has {}",
                       learned.version, own, found->second);
  note_safely(options_.note, "", wrong_.c_str());
}

bool Trainer::ready() const {
  return link_->connected() && what_is_wrong().empty() && (leadership_.leads() || followed_);
}

}  // namespace sau::detail
