#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "core/hash.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/core/text.hpp"
#include "sau/serve/configuration.hpp"
#include "sau/serve/log_tools.hpp"
#include "sau/serve/rank_request.hpp"
#include "sau/store/dsjson.hpp"
#include "sau/store/event_store.hpp"
#include "serve/model_file.hpp"
#include "serve/replayer.hpp"
#include "serve/settings.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kEventsAtOnce = 512;

// Writes events of a file as the log of a service, and learns from them on the way.
class Importer {
 public:
  Importer(const fs::path& folder, const detail::FolderSettings& settings,
           const ImportOptions& options, const DsjsonOutcomes& outcomes)
      : options_(options),
        outcomes_(outcomes),
        replayer_(folder, settings.agent, settings.seed),
        store_(open_event_store(detail::log_folder(folder), {.sync = false})),
        now_(milliseconds_now()) {}

  void read(const fs::path& file) {
    DsjsonReader reader(file, {.skip_wrong = options_.skip_faulty, .outcomes = &outcomes_});
    const std::uint64_t before = count_.events;
    const Sequence first = last_ + 1;
    std::uint64_t faulty = 0;
    std::string first_fault;
    while (const DsjsonEvent* const event = reader.next()) {
      try {
        if (const auto decision = decision_of(*event, file)) add(*event, *decision);
      } catch (const Error& error) {
        std::string fault =
            fmt::format("{}, line {}: {}", file.string(), event->line, error.what());
        if (!options_.skip_faulty) throw Error(fault);
        if (faulty++ == 0) first_fault = std::move(fault);
      }
      if (batch_.decisions.size() >= kEventsAtOnce) write();
    }
    // Says where the decisions before it came from.
    const nlohmann::ordered_json source = {
        {"file", file.filename().string()}, {"format", "dsjson"},
        {"bytes", reader.bytes()},          {"checksum", fmt::format("{:016x}", reader.checksum())},
        {"events", count_.events - before}, {"first", first}};
    batch_.entries.emplace_back(
        ++last_, Entry{.kind = EntryKind::kImported,
                       .time = now_,
                       .text = source.dump(-1, ' ', false,
                                           nlohmann::ordered_json::error_handler_t::replace)});
    write();
    DsjsonCounts counts = reader.counts();
    if (counts.wrong == 0) counts.first_wrong = first_fault;
    counts.wrong += faulty;
    if (counts.left_out() > 0) {
      say(fmt::format("{}: left out: {}", file.string(), counts.left_out_text()));
    }
    if (counts.wrong > 0) say(counts.first_wrong);
  }

  // Called after all files.
  ImportCount finish(const fs::path& folder) {
    if (count_.events == 0) throw Error("there is no event in these files");
    tell(repeated_, "events have an id that was used before: they are left out");
    tell(guessed_,
         "events have only the probability of the chosen action: the rest is divided "
         "evenly among the others");
    tell(dropped_,
         "events have a pdrop above 0, so they stand for more than one each: the model "
         "learned from each once");
    store_.reset();
    // Opened again to check every record and to put everything on disk.
    const auto store = open_event_store(detail::log_folder(folder), {});
    StoreBatch end;
    end.time = end.trusted_time = now_;
    end.waiting_from = last_ + 1;
    end.keep_head = true;
    good(store->write(end));
    replayer_.reach(last_);
    const std::string model = replayer_.model();
    write_file(detail::snapshot_file(folder), model);
    count_.learned = replayer_.agent().learned();
    count_.mean_reward = active_ == 0 ? 0.0 : reward_sum_ / static_cast<double>(active_);
    count_.agent = replayer_.agent().spec();
    count_.checksum = detail::model_checksum(model);
    return count_;
  }

  // Of the events so far.
  double lowest() const noexcept { return lowest_; }
  double highest() const noexcept { return highest_; }

 private:
  void say(const std::string& line) const {
    if (options_.note) options_.note(line);
  }
  void tell(std::uint64_t count, std::string_view what) const {
    if (count > 0) say(fmt::format("{} {}", count, what));
  }

