#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "sau/agent/joint_agent.hpp"
#include "sau/store/event_store.hpp"

namespace sau::detail {

// What an entry taught.
struct Lesson {
  Decision decision;
  double reward = 0.0;
};

// An agent that learns from the log, entry by entry: the server's, and the one that checks it. Its
// state is a function of the entries alone.
class Replayer {
 public:
  Replayer(std::filesystem::path folder, std::string spec, std::uint64_t seed);

  // Takes one over as it was written; throws Error when it does not fit.
  void load(std::string_view bytes, const std::string& name);

  // Entries must come in order. A failure is one of the store or of a model file; the agent is as
  // before.
  Result<std::optional<Lesson>> apply(Sequence sequence, const Entry& entry,
                                      const EventStore& store);

  // All up to here was applied, though it ends with something that is not an entry.
  void reach(Sequence sequence) noexcept { position_ = sequence; }

  std::string model() const;
  JointAgent& agent() noexcept { return *agent_; }
  const JointAgent& agent() const noexcept { return *agent_; }
  Sequence position() const noexcept { return position_; }
  // The latest entry that changed the agent.
  Sequence version() const noexcept { return version_; }
  const std::string& schema() const noexcept { return schema_; }

 private:
  std::filesystem::path folder_;
  std::string spec_;
  std::uint64_t seed_;
  std::unique_ptr<JointAgent> agent_;
  std::string schema_;
  Sequence position_ = 0, version_ = 0;
};

// Places in the folder of a service.
std::filesystem::path snapshot_file(const std::filesystem::path& folder);
// The model from which the log that is left goes on, once its beginning was removed.
std::filesystem::path base_file(const std::filesystem::path& folder);
std::filesystem::path loaded_file(const std::filesystem::path& folder, const std::string& name);
std::filesystem::path events_folder(const std::filesystem::path& folder);
std::filesystem::path settings_file(const std::filesystem::path& folder);

}  // namespace sau::detail
