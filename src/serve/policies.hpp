#pragma once

#include <atomic>
#include <filesystem>
#include <string_view>
#include <utility>

#include "sau/serve/gate.hpp"
#include "serve/event_ids.hpp"
#include "serve/journal.hpp"
#include "serve/settings.hpp"
#include "serve/shared_store.hpp"

namespace sau::detail {

// The policy of a folder: which agent decides, which candidate is watched, and how that changes.
// Thread-safe.
class Policies {
 public:
  Policies(std::filesystem::path folder, const FolderSettings& settings,
           const Current<Configuration>& configuration, const SharedStore& store, Journal& journal)
      : folder_(std::move(folder)),
        settings_(settings),
        configuration_(configuration),
        store_(store),
        journal_(journal) {}

  // Agents that are learning from the log give up.
  void stop() noexcept { stopping_ = true; }

  // The policy that decides. Its agent is never empty, even if it is the folder's.
  Policy present() const { return whole(configuration_.get()->policy); }

  // {"name", "arguments"}. Another agent begins with a model that has learned nothing.
  void set(std::string_view json, const Answer<Policy>& answer);
  // Back to the agent that the folder was made with.
  void reset(Answer<Policy> answer);
  // The agent learns from the whole log first, which takes a while: the caller waits. Then it
  // decides, and has learned from everything that came meanwhile, too.
  void apply_trained(const Policy& policy, const Answer<Policy>& answer);

  // Back to an earlier model (serve/versions.hpp), and to its agent.
  void roll_back(Sequence version, const Answer<Done>& answer);

  // The candidate learns from the whole log first, as with apply_trained(). Then it is watched.
  void begin_trial(const GateRequest& request, const Answer<Done>& answer);
  void end_trial(GateOutcome outcome, Answer<Done> answer);
  // The evidence is enough: ends the trial, unless that is under way.
  void judged(const std::string& trial, GateOutcome verdict);

 private:
  Policy whole(Policy policy) const;
  // Why the agent cannot be used here; nothing if it can.
  std::optional<Failure> check(const Policy& policy) const;
  void submit(const Policy& policy, std::string model, Answer<Policy> answer);

  std::filesystem::path folder_;
  const FolderSettings& settings_;
  const Current<Configuration>& configuration_;
  const SharedStore& store_;
  Journal& journal_;
  EventIds ids_;
  std::atomic<bool> judging_{false}, stopping_{false};
};

// {"name", "arguments", "margin", "alpha", "automatic"}, of which only the first two are needed.
Result<GateRequest> read_gate_request(std::string_view body);

// Writes a model to models/ under its checksum, and returns that name.
std::string keep_model(const std::filesystem::path& folder, std::string_view bytes);

}  // namespace sau::detail
