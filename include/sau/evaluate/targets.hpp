#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/agent/offer_agent.hpp"
#include "sau/evaluate/logged_choice.hpp"

namespace sau {

// How an agent of the catalogue becomes a policy.
enum class Learning : std::uint8_t {
  kFollowing,  // learns from every logged decision after it was scored on it
  kFrozen,     // learned from the first part of the log, or elsewhere, and stays as it is
  kReplayed,   // learns only from decisions that it accepts, as if it had made them
};
constexpr std::array<std::string_view, 3> enum_names(Learning) {
  return {"following", "frozen", "replayed"};
}

// A policy that did not make the log.
class Target {
 public:
  virtual ~Target() = default;

  // As it was named.
  const std::string& name() const noexcept { return name_; }
  // The agent's canonical spec; empty for the simple policies, which never learn.
  virtual std::string agent() const { return {}; }

  // The chance of every action; those of excluded actions are 0.
  virtual void probabilities(const LoggedChoice& choice, std::span<double> out) = 0;
  // Call it after the last decision. Says why the policy cannot be what the caller meant; empty if
  // it can be.
  virtual std::string complaint() const { return {}; }
  // Learns from a logged decision. The simple policies ignore it.
  virtual void learn(const LoggedChoice&) {}

 protected:
  explicit Target(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

struct TargetInfo {
  std::string_view name, summary;
};
// The policies that are not agents.
std::span<const TargetInfo> list_targets();

// A policy by name: one of list_targets(), or an agent of the catalogue for actions by id. Throws
// UsageError if it is neither.
std::unique_ptr<Target> make_target(std::string_view spec, std::uint64_t seed);
// An agent as a policy.
std::unique_ptr<Target> agent_target(std::string name, std::unique_ptr<OfferAgent> agent);

// An agent that decides on logged decisions and learns from them.
class AgentOnLog {
 public:
  explicit AgentOnLog(std::unique_ptr<OfferAgent> agent) : agent_(std::move(agent)) {}

  const std::string& spec() const noexcept { return agent_->spec(); }
  // Valid until the next call.
  std::span<const Forecast> decide(const LoggedChoice& choice);
  // Throws Error if the agent has broken down.
  void learn(const LoggedChoice& choice);

 private:
  std::unique_ptr<OfferAgent> agent_;
  std::vector<Forecast> forecasts_;
  std::optional<std::uint64_t> decided_;  // the line of forecasts_, if nothing was learned since
};

// A model of the reward: predicts the reward of every action on offer. Its predictions for a
// decision come from earlier decisions only.
class RewardModel {
 public:
  // A model of the catalogue. Throws UsageError if it is unknown.
  RewardModel(std::string_view model, std::uint64_t seed);

  // Predictions that are no numbers become the mean reward so far.
  void predict(const LoggedChoice& choice, std::span<double> out);
  void learn(const LoggedChoice& choice);

 private:
  AgentOnLog agent_;
  std::uint64_t count_ = 0;
  double mean_ = 0.0;
};

}  // namespace sau