  // The decision to add; nothing if there is one of the same id. Throws Error if it cannot be
  // made.
  std::optional<Decision> decision_of(const DsjsonEvent& event, const fs::path& file) {
    std::string id = event.event_id;
    if (id.empty()) {
      id = fmt::format("{}:{}", slug(file.filename().string()).substr(0, 200), event.line);
    }
    if (id.size() > RequestLimits{}.id_bytes) {
      throw Error(fmt::format("EventId: more than {} bytes", RequestLimits{}.id_bytes));
    }
    const RewardRange learned = replayer_.agent().rewards();
    const double low = std::max(learned.min, -kLargestReward);
    const double high = std::min(learned.max, kLargestReward);
    if (!(event.reward >= low && event.reward <= high)) {
      throw Error(
          fmt::format("_label_cost: the reward {} is not from {} to {}, which {} learns from",
                      event.reward, low, high, replayer_.agent().spec()));
    }
    Decision decision = decision_of(event);
    if (ids_.contains(detail::hash_of(id))) {
      ++repeated_;
      return std::nullopt;
    }
    decision.event_id = std::move(id);
    return decision;
  }

  // Throws Error, and changes nothing, if the event cannot be learned from.
  void add(const DsjsonEvent& event, const Decision& decision) {
    const Sequence sequence = last_ + 1, completed_by = last_ + 2;
    const IndexedEvent indexed{sequence, decision.time, decision.fingerprint, decision.deferred};
    Entry entry{.kind = event.inactive ? EntryKind::kExpired : EntryKind::kReward,
                .time = now_,
                .decision = sequence,
                .completes = !event.inactive,
                .value = event.inactive ? 0.0 : event.reward};
    if (auto failure = replayer_.apply(completed_by, entry, DecisionLesson::of(decision))) {
      throw Error(failure->message);
    }
    last_ = completed_by;
    EventState state = EventState::of(indexed);
    state.phase = event.inactive ? EventPhase::kDropped : EventPhase::kCompleted;
    state.completed_by = completed_by;
    if (!event.inactive) {
      state.rewards = 1;
      state.first = state.sum = state.final_reward = event.reward;
      state.received.push_back({now_, event.reward, false});
      ++active_;
      reward_sum_ += event.reward;
      lowest_ = std::min(lowest_, event.reward);
      highest_ = std::max(highest_, event.reward);
    }
    ids_.insert(detail::hash_of(decision.event_id));
    guessed_ += event.distribution.empty() && decision.actions.size() > 1 ? 1 : 0;
    dropped_ += event.drop > 0.0 ? 1 : 0;
    batch_.decisions.emplace_back(sequence, encode(decision));
    batch_.events.emplace_back(kept_ids_.emplace_back(decision.event_id), indexed);
    batch_.entries.emplace_back(completed_by, std::move(entry));
    batch_.states.emplace_back(sequence, std::move(state));
    ++count_.events;
  }

  // The decision, with what the agent predicts now: a replay learns from the difference.
  Decision decision_of(const DsjsonEvent& event) {
    const auto read = read_rank_request(event.request, RequestLimits::none());
    if (!read.ok()) {
      throw Error(fmt::format("c: {}: {}", read.failure().target, read.failure().message));
    }
    const RankRequest& request = read.value();
    offered_.clear();
    for (std::size_t i = 0; i < request.actions.size(); ++i) {
      offered_.push_back(request.offered(i));
    }
    forecasts_.assign(offered_.size(), {});
    replayer_.agent().decide(request.context(), offered_, std::nullopt, forecasts_);
    const auto chosen = static_cast<std::uint32_t>(event.chosen);
    Decision decision{.time = event.time.value_or(now_),
                      .event_id = {},
                      .fingerprint = request.fingerprint,
                      .model_version = replayer_.version(),
                      .mode = event.skip_learn ? LearningMode::kLoggingOnly : LearningMode::kOnline,
                      .deferred = event.inactive,
                      .chosen = chosen,
                      .policy = chosen,
                      .baseline = static_cast<std::uint32_t>(event.baseline),
                      .actions = {},
                      .request = event.request};
    const double p = *event.probability;
    const bool guess = event.distribution.empty() && offered_.size() > 1;
    const double other = guess ? (1.0 - p) / static_cast<double>(offered_.size() - 1) : 0.0;
    for (std::size_t i = 0; i < forecasts_.size(); ++i) {
      const Forecast& forecast = forecasts_[i];
      const double logged = i == event.chosen            ? p
                            : event.distribution.empty() ? other
                                                         : event.distribution[i];
      decision.actions.push_back(
          {forecast.value, forecast.spread, forecast.variance, logged, forecast.count});
    }
    return decision;
  }

