#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sau/agent/offer_agent.hpp"
#include "sau/store/event_store.hpp"

namespace sau::detail {

// What an entry taught.
struct Lesson {
  Sequence sequence = 0;  // of the decision
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
  // Likewise the one that the log goes on from, if there is one; returns whether there is.
  bool load_base();

  // Entries must come in order. A failure is one of the store or of a model file; the same entry
  // may be tried again and goes on where it failed.
  Result<std::vector<Lesson>> apply(Sequence sequence, const Entry& entry, const EventStore& store);
  // Whether it stands between two entries, as model() needs it.
  bool between_entries() const noexcept { return within_ == 0; }

  // All up to here was applied, though it ends with something that is not an entry.
  void reach(Sequence sequence) noexcept { position_ = sequence; }

  std::string model() const;
  OfferAgent& agent() noexcept { return *agent_; }
  const OfferAgent& agent() const noexcept { return *agent_; }
  Sequence position() const noexcept { return position_; }
  // The latest entry that changed the agent.
  Sequence version() const noexcept { return version_; }
  const std::string& schema() const noexcept { return schema_; }

 private:
  void take(std::string_view bytes, const std::string& name);
  Result<std::vector<Lesson>> learn(Sequence sequence, std::span<const Sequence> decisions,
                                    double reward, const EventStore& store);
  std::optional<Failure> learn(Sequence sequence, const Decision& decision, double reward);
  // As if the decisions that are struck by now had never been learned from.
  std::optional<Failure> rebuild(Sequence until, const EventStore& store);

  std::filesystem::path folder_;
  std::string spec_;
  std::uint64_t seed_;
  std::unique_ptr<OfferAgent> agent_;
  std::string schema_;
  Sequence position_ = 0, version_ = 0;
  // What was learned up to here came from a file, written when less may have been struck.
  Sequence loaded_ = 0;
  std::size_t within_ = 0;  // decisions of the next entry that are learned already
};

// Places in the folder of a service.
std::filesystem::path snapshot_file(const std::filesystem::path& folder);
// The model from which the log that is left goes on, once its beginning was removed.
std::filesystem::path base_file(const std::filesystem::path& folder);
std::filesystem::path loaded_file(const std::filesystem::path& folder, const std::string& name);
std::filesystem::path log_folder(const std::filesystem::path& folder);
std::filesystem::path settings_file(const std::filesystem::path& folder);

}  // namespace sau::detail
