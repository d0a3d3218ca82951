#include "serve/replayer.hpp"

#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/serve/rank_request.hpp"
#include "serve/model_file.hpp"

namespace sau::detail {

Replayer::Replayer(std::filesystem::path folder, std::string spec, std::uint64_t seed)
    : folder_(std::move(folder)),
      spec_(std::move(spec)),
      seed_(seed),
      agent_(make_joint_agent(spec_, seed_)),
      schema_(schema_of(*agent_, seed_)) {}

void Replayer::load(std::string_view bytes, const std::string& name) {
  auto agent = make_joint_agent(spec_, seed_);
  const ModelHead head = read_model(bytes, name, schema_, *agent);
  agent_ = std::move(agent);
  position_ = head.position;
  version_ = head.version;
}

Result<std::optional<Lesson>> Replayer::apply(Sequence sequence, const Entry& entry,
                                              const EventStore& store) {
  std::optional<Lesson> lesson;
  if (entry.kind == EntryKind::kModelReset) {
    agent_ = make_joint_agent(spec_, seed_);
    version_ = sequence;
  } else if (entry.kind == EntryKind::kModelLoaded) {
    const auto file = loaded_file(folder_, entry.text);
    try {
      load(read_file(file), file.string());
      version_ = sequence;
    } catch (const Error& error) {
      return Failure{Failure::Code::kInternal, error.what()};
    }
  } else if (entry.completes) {
    auto found = store.decision(entry.decision);
    if (!found.ok()) return found.failure();
    if (!found.value()) {
      return Failure{Failure::Code::kInternal,
                     "record " + std::to_string(sequence) + " is about decision " +
                         std::to_string(entry.decision) + ", which is not there"};
    }
    lesson = Lesson{.decision = std::move(*found.value()), .reward = entry.value};
    if (lesson->decision.mode != LearningMode::kLoggingOnly) {
      const auto request = read_rank_request(lesson->decision.request, RequestLimits::none());
      if (!request.ok()) {
        return Failure{Failure::Code::kInternal, "the request of record " +
                                                     std::to_string(entry.decision) + ": " +
                                                     request.failure().message};
      }
      const std::size_t chosen = lesson->decision.chosen;
      try {
        agent_->learn(request.value().context(), request.value().offered(chosen),
                      lesson->decision.actions[chosen].value, entry.value);
      } catch (const Error& error) {
        return Failure{Failure::Code::kInternal,
                       "record " + std::to_string(sequence) + ": " + error.what()};
      }
      version_ = sequence;
    }
  }
  position_ = sequence;
  return lesson;
}

std::string Replayer::model() const { return write_model(*agent_, {schema_, position_, version_}); }

std::filesystem::path snapshot_file(const std::filesystem::path& folder) {
  return folder / "model.sau";
}
std::filesystem::path base_file(const std::filesystem::path& folder) { return folder / "base.sau"; }
std::filesystem::path loaded_file(const std::filesystem::path& folder, const std::string& name) {
  return folder / "models" / name;
}
std::filesystem::path events_folder(const std::filesystem::path& folder) {
  return folder / "events";
}
std::filesystem::path settings_file(const std::filesystem::path& folder) {
  return folder / "service.json";
}

}  // namespace sau::detail
