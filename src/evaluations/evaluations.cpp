#include "sau/evaluations/evaluations.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "evaluations/contract.hpp"
#include "evaluations/kept.hpp"
#include "evaluations/run.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "serve/event_ids.hpp"
#include "serve/safe_note.hpp"
#include "serve/settings.hpp"
#include "serve/waited.hpp"

namespace sau {
namespace {

using namespace detail;
using SeenJson = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t kMostPending = 16, kMostKept = 1000;
constexpr int kLowestPriority = 19;
constexpr std::chrono::milliseconds kLookAgain{500};

std::string text_of(const SeenJson& json) {
  return json.dump(-1, ' ', false, SeenJson::error_handler_t::replace);
}

Failure no_evaluation(std::string_view id) {
  return {Failure::Code::kNotFound, fmt::format("there is no evaluation '{}'", id.substr(0, 256)),
          "evaluationId", "EvaluationNotFound"};
}

}  // namespace

class Evaluations::Implementation {
 public:
  Implementation(Service& service, EvaluationsOptions options)
      : service_(service), options_(std::move(options)) {
    if (!options_.clock) options_.clock = milliseconds_now;
    if (!options_.note) options_.note = [](const std::string&) {};
    for (const std::string& agent : options_.experiments) {
      experiments_.push_back({agent, canonical_offer_agent(agent)});
    }
    load();
    thread_ = std::thread([this] { run(); });
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  ~Implementation() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  Result<Created> create(std::string_view body) {
    auto contract = read_evaluation_contract(body, service_.policy(), experiments_);
    if (!contract.ok()) return contract.failure();
    if (auto wrong = check_times(contract.value())) return std::move(*wrong);
    const std::lock_guard lock(mutex_);
    return add(std::move(contract).value(), "Manual");
  }

  std::string list() const {
    const std::lock_guard lock(mutex_);
    std::vector<const SeenJson*> found;
    for (const auto& [id, kept] : all_) found.push_back(&kept.seen);
    std::ranges::stable_sort(found, std::greater<>{}, [](const SeenJson* each) {
      return each->at("creationTime").get_ref<const std::string&>();
    });
    SeenJson json = SeenJson::array();
    for (const SeenJson* each : found) json.push_back(*each);
    return text_of(json);
  }

  Result<std::string> get(std::string_view id) const {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(id);
    if (found == all_.end()) return no_evaluation(id);
    return text_of(found->second.seen);
  }

  Status remove(std::string_view id) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(id);
    if (found == all_.end()) return no_evaluation(id);
    try {
      fs::remove(file_of(found->first));
    } catch (const std::exception& error) {
      return Failure{Failure::Code::kUnavailable, error.what()};
    }
    if (running_ == found->first) stop_ = true;
    all_.erase(found);
    return Done{};
  }

  void apply(std::string_view body, const Answer<Done>& answer) {
    const auto reference = read_policy_reference(body);
    if (!reference.ok()) return answer(reference.failure());
    const auto policy = find_policy(reference.value());
    if (!policy.ok()) return answer(policy.failure());
    service_.apply_trained(policy.value(), [answer](const Result<Policy>& applied) {
      if (applied.ok()) return answer(Done{});
      answer(applied.failure());
    });
  }

  void settle() {
    std::unique_lock lock(mutex_);
    const std::uint64_t look = ++looks_wanted_;
    wake_.notify_all();
    wake_.wait(lock, [&] { return stopping_ || (looks_done_ >= look && pending() == 0); });
  }

 private:
  // Called with the lock held.
  Result<Created> add(EvaluationContract contract, const char* type) {
    const std::string id = ids_.next();
    KeptEvaluation kept = KeptEvaluation::pending(id, std::move(contract), type, options_.clock());
    std::string seen = text_of(kept.seen);
    if (pending() >= kMostPending) {
      return Failure{Failure::Code::kOverloaded, "too many evaluations wait to be run"};
    }
    if (all_.size() >= kMostKept) {
      return Failure{Failure::Code::kBadRequest,
                     fmt::format("there are {} evaluations already; delete some", kMostKept)};
    }
    if (auto failed = write(id, kept)) return std::move(*failed);
    all_.emplace(id, std::move(kept));
    wake_.notify_all();
    return Created{id, std::move(seen)};
  }

  fs::path file_of(const std::string& id) const {
    return options_.folder / "evaluations" / (id + ".json");
  }

