#include "serve/replayer.hpp"

#include <algorithm>
#include <utility>

#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/serve/rank_request.hpp"
#include "serve/model_file.hpp"

namespace sau::detail {

Replayer::Replayer(std::filesystem::path folder, std::string spec, std::uint64_t seed)
    : folder_(std::move(folder)),
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
  loaded_ = position_;
}

bool Replayer::load_base() {
  const auto base = base_file(folder_);
  if (!std::filesystem::exists(base)) return false;
  take(read_file(base), base.string());
  loaded_ = 0;  // the events it has learned from cannot be struck
  return true;
}

Result<std::vector<Lesson>> Replayer::apply(Sequence sequence, const Entry& entry,
                                            const EventStore& store) {
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
  } else if (entry.kind == EntryKind::kStruck) {
    if (auto failure = rebuild(sequence, store)) return std::move(*failure);
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
                                       const Decision& decision) {
  if (entry.completes) {
    if (auto failure = learn(sequence, decision, entry.value)) return failure;
  }
  position_ = sequence;
  return std::nullopt;
}

Result<std::vector<Lesson>> Replayer::learn(Sequence sequence, std::span<const Sequence> decisions,
                                            double reward, const EventStore& store) {
  const auto left = decisions.subspan(std::min(within_, decisions.size()));
  std::vector<Lesson> lessons;
  const Status read = store.decisions_of(left, [&](Sequence decision, Decision found) {
    lessons.push_back({decision, std::move(found), reward});
  });
  if (!read.ok()) return read.failure();
  if (lessons.size() != left.size()) {
    return Failure{Failure::Code::kInternal,
                   "record " + std::to_string(sequence) + " is about a missing decision"};
  }
  for (const Lesson& lesson : lessons) {
    if (!store.is_struck(lesson.sequence)) {
      if (auto failure = learn(sequence, lesson.decision, reward)) return std::move(*failure);
    }
    ++within_;
  }
  return lessons;
}

std::optional<Failure> Replayer::learn(Sequence sequence, const Decision& decision, double reward) {
  if (decision.mode == LearningMode::kLoggingOnly) return std::nullopt;
  const auto request = read_chosen_action(decision.request, decision.chosen);
  if (!request.ok()) {
    return Failure{Failure::Code::kInternal, "the request of event '" + decision.event_id +
                                                 "': " + request.failure().message};
  }
  try {
    // Each reward is in the agent's range, but their sum may not be.
    const RewardRange range = agent_->rewards();
    agent_->learn(request.value().context(), request.value().offered(0),
                  decision.actions[decision.chosen].value,
                  std::clamp(reward, range.min, range.max));
  } catch (const Error& error) {
    return Failure{Failure::Code::kInternal,
                   "record " + std::to_string(sequence) + ": " + error.what()};
  }
  version_ = sequence;
  return std::nullopt;
}

std::optional<Failure> Replayer::rebuild(Sequence until, const EventStore& store) {
  // Without a loaded file everything was learned from the log, which leaves out struck decisions.
  if (loaded_ == 0) return std::nullopt;
  Replayer anew(folder_, spec_, seed_);
  try {
    anew.load_base();
  } catch (const std::exception& error) {
    return Failure{Failure::Code::kInternal, error.what()};
  }
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

std::string Replayer::model() const { return write_model(*agent_, {schema_, position_, version_}); }

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
