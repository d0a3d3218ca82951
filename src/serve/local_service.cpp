#include "serve/local_service.hpp"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "serve/activity.hpp"
#include "serve/completed_options.hpp"
#include "serve/decide.hpp"
#include "serve/describe.hpp"
#include "serve/eraser.hpp"
#include "serve/event_ids.hpp"
#include "serve/journal.hpp"
#include "serve/learner.hpp"
#include "serve/metrics.hpp"
#include "serve/model_file.hpp"
#include "serve/policies.hpp"
#include "serve/removal.hpp"
#include "serve/replayer.hpp"
#include "serve/restore.hpp"
#include "serve/settings.hpp"
#include "serve/slots.hpp"
#include "serve/versions.hpp"
#include "store/store_rewrite.hpp"

namespace sau::detail {
namespace {

class StoredService final : public LocalService, public JournalObserver {
 public:
  StoredService(ServiceOptions given, bool fed)
      : fed_(fed),
        options_(completed(std::move(given))),
        settings_(settings_for(options_.folder, options_.agent, options_.seed)),
        store_(open_store()),
        configuration_(stored_configuration(store_, settings_.configuration)),
        removal_(options_.folder, settings_, store_, configuration_, metrics_, options_.note),
        learner_(store_, configuration_,
                 restored(options_.folder, settings_, configuration_.get()->policy, store_,
                          options_.note),
                 learner_options()),
        journal_(store_, configuration_, *this, journal_options()),
        policies_(options_.folder, settings_, configuration_, store_, journal_),
        slots_(options_.limits, settings_, configuration_, store_, learner_, journal_, metrics_),
        eraser_(options_.folder, store_, journal_, learner_, activity_),
        at_start_(journal_.committed()),
        started_(options_.steady_clock()) {
    // Everything is constructed: from here on the threads may call each other.
    keep_settings(options_.folder, settings_);
    learner_.follow(at_start_, at_start_);
    if (configuration().takes_any_reward()) {
      options_.note(
          "rewards up to 1e9 are taken, and a single wrong one can spoil the model; to set bounds: "
          R"(PUT /personalizer/v1.0/configurations/service {"rewardMinimum": -1, "rewardMaximum": 1})");
    }
    journal_.start();
    learner_.start();
  }
  StoredService(const StoredService&) = delete;
  StoredService& operator=(const StoredService&) = delete;
  ~StoredService() override { stop(); }

  std::string agent() const override { return policies_.present().agent; }
  std::string versions() const override { return to_json(kept_versions(options_.folder)); }

  void rank_slots(std::string_view body, Answer<SlotsAnswer> answer) override {
    slots_.rank(body, answer);
  }
  void reward_slots(std::string_view event_id, std::string_view body,
                    Answer<Done> answer) override {
    slots_.reward(event_id, body, answer);
  }
  void activate_slots(std::string_view event_id, Answer<Done> answer) override {
    slots_.activate(event_id, answer);
  }

  Policy policy() const override { return policies_.present(); }
  void set_policy(std::string_view json, Answer<Policy> answer) override {
    policies_.set(json, answer);
  }
  void reset_policy(Answer<Policy> answer) override { policies_.reset(std::move(answer)); }
  void apply_trained(const Policy& policy, Answer<Policy> answer) override {
    policies_.apply_trained(policy, answer);
  }
  void roll_back(Sequence version, Answer<Done> answer) override {
    policies_.roll_back(version, answer);
  }
  void begin_trial(const GateRequest& request, Answer<Done> answer) override {
    policies_.begin_trial(request, answer);
  }
  void end_trial(GateOutcome outcome, Answer<Done> answer) override {
    policies_.end_trial(outcome, std::move(answer));
  }

  void feed(FeedOperation message) override { journal_.submit(std::move(message)); }
  const SharedStore& store() const override { return store_; }
  LearnedSoFar learned() const override { return learner_.learned(); }
  Sequence published_version() const override { return learner_.published()->version; }
  std::size_t early_rewards() const override { return journal_.early(); }
  std::size_t waiting() const override { return journal_.waiting(); }
  const FolderSettings& settings() const override { return settings_; }
  void show_cluster(std::function<std::string()> members) override {
    cluster_ = std::move(members);
  }
  std::optional<GateState> gate() const override { return learner_.gate(); }

  void rank(std::string body, Answer<RankAnswer> answer) override {
    if (auto failure = journal_.closed()) return answer(std::move(*failure));
    auto request = read_rank_request(body, options_.limits);
    if (!request.ok()) return answer(request.failure());
    if (request.value().event_id.empty()) request.value().event_id = ids_.next();
    RankOperation operation = decide(std::move(request).value(), std::move(body),
                                     *configuration_.get(), *learner_.published(), settings_.seed);
    operation.done = std::move(answer);
    journal_.submit(std::move(operation));
  }

