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

// One event to learn from.
struct Lesson {
  Sequence sequence = 0;  // of the decision
  Decision decision;
  double reward = 0.0;
};

// An agent that learns from the log, entry by entry. Used by the server, and to check the server's
// model. Its state depends only on the entries.
class Replayer {
 public:
  Replayer(std::filesystem::path folder, std::string spec, std::uint64_t seed);

  // Loads a model file; throws Error when it belongs to another agent.
  void load(std::string_view bytes, const std::string& name);
  // Loads base.sau in the same way, if there is one; returns whether there is.
  bool load_base();

  // Entries must come in order. Fails if the store or a model file fails. Applying the same entry
  // again continues where it failed.
  Result<std::vector<Lesson>> apply(Sequence sequence, const Entry& entry, const EventStore& store);
  // The same for an entry about this decision alone, which need not be in a store yet.
  std::optional<Failure> apply(Sequence sequence, const Entry& entry, const Decision& decision);
  // Whether no entry is half applied, as model() requires.
  bool between_entries() const noexcept { return within_ == 0; }

  // Everything up to here was applied; for a log that ends in decisions.
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
  // Learns from the log again, without the decisions that are struck by now.
  std::optional<Failure> rebuild(Sequence until, const EventStore& store);

  std::filesystem::path folder_;
  std::string spec_;
  std::uint64_t seed_;
  std::unique_ptr<OfferAgent> agent_;
  std::string schema_;
  Sequence position_ = 0, version_ = 0;
  // What was learned up to here came from a file; some of it may have been struck since.
  Sequence loaded_ = 0;
  std::size_t within_ = 0;  // how many decisions of the next entry are learned already
};

// Paths in the folder of a service.
std::filesystem::path snapshot_file(const std::filesystem::path& folder);
// The model that replaces the beginning of the log, once that was removed.
std::filesystem::path base_file(const std::filesystem::path& folder);
std::filesystem::path loaded_file(const std::filesystem::path& folder, const std::string& name);
std::filesystem::path log_folder(const std::filesystem::path& folder);
std::filesystem::path settings_file(const std::filesystem::path& folder);

}  // namespace sau::detail
