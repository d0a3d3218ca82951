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
                                    kIdleWait = 100ms, kLostForGood = 3s;
constexpr std::size_t kTakenBytes = 256U << 10;

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
                     // Whoever was replaced must not be followed.
                     if (!leadership_.leads()) return;
                     static_cast<void>(link_->publish(std::string(reply_to), messages_for(bytes)));
                   });
  try {
    feed_ = std::thread([this] { feed(); });
    heartbeat_ = std::thread([this] { send_heartbeats(); });
    publish_ = std::thread([this] { publish(); });
  } catch (...) {  // the system may have no more threads
    stop();
    throw;
  }
}

std::string Trainer::settings_text() const {
  const FolderSettings& settings = service_.settings();
  return fmt::format("{} seed={}", settings.agent, settings.seed);
}

// Handlers may still use the link; its destructor waits for them.
Trainer::~Trainer() { stop(); }

void Trainer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread* const thread : {&feed_, &heartbeat_, &publish_}) {
    if (thread->joinable()) thread->join();
  }
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

std::string Trainer::fault() const {
  if (std::string twin = leadership_.twin(Clock::now()); !twin.empty()) return twin;
  const std::lock_guard lock(mutex_);
  return other_model_.empty() ? wrong_ : other_model_;
}

std::string Trainer::what_is_wrong() const {
  if (std::string wrong = fault(); !wrong.empty()) return wrong;
  const std::lock_guard lock(mutex_);
  return unfit_;
}

void Trainer::unfit(const std::string& why) {
  const std::lock_guard lock(mutex_);
  unfit_ = why;
  gives_up_ = true;
}

void Trainer::clear_unfit() {
  const std::lock_guard lock(mutex_);
  if (!gives_up_) unfit_.clear();
}

std::optional<Trainer::StreamLook> Trainer::look_at_stream() {
  auto found = link_->stream(names_.stream);
  if (!found.ok()) {
    look_again();
    return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  look_ = {Clock::now(), std::move(found).value()};
  if (look_.stream && look_.stream->subjects != std::vector<std::string>{names_.events}) {
    wrong_ = fmt::format("the stream {} is not of this application: it should have the subject {}",
                         names_.stream, names_.events);
  }
  return look_;
}

Trainer::StreamLook Trainer::latest_look() const {
  const std::lock_guard lock(mutex_);
  return look_;
}

void Trainer::look_again() {
  const std::lock_guard lock(mutex_);
  look_.time = {};
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

void Trainer::make_stream() {
  const Status made = link_->create_stream({.name = names_.stream,
                                            .subject = names_.events,
                                            .description = "sau: what the nodes were told",
                                            .replicas = options_.cluster.replicas});
  look_again();
  if (made.ok()) {
    trouble_.clear();
  } else if (link_->connected() && std::exchange(trouble_, made.failure().message) != trouble_) {
    note_safely(options_.note, "", trouble_.c_str());
  }
}

bool Trainer::lead_some() {
  // The heartbeat thread looks, too, when it asks for the lease: this is a copy.
  StreamLook look = latest_look();
  const bool looked = Clock::now() > look.time + kLookPause;
  if (looked) {
    auto fresh = look_at_stream();
    if (!fresh) return false;
    look = std::move(*fresh);
  }
  if (!fault().empty()) return false;
  if (!look.stream) {
    make_stream();
    return false;
  }
  const StreamState& stream = *look.stream;
  const StreamPlace place = feeder_.place();
  std::uint64_t at = place.life == stream.created ? place.place : 0;
  // The stream has lost its end: what comes there now is new. The nodes' numbers tell what is not.
  if (looked && stream.last < at) at = 0;
  const std::uint64_t next = std::max(at + 1, stream.first);
  const auto message = link_->message(names_.stream, next);
  if (!message.ok()) {
    look_again();
    return false;
  }
  // The lease may have ended while the server was asked.
  if (!leadership_.leads()) return false;
  if (message.value()) {
    idle_ = false;
    if (!go_on_without(feeder_.lost_before(message.value()->bytes), stream.created, at)) {
      return false;
    }
    take(feeder_.next(stream.created, next, message.value()->time, message.value()->bytes));
    return true;
  }
  if (looked && next <= stream.last) {
    // A hole. It counts as a message that cannot be read, so that standbys count alike.
    take(feeder_.next(stream.created, next, 0, ""));
    return true;
  }
  idle_ = true;
  const auto lost = lost_from_spools();
  if (!lost) {
    lost_since_ = Clock::time_point::max();
    clear_unfit();
  } else {
    lost_since_ = std::min(lost_since_, Clock::now());
    if (Clock::now() > lost_since_ + kLostForGood) return go_on_without(lost, stream.created, at);
  }
  tick();
  return false;
}

bool Trainer::go_on_without(const std::optional<ShippedBatch>& lost, std::int64_t life,
                            std::uint64_t at) {
  if (!lost) return true;
  if (!options_.cluster.lead) {
    unfit(fmt::format(
        "node {} has dropped its records before {}, and this log lacks some of them: another "
        "trainer has the rest, or had it. Start that one, or copy its folder; if it is gone, lead "
        "with --lead and lose what only that one had",
        lost->node, lost->first));
    return false;
  }
  take(feeder_.next(life, at, 0, encode(*lost)));
  return true;
}

std::optional<ShippedBatch> Trainer::lost_from_spools() const {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, node] : nodes_) {
    if (auto lost = feeder_.lost_before(id, node.kept_from)) return lost;
  }
  return std::nullopt;
}

void Trainer::take(const TakenMessage& message) {
  const Status taken = feeder_.apply(message);
  if (taken.ok()) {
    last_taken_ = Clock::now();
    return clear_unfit();
  }
  // Another trainer may have a disk that is not full.
  if (leadership_.leads()) unfit(taken.failure().message);
  throw Error(taken.failure().message);
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
  lost_since_ = Clock::time_point::max();
  const auto leader = leadership_.leader();
  if (leader.trainer.empty() || leader.trainer == leadership_.trainer()) return false;
  if (!leadership_.twin(Clock::now()).empty()) return false;
  const StreamPlace place = feeder_.place();
  const LogHead head = service_.store().read([](const EventStore& store) { return store.head(); });
  const nlohmann::ordered_json request = {{"number", place.number},
                                          {"last", head.last},
                                          {"chain", head.chain},
                                          {"settings", settings_text()}};
  const auto reply =
      link_->request(names_.taken + leader.trainer, request.dump(), std::chrono::seconds(1));
  if (!reply.ok()) return false;
  ByteReader reader(reply.value());
  const std::string wrong(reader.take_text());
  if (!wrong.empty()) {
    {
      const std::lock_guard lock(mutex_);
      followed_ = {};
    }
    fail(wrong);
    return false;
  }
  const auto count = reader.take<std::uint32_t>();
  for (std::uint32_t i = 0; i < count; ++i) {
    take(good(decode_taken(reader.take_text()), "the leader's answer"));
  }
  fail("");
  clear_unfit();
  const std::lock_guard lock(mutex_);
  followed_ = Clock::now();
  return count > 0;
}

std::string Trainer::messages_for(std::string_view request) const {
  std::string wrong;
  std::vector<std::string> messages;
  const auto json = nlohmann::json::parse(request, nullptr, false);
  const std::string own = settings_text();
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

bool Trainer::ready() const {
  constexpr std::chrono::milliseconds kFollowedLately = 3s;
  if (!link_->connected() || !what_is_wrong().empty()) return false;
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  return leadership_.leads(now) || now < followed_ + kFollowedLately;
}

}  // namespace sau::detail
