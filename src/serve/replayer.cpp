#include "serve/replayer.hpp"

#include <algorithm>
#include <utility>

#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/serve/rank_request.hpp"
#include "serve/model_file.hpp"
#include "serve/policy.hpp"

namespace sau::detail {

Replayer::Replayer(std::filesystem::path folder, std::string spec, std::uint64_t seed)
    : folder_(std::move(folder)),
      first_spec_(spec),
      spec_(std::move(spec)),
      seed_(seed),
      agent_(make_offer_agent(spec_, seed_)),
      schema_(schema_of(*agent_, seed_)) {}

void Replayer::take(std::string_view bytes, const std::string& name) {
  auto agent = make_offer_agent(spec_, seed_);
  const ModelHead head = read_model(bytes, name, schema_, *agent);
  agent_ = std::move(agent);
  position_ = head.position;
  version_ = head.version;
  within_ = 0;
}

void Replayer::load(std::string_view bytes, const std::string& name) {
  take(bytes, name);
  strikes_known_until_ = position_;
}

void Replayer::load_own(std::string_view bytes, const std::string& name) {
  const std::string other = agent_of(read_model_head(bytes, name).schema);
  if (other != agent_->spec()) {
    try {
      *this = with_agent(other);
    } catch (const UsageError&) {  // an unknown agent: load() says so
    }
  }
  load(bytes, name);
  trial_.reset();
  ended_.reset();
  read_more(bytes, name, [this](StateReader& reader) { load_trial(reader); });
}

Replayer Replayer::with_agent(const std::string& spec) const {
  Replayer other(folder_, spec, seed_);
  other.first_spec_ = first_spec_;
  other.ended_ = ended_;
  return other;
}

bool Replayer::load_base() {
  const auto base = base_file(folder_);
  if (!std::filesystem::exists(base)) return false;
  load_own(read_file(base), base.string());
  strikes_known_until_ = 0;  // the events it has learned from cannot be struck
  return true;
}

Result<std::vector<Lesson>> Replayer::apply(Sequence sequence, const Entry& entry,
                                            const EventStore& store) {
  if (auto failure = mend(sequence, store)) return std::move(*failure);
  std::vector<Lesson> lessons;
  if (entry.kind == EntryKind::kModelReset) {
    agent_ = make_offer_agent(spec_, seed_);
    version_ = sequence;
  } else if (entry.kind == EntryKind::kModelLoaded) {
    const auto file = loaded_file(folder_, entry.text);
    try {
      take(read_file(file), file.string());
      version_ = sequence;
    } catch (const std::exception& error) {
      return Failure{Failure::Code::kInternal, error.what()};
    }
  } else if (entry.kind == EntryKind::kPolicy) {
    if (auto failure = set_policy(sequence, entry.text, store)) return std::move(*failure);
    version_ = sequence;
  } else if (entry.kind == EntryKind::kTrialBegun) {
    if (auto failure = begin_trial(sequence, entry.text)) return std::move(*failure);
  } else if (entry.kind == EntryKind::kTrialEnded) {
    if (auto failure = end_trial(sequence, entry.text, store)) return std::move(*failure);
  } else if (entry.kind == EntryKind::kStruck) {
    // Unless the store knew of it when the decision was learned.
    if (sequence > strikes_known_until_) {
      if (auto failure = rebuild(sequence, store)) return std::move(*failure);
    }
    version_ = sequence;
  } else if (entry.completes) {
    const std::span<const Sequence> decisions = entry.kind == EntryKind::kMissing
                                                    ? std::span(entry.missing)
                                                    : std::span(&entry.decision, 1);
    auto learned = learn(sequence, decisions, entry.value, store);
    if (!learned.ok()) return learned;
    lessons = std::move(learned).value();
  }
  within_ = 0;
  position_ = sequence;
  return lessons;
}

std::optional<Failure> Replayer::apply(Sequence sequence, const Entry& entry,
                                       const DecisionLesson& decision) {
  if (entry.completes) {
    if (auto failure = learn(sequence, decision, entry.value)) return failure;
  }
  position_ = sequence;
  return std::nullopt;
}

Result<std::vector<Lesson>> Replayer::learn(Sequence sequence, std::span<const Sequence> decisions,
                                            double reward, const EventStore& store) {
  const auto left = decisions.subspan(std::min(within_, decisions.size()));
  if (strikes_known_until_ == 0) strikes_known_until_ = store.head().last;
  std::vector<Lesson> lessons;
  lessons.reserve(left.size());
  std::optional<Failure> failure;
  const Status read = store.lessons_of(left, [&](Sequence decision, const DecisionLesson& found) {
    if (decision != left[lessons.size()]) return false;  // one is missing
    if (!store.is_struck(decision)) failure = learn(sequence, found, reward);
    if (failure) return false;
    lessons.push_back({reward, found.probability, found.chosen == found.baseline});
    ++within_;
    return true;
  });
  if (failure) return std::move(*failure);
  if (!read.ok()) return read.failure();
  if (lessons.size() != left.size()) {
    return Failure{Failure::Code::kInternal,
                   "record " + std::to_string(sequence) + " is about a missing decision"};
  }
  return lessons;
}

std::optional<Failure> Replayer::learn(Sequence sequence, const DecisionLesson& decision,
                                       double reward) {
  if (!decision.teaches()) return std::nullopt;
  const auto request = read_chosen_action(decision.request, decision.chosen);
  if (!request.ok()) {
    return Failure{Failure::Code::kInternal, "the request of event '" + decision.event_id +
                                                 "': " + request.failure().message};
  }
  try {
    const HashedFeatures context = request.value().context();
    const OfferedAction action = request.value().offered(0);
    double value = decision.value;
    if (by_others_) {
      Forecast own;
      agent_->decide(context, {&action, 1}, std::nullopt, {&own, 1});
      value = own.value;
    }
    // Each reward is in the agent's range, but their sum may not be.
    const RewardRange range = agent_->rewards();
    whole([&] {
      agent_->learn(context, action, value, std::clamp(reward, range.min, range.max),
                    decision.probability);
      return true;
    });
  } catch (const Error& error) {  // the agent refuses it before it learns anything
    unfinished_ = false;
    return Failure{Failure::Code::kInternal,
                   "record " + std::to_string(sequence) + ": " + error.what()};
  }
  version_ = sequence;
  return std::nullopt;
}

std::optional<Failure> Replayer::set_policy(Sequence sequence, const std::string& text,
                                            const EventStore& store) {
  const auto change = read_policy_change(text);
  if (!change.ok()) return change.failure();
  const auto& [policy, model] = change.value();
  if (model.empty() && policy.agent == agent_->spec()) return std::nullopt;  // only its name is new
  try {
    Replayer next = with_agent(policy.agent);
    if (!model.empty()) {
      const auto file = loaded_file(folder_, model);
      next.load(read_file(file), file.string());
      if (auto failure = next.catch_up(sequence - 1, store)) return failure;
      // What the file has learned cannot be struck.
      next.strikes_known_until_ = strikes_known_until_;
    }
    *this = std::move(next);
  } catch (const std::exception& error) {
    return Failure{Failure::Code::kInternal, error.what()};
  }
  return std::nullopt;
}

std::optional<Failure> Replayer::begin_trial(Sequence sequence, const std::string& text) {
  auto plan = read_trial_plan(text);
  if (!plan.ok()) return plan.failure();
  try {
    trial_ = std::make_unique<Trial>(std::move(plan).value(), sequence, folder_, seed_);
  } catch (const std::exception& error) {
    return Failure{Failure::Code::kInternal, error.what()};
  }
  trial_begun_ = sequence;
  return std::nullopt;
}

std::optional<Failure> Replayer::end_trial(Sequence sequence, const std::string& text,
                                           const EventStore& store) {
  const auto end = read_trial_end(text);
  if (!end.ok()) return end.failure();
  if (!trial_ || trial_->plan().id != end.value().id) return std::nullopt;
  auto followed = whole([&] { return trial_->follow(sequence - 1, store); });
  if (followed) return followed;
  ended_ = trial_->state();
  ended_->outcome = end.value().outcome;
  ended_->ended = end.value().time;
  if (end.value().outcome == GateOutcome::kPromoted) {
    auto finished = whole([&] { return trial_->finish(sequence - 1, store); });
    if (finished) return finished;
    agent_ = trial_->take_agent();
    spec_ = agent_->spec();
    schema_ = schema_of(*agent_, seed_);
    version_ = sequence;
  }
  trial_.reset();
  return std::nullopt;
}

std::optional<Failure> Replayer::follow_trial(const EventStore& store) {
  const Sequence position = position_;
  if (auto failure = mend(position + 1, store)) return failure;
  reach(position);
  if (!trial_) return std::nullopt;
  auto followed = whole([&] { return trial_->follow(position, store); });
  if (followed) return followed;
  trial_position_ = position;
  return std::nullopt;
}

std::optional<GateState> Replayer::gate() const { return trial_ ? trial_->state() : ended_; }

void Replayer::save_trial(StateWriter& writer) const {
  writer("gate_ended", ended_ ? write_gate_state(*ended_) : std::string());
  writer("trial_plan", trial_ ? write_trial_plan(trial_->plan()) : std::string());
  if (!trial_) return;
  writer("trial_begun", trial_begun_);
  trial_->save(writer);
}

void Replayer::load_trial(StateReader& reader) {
  const std::string ended = reader.take_string("gate_ended");
  if (!ended.empty()) ended_ = good(read_gate_state(ended));
  const std::string plan = reader.take_string("trial_plan");
  if (plan.empty()) return;
  reader("trial_begun", trial_begun_);
  trial_ = std::make_unique<Trial>(good(read_trial_plan(plan)), trial_begun_, folder_, seed_);
  trial_->load(reader);
  trial_position_ = position_;
}

std::optional<Failure> Replayer::catch_up(Sequence until, const EventStore& store) {
  std::optional<Failure> failure;
  by_others_ = true;
  const Status read = store.entries(position_ + 1, [&](Sequence sequence, const Entry& entry) {
    if (sequence > until) return false;
    if (entry.completes) {
      const auto applied = apply(sequence, entry, store);
      if (!applied.ok()) failure = applied.failure();
    }
    return !failure;
  });
  by_others_ = false;
  if (!read.ok()) return read.failure();
  if (!failure) reach(until);
  return failure;
}

std::optional<Failure> Replayer::rebuild(Sequence until, const EventStore& store) {
  Replayer anew(folder_, first_spec_, seed_);
  const Sequence head = store.head().last;
  try {
    anew.load_base();
  } catch (const std::exception& error) {
    return Failure{Failure::Code::kInternal, error.what()};
  }
  anew.strikes_known_until_ = head;
  std::optional<Failure> failure;
  const Status read =
      store.entries(anew.position() + 1, [&](Sequence sequence, const Entry& entry) {
        if (sequence >= until) return false;
        const auto applied = anew.apply(sequence, entry, store);
        if (!applied.ok()) failure = applied.failure();
        return applied.ok();
      });
  if (!read.ok()) return read.failure();
  if (failure) return failure;
  *this = std::move(anew);
  return std::nullopt;
}

std::optional<Failure> Replayer::mend(Sequence until, const EventStore& store) {
  return unfinished_ ? rebuild(until, store) : std::nullopt;
}

std::string Replayer::model() const { return write_model(*agent_, {schema_, position_, version_}); }

std::string Replayer::everything() const {
  StateWriter more;
  if (trial_ || ended_) save_trial(more);
  return write_model(*agent_, {schema_, position_, version_}, more.bytes());
}

TrainedOnLog trained_on_log(const std::filesystem::path& folder, const std::string& spec,
                            std::uint64_t seed, const SharedStore& store,
                            const std::atomic<bool>& stop) {
  constexpr Sequence kRecordsAtOnce = 4096;
  Replayer replayer(folder, spec, seed);
  const LogHead head = store.read([](const EventStore& events) { return events.head(); });
  replayer.reach(store.read([](const EventStore& events) { return events.base(); }).last);
  while (replayer.position() < head.last) {
    if (stop) throw Error("the service is stopping");
    const Sequence until = std::min(head.last, replayer.position() + kRecordsAtOnce);
    const auto failure =
        store.read([&](const EventStore& events) { return replayer.catch_up(until, events); });
    if (failure) throw Error(failure->message);
  }
  return {std::move(replayer), head.waiting_from};
}

std::filesystem::path snapshot_file(const std::filesystem::path& folder) {
  return folder / "model.sau";
}
std::filesystem::path base_file(const std::filesystem::path& folder) { return folder / "base.sau"; }
std::filesystem::path loaded_file(const std::filesystem::path& folder, const std::string& name) {
  return folder / "models" / name;
}
std::filesystem::path log_folder(const std::filesystem::path& folder) { return folder / "log"; }
std::filesystem::path settings_file(const std::filesystem::path& folder) {
  return folder / "service.json";
}

}  // namespace sau::detail