  void write() {
    if (batch_.empty()) return;
    batch_.time = batch_.trusted_time = now_;
    batch_.waiting_from = last_ + 1;
    good(store_->write(batch_));
    batch_ = {};
    kept_ids_.clear();
  }

  const ImportOptions& options_;
  const DsjsonOutcomes& outcomes_;
  detail::Replayer replayer_;
  std::unique_ptr<EventStore> store_;
  Milliseconds now_;
  Sequence last_ = 0;
  StoreBatch batch_;
  std::deque<std::string> kept_ids_;  // the batch refers to them
  std::unordered_set<std::uint64_t> ids_;
  std::vector<OfferedAction> offered_;
  std::vector<Forecast> forecasts_;
  ImportCount count_;
  std::uint64_t repeated_ = 0, guessed_ = 0, dropped_ = 0, active_ = 0;
  double reward_sum_ = 0.0, lowest_ = 0.0, highest_ = 0.0;
};

ImportCount import_to(const fs::path& folder, const std::vector<fs::path>& files,
                      detail::FolderSettings settings, const ImportOptions& options) {
  DsjsonOutcomes outcomes;
  for (const fs::path& file : files) outcomes.add(file);
  Importer importer(folder, settings, options, outcomes);
  for (const fs::path& file : files) importer.read(file);
  ImportCount count = importer.finish(folder);
  // The service will accept rewards of the size that it has learned from.
  Configuration& start = settings.configuration;
  if (importer.lowest() < start.reward_minimum || importer.highest() > start.reward_maximum) {
    start.reward_minimum = std::min(start.reward_minimum, importer.lowest());
    start.reward_maximum = std::max(start.reward_maximum, importer.highest());
    if (options.note) {
      options.note(fmt::format("the service will take rewards from {} to {}, as in these files",
                               start.reward_minimum, start.reward_maximum));
    }
  }
  // Written last: without it, this is not the folder of a service.
  detail::keep_settings(folder, settings);
  verify_log(folder);
  return count;
}

}  // namespace

ImportCount import_log(const fs::path& given, const std::vector<fs::path>& files,
                       const ImportOptions& options) {
  const fs::path folder = given.has_filename() ? given : given.parent_path();
  if (files.empty()) throw UsageError("log import: no file is given");
  if (fs::exists(detail::settings_file(folder))) {
    throw UsageError(folder.string() +
                     ": already a folder of sau serve; an import makes a new one, because the "
                     "events come before all others");
  }
  const detail::FolderSettings settings = detail::settings_for(folder, options.agent, options.seed);
  // Made in a folder that nobody else uses, then renamed.
  const fs::path aside = fmt::format("{}.part{}", folder.string(), ::getpid());
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path());
  if (!fs::create_directory(aside)) throw Error(aside.string() + ": already exists");
  try {
    ImportCount count = import_to(aside, files, settings, options);
    fs::remove_all(folder);  // an empty one, or what an interrupted first start has left
    fs::rename(aside, folder);
    return count;
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(aside, ignored);
    throw;
  }
}

}  // namespace sau