  void reward(std::string_view event_id, std::string_view body, Answer<Done> answer) override {
    const auto value = read_reward_request(body);
    if (!value.ok()) return answer(value.failure());
    const auto bounded = bounded_reward(value.value(), *configuration_.get());
    if (!bounded.ok()) {
      metrics_.refused_reward();
      return answer(bounded.failure());
    }
    if (bounded.value() != value.value()) {
      // Counted only when it is in the log: a caller may have to send it again.
      answer = [this, answer = std::move(answer)](Status status) {
        if (status.ok()) metrics_.clipped_reward();
        answer(std::move(status));
      };
    }
    journal_.submit(RewardOperation{std::string(event_id), bounded.value(), std::move(answer)});
  }

  void activate(std::string_view event_id, Answer<Done> answer) override {
    journal_.submit(ActivateOperation{std::string(event_id), std::move(answer)});
  }

  Configuration configuration() const override { return *configuration_.get(); }

  void configure(std::string_view json, Answer<Configuration> answer) override {
    const auto read = read_configuration(json, configuration());
    if (!read.ok()) return answer(read.failure());
    if (auto wrong = check_rewards_of(*learner_.published()->agent, read.value())) {
      return answer(std::move(*wrong));
    }
    journal_.submit(ConfigureOperation{std::string(json), std::move(answer)});
  }

  std::string model() const override { return learner_.learned().model; }

  void load_model(const std::string& bytes, Answer<Done> answer) override {
    const Policy policy = configuration_.get()->policy;
    try {
      Replayer(options_.folder, agent(), settings_.seed).load(bytes, "the model");
    } catch (const std::exception& error) {
      return answer(Failure{Failure::Code::kBadRequest, error.what()});
    }
    std::string name;
    try {
      name = keep_model(options_.folder, bytes);
    } catch (const std::exception& error) {
      return answer(Failure{Failure::Code::kUnavailable, error.what()});
    }
    journal_.submit(
        ModelOperation{EntryKind::kModelLoaded, std::move(name), policy, std::move(answer)});
  }

  void reset_model(Answer<Done> answer) override {
    journal_.submit(ModelOperation{EntryKind::kModelReset, {}, {}, std::move(answer)});
  }

  Result<std::string> log_properties() const override {
    return store_.read([](const EventStore& store) { return describe_log(store); });
  }

  void remove_log(Answer<Done> answer) override {
    journal_.submit(RemoveOperation{[this, answer = std::move(answer)](Status status) {
      if (status.ok()) learner_.hurry();
      answer(std::move(status));
    }});
  }

  Result<Erased> erase(std::string_view json) override {
    // The log of a trainer depends on the stream alone.
    if (fed_)
      return Failure{Failure::Code::kConflict, "the log of a trainer cannot be erased from"};
    return eraser_.erase(json);
  }

  std::string model_properties() const override {
    // Version, events and checksum are of the same moment, that of `model()`.
    const LearnedSoFar learned = learner_.learned();
    return describe_model({.agent = agent(),
                           .version = learned.version,
                           .events = learned.events,
                           .published = learner_.published()->time,
                           .now = options_.clock(),
                           .checksum = model_checksum(learned.model)});
  }

  Result<std::string> decision(std::string_view event_id) const override {
    return store_.read([&](const EventStore& store) {
      return describe_decision(store, event_id, configuration_.get()->reward_wait_time,
                               learner_.published()->agent->members());
    });
  }

  std::string status() const override {
    // In this order: if nothing waits and there is no lag, then everything has been learned.
    const std::size_t waiting = journal_.waiting();
    const std::uint64_t lag = learner_.lag();
    const auto published = learner_.published();
    ServiceView view{.agent = agent(),
                     .mode = configuration_.get()->learning_mode,
                     .ready = ready(),
                     .now = {options_.clock(), options_.steady_clock()},
                     .started = started_,
                     .version = published->version,
                     .events = published->agent->learned(),
                     .published = published->time,
                     .totals = metrics_.totals(),
                     .waiting = waiting,
                     .lag = lag,
                     .log_bytes = log_bytes(),
                     .known_actions = published->agent->action_count(),
                     .fault = published->agent->fault(),
                     .members = published->agent->members(),
                     .gate = learner_.gate()};
    if (cluster_) view.cluster = cluster_();
    constexpr std::size_t kActions = 50;
    view.shares = activity_.shares(kActions);
    view.actions = records_of(*published->agent, view.shares, kActions);
    return store_.read(
        [&](const EventStore& store) { return describe_status(view, activity_, &store); });
  }

  Result<std::string> history(std::string_view span) const override {
    return describe_history(activity_, span, {options_.clock(), options_.steady_clock()});
  }