  void load() {
    const fs::path folder = file_of("").parent_path();
    if (!fs::exists(folder)) return;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != ".json") continue;
      try {
        all_.emplace(entry.path().stem().string(),
                     KeptEvaluation::from_text(read_file(entry.path())));
      } catch (const std::exception& error) {
        options_.note(fmt::format("{}: this evaluation cannot be read and is left out: {}",
                                  entry.path().string(), error.what()));
      }
    }
  }

  std::optional<Failure> write(const std::string& id, const KeptEvaluation& kept) const {
    try {
      fs::create_directories(file_of(id).parent_path());
      write_file(file_of(id), kept.to_text());
    } catch (const std::exception& error) {
      return Failure{Failure::Code::kUnavailable, error.what()};
    }
    return std::nullopt;
  }

  std::optional<Failure> check_times(const EvaluationContract& contract) const {
    const Failure none{Failure::Code::kBadRequest, "the log has no decision of that time",
                       "startTime", "NoLogsExistInDateRange"};
    const auto properties = service_.log_properties();
    if (!properties.ok()) {
      if (properties.failure().code == Failure::Code::kNotFound) return none;
      return properties.failure();
    }
    const SeenJson range = SeenJson::parse(properties.value()).at("dateRange");
    const auto from = parse_time(range.at("from").get<std::string>()).value();
    const auto to = parse_time(range.at("to").get<std::string>()).value();
    if (contract.end <= from || contract.start > to) return none;
    return std::nullopt;
  }

  Result<Policy> find_policy(const PolicyReference& reference) const {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(reference.evaluation);
    if (found == all_.end()) return no_evaluation(reference.evaluation);
    for (const SeenJson& result : found->second.seen.at("policyResults")) {
      if (result.at("name") != reference.policy || result.at("arguments") == "") continue;
      return Policy{reference.policy, result.at("arguments").get<std::string>()};
    }
    return Failure{Failure::Code::kNotFound,
                   fmt::format("the evaluation '{}' has no result of an agent called '{}'",
                               reference.evaluation, reference.policy),
                   "policyName", "LearningSettingsNotFound"};
  }

  std::size_t pending() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(all_, [](const auto& each) { return each.second.must_run(); }));
  }

  // The oldest that waits; empty if there is none.
  std::string next() const {
    std::string oldest, time;
    for (const auto& [id, kept] : all_) {
      if (!kept.must_run()) continue;
      if (oldest.empty() || kept.created() < time) {
        oldest = id;
        time = kept.created();
      }
    }
    return oldest;
  }

  void run() {
    if (options_.lowest_priority) {
      ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLowestPriority);
    }
    call_safely(options_.note, "automatic optimisation failed: ", [this] { adopt(); });
    for (bool stopping = false; !stopping;) {
      bool failed = true;  // no exception leaves the thread
      call_safely(options_.note, "an evaluation failed: ", [&] {
        stopping = !turn();
        failed = false;
      });
      if (failed) pause();
    }
  }

  // Waits for an evaluation and carries it out. False: the thread must end.
  bool turn() {
    std::uint64_t look = 0;
    {
      std::unique_lock lock(mutex_);
      running_.clear();
      // Wakes by itself for automatic optimisation.
      wake_.wait_for(lock, kLookAgain, [this] {
        return stopping_ || looks_wanted_ > looks_done_ || !next().empty();
      });
      if (stopping_) return false;
      look = looks_wanted_;
    }
    call_safely(options_.note, "automatic optimisation failed: ", [this] { optimise(); });
    EvaluationContract contract;
    bool is_automatic = false;
    {
      const std::lock_guard lock(mutex_);
      looks_done_ = look;
      wake_.notify_all();
      if (stopping_) return false;
      running_ = next();
      if (running_.empty()) return true;
      contract = all_.at(running_).contract;
      is_automatic = all_.at(running_).is_automatic();
      stop_ = false;
    }
    call_safely(options_.note,
                "an evaluation could not be kept: ", [&] { finish(contract, is_automatic); });
    wake_.notify_all();
    return true;
  }

  // After a failure, such as a lack of memory.
  void pause() {
    constexpr std::chrono::seconds kPause(1);
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, kPause, [this] { return stopping_; });
  }

  // An automatic evaluation may have been interrupted after its candidate had gone to the gate, but
  // before it was written which one that was.
  void adopt() {
    const auto orphan = [this] {
      return std::ranges::find_if(all_, [](const auto& each) {
        return each.second.is_automatic() && each.second.must_run();
      });
    };
    {
      const std::lock_guard lock(mutex_);
      if (orphan() == all_.end()) return;
    }
    service_.settle();
    const auto gate = service_.gate();
    if (!gate || !gate->request.scheduled) return;
    const std::lock_guard lock(mutex_);
    const bool known =
        std::ranges::any_of(all_, [&](const auto& each) { return each.second.trial == gate->id; });
    const auto found = orphan();
    if (known || found == all_.end()) return;
    found->second.trial = gate->id;
    if (const auto failed = write(found->first, found->second)) throw Error(failed->message);
  }

  // Whether the trial of its candidate has ended, and nobody has said so yet.
  static bool has_ended(const KeptEvaluation& kept, const Configuration& configuration) {
    return kept.is_pending() && !kept.trial.empty() && kept.trial != configuration.trial;
  }

  // Looks what became of candidates, and whether it is time for another. The lock is not held while
  // the service learns, which may take long: callers look at evaluations meanwhile, and delete
  // some.
  void optimise() {
    const Configuration configuration = service_.configuration();
    std::string latest;
    bool ended = false;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [id, kept] : all_) {
        if (kept.is_automatic()) latest = std::max(latest, kept.created());
        ended = ended || has_ended(kept, configuration);
      }
    }
    if (ended) {
      service_.settle();  // a trial has ended in the log, but maybe nobody has read that yet
      const auto gate = service_.gate();
      const std::lock_guard lock(mutex_);
      for (auto& [id, kept] : all_) {
        if (!has_ended(kept, configuration)) continue;
        const bool applied =
            gate && gate->id == kept.trial && gate->outcome == GateOutcome::kPromoted;
        kept.seen["status"] = applied ? "optimalPolicyApplied" : "onlinePolicyRetained";
        if (const auto failed = write(id, kept)) throw Error(failed->message);
      }
    }
    const Milliseconds now = options_.clock();
    if (!configuration.auto_optimization || now < configuration.auto_optimization_start) return;
    if (!latest.empty() &&
        now < parse_time(latest).value() + configuration.auto_optimization_frequency) {
      return;
    }
    const EvaluationContract contract{.name = "automatic optimisation",
                                      .start = 0,
                                      .end = now,
                                      .policies = {},
                                      .experiment = true};
    if (check_times(contract)) return;  // nothing is logged yet
    const std::lock_guard lock(mutex_);
    good(add(contract, "Auto"));
  }

  // The best of the agents that were tried goes to the gate, unless one is there. Returns what to
  // change in the evaluation.
  SeenJson begin_trial_of_the_best(const SeenJson& results, const EvaluationPlace& place) {
    const SeenJson* const best = best_experiment(results, place.present);
    if (best == nullptr) return {{"status", "onlinePolicyRetained"}};
    if (const auto gate = service_.gate(); gate && !gate->outcome) {
      // Only a candidate of an earlier round is replaced; one that somebody sent stays.
      if (!gate->request.scheduled) return {{"status", "onlinePolicyRetained"}};
      good(waited<Done>([&](auto done) { service_.end_trial(GateOutcome::kStopped, done); }));
    }
    const GateRequest request{.policy = {.name = best->at("name").get<std::string>(),
                                         .agent = best->at("arguments").get<std::string>()},
                              .scheduled = true};
    good(waited<Done>([&](auto done) { service_.begin_trial(request, done); }));
    return {{"status", "pending"}, {"trial", service_.configuration().trial}};
  }

  void finish(const EvaluationContract& contract, bool is_automatic) {
    SeenJson results;
    try {
      const EvaluationPlace place{.folder = options_.folder,
                                  .seed = read_folder(options_.folder).seed,
                                  .present = service_.policy(),
                                  .configuration = service_.configuration(),
                                  .experiments = experiments_};
      results = run_evaluation(contract, place, stop_);
      results["status"] = "completed";
      if (is_automatic && !stop_) results.update(begin_trial_of_the_best(results, place));
    } catch (const std::exception& error) {
      options_.note(fmt::format("the evaluation '{}' failed: {}", contract.name, error.what()));
      results = {{"status", "failed"}, {"failure", error.what()}};
    }
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(running_);
    if (stop_ || found == all_.end()) return;  // deleted, or it begins again at the next start
    if (results.contains("trial")) {
      found->second.trial = results.at("trial").get<std::string>();
      results.erase("trial");
    }
    for (const auto& [name, value] : results.items()) found->second.seen[name] = value;
    if (const auto failed = write(running_, found->second)) {
      options_.note("an evaluation could not be written: " + failed->message);
    }
  }

  Service& service_;
  EvaluationsOptions options_;
  std::vector<Policy> experiments_;
  EventIds ids_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::string, KeptEvaluation, std::less<>> all_;
  std::string running_;
  bool stopping_ = false;
  // How often settle() asked the thread to look for automatic optimisation, and how many of these
  // are done.
  std::uint64_t looks_wanted_ = 0, looks_done_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

Evaluations::Evaluations(Service& service, EvaluationsOptions options)
    : implementation_(std::make_unique<Implementation>(service, std::move(options))) {}
Evaluations::~Evaluations() = default;

Result<Evaluations::Created> Evaluations::create(std::string_view body) {
  return implementation_->create(body);
}
std::string Evaluations::list() const { return implementation_->list(); }
Result<std::string> Evaluations::get(std::string_view id) const { return implementation_->get(id); }
Status Evaluations::remove(std::string_view id) { return implementation_->remove(id); }
void Evaluations::apply(std::string_view body, const Answer<Done>& answer) {
  implementation_->apply(body, answer);
}
void Evaluations::settle() { implementation_->settle(); }

}  // namespace sau