  std::string metrics() const override {
    const auto published = learner_.published();
    return metrics_.text(
               {.queued = static_cast<double>(journal_.queued()),
                .waiting = static_cast<double>(journal_.waiting()),
                .learner_lag = static_cast<double>(learner_.lag()),
                .model_version = static_cast<double>(published->version),
                .model_age = static_cast<double>(options_.clock() - published->time) / 1000.0,
                .model_events = static_cast<double>(published->agent->learned()),
                .log_bytes = static_cast<double>(log_bytes()),
                .actions = static_cast<double>(published->agent->action_count()),
                .writable = journal_.broken() ? 0.0 : 1.0,
                .clock_offset = static_cast<double>(journal_.clock_offset()) / 1000.0,
                .log_memory = store_.read([](const EventStore& store) { return store.memory(); }),
                .gate = learner_.gate()}) +
           (options_.more_metrics ? options_.more_metrics() : "");
  }

  void count_request(std::string_view what, int status, double seconds) override {
    metrics_.request(what, status, seconds);
  }

  void count_connections(
      std::size_t open,
      const std::vector<std::pair<std::string, std::uint64_t>>& dropped) override {
    metrics_.connections(open, dropped);
  }

  bool ready() const override {
    return !journal_.broken() && learner_.position() >= at_start_ &&
           (!options_.also_ready || options_.also_ready());
  }
  void settle() override { learner_.wait_for(journal_.committed()); }

  void stop() override {
    policies_.stop();
    eraser_.stop();
    journal_.stop();
    learner_.stop();
  }

  // Called by the journal thread.

  void ranked(const RankOperation& operation, Milliseconds time) override {
    const RankAnswer& answer = operation.answer;
    const auto& chosen = answer.ranking[answer.chosen];
    metrics_.ranked(operation.explored, operation.mode == LearningMode::kApprentice,
                    operation.agreed);
    activity_.ranked(options_.steady_clock(),
                     {answer.event_id, chosen.id, time, chosen.probability, answer.ranking.size(),
                      operation.mode},
                     operation.explored, operation.agreed);
  }
  void rewarded(double, Milliseconds delay, bool in_time) override {
    metrics_.rewarded(static_cast<double>(delay) / 1000.0, in_time);
    activity_.rewarded(options_.steady_clock());
  }
  void expired(EventPhase phase, std::size_t count) override { metrics_.expired(phase, count); }
  void written(double seconds) override { metrics_.written(seconds); }

 private:
  std::unique_ptr<EventStore> open_store() const {
    upgrade_folder(options_.folder, options_.note, options_.open_files);
    const auto log = log_folder(options_.folder);
    finish_replacing(log);  // an interrupted `sau log erase`
    if (std::filesystem::exists(settings_file(options_.folder)) &&
        (!std::filesystem::exists(log) || std::filesystem::is_empty(log))) {
      throw Error(
          log.string() +
          ": missing, though the folder was served from. Restore the folder from a backup, or "
          "accept the loss: see `sau log accept --help`");
    }
    return options_.store(log);
  }

  JournalOptions journal_options() {
    return {.queue = options_.queue,
            .waiting = options_.waiting,
            .fed = fed_,
            .clock =
                [this] {
                  return ClockReading{options_.clock(), options_.steady_clock()};
                },
            .note = options_.note,
            .committed = [this](Sequence last,
                                Sequence last_entry) { learner_.follow(last, last_entry); },
            .removed = [this](const LogHead& before,
                              const LogHead& until) { removal_.removed(before, until); }};
  }

  LearnerOptions learner_options() {
    return {.folder = options_.folder,
            .snapshot_every = options_.snapshot_every,
            .versions = options_.versions,
            .version_every = options_.version_every,
            .clock = options_.clock,
            .note = options_.note,
            .learned = [this](const Lesson& lesson) { count_lesson(lesson); },
            .snapshotted = [this](Sequence position) { return removal_.look(position, journal_); },
            .judged = [this](const std::string& trial,
                             GateOutcome verdict) { policies_.judged(trial, verdict); }};
  }

  // Called by the learner thread.
  void count_lesson(const Lesson& lesson) {
    const double baseline = lesson.is_baseline ? lesson.reward / lesson.probability : 0.0;
    metrics_.learned(lesson.reward, baseline);
    activity_.learned(options_.steady_clock(), lesson.reward, baseline);
  }

  std::uint64_t log_bytes() const {
    return store_.read([](const EventStore& store) { return store.bytes(); });
  }

  bool fed_;
  std::function<std::string()> cluster_;
  ServiceOptions options_;
  FolderSettings settings_;
  SharedStore store_;
  Current<Configuration> configuration_;
  Metrics metrics_;
  Activity activity_;
  EventIds ids_;
  Removal removal_;
  Learner learner_;
  Journal journal_;
  Policies policies_;
  Slots slots_;
  Eraser eraser_;
  Sequence at_start_;
  Milliseconds started_;
};

}  // namespace

std::unique_ptr<LocalService> make_local_service(ServiceOptions options, bool fed) {
  if (!fed) refuse_trainer(options.folder);
  return std::make_unique<StoredService>(std::move(options), fed);
}

}  // namespace sau::detail
