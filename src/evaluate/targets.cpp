#include "sau/evaluate/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/spec.hpp"

namespace sau {
namespace {

// The policy that made the log.
class LoggedTarget final : public Target {
 public:
  static constexpr TargetInfo kInfo{"logged", "the policy that made the log"};
  using Options = NoOptions;
  explicit LoggedTarget(std::string name, const Options&) : Target(std::move(name)) {}

  // If the other chances are unknown, that of the chosen action is enough for a weight of 1.
  void probabilities(const LoggedChoice& choice, std::span<double> out) override {
    if (choice.chances.empty()) {
      std::ranges::fill(out, 0.0);
      out[choice.chosen] = choice.chance;
    } else {
      std::ranges::copy(choice.chances, out.begin());
    }
  }
};

class UniformTarget final : public Target {
 public:
  static constexpr TargetInfo kInfo{"uniform", "every action with the same chance"};
  using Options = NoOptions;
  explicit UniformTarget(std::string name, const Options&) : Target(std::move(name)) {}

  void probabilities(const LoggedChoice& choice, std::span<double> out) override {
    const double each = 1.0 / static_cast<double>(choice.offered());
    std::ranges::transform(choice.actions, out.begin(),
                           [each](const OfferedAction& a) { return a.excluded ? 0.0 : each; });
  }
};

class FirstTarget final : public Target {
 public:
  static constexpr TargetInfo kInfo{"first", "the caller's first action: Personalizer's baseline"};
  using Options = NoOptions;
  explicit FirstTarget(std::string name, const Options&) : Target(std::move(name)) {}

  void probabilities(const LoggedChoice& choice, std::span<double> out) override {
    std::ranges::fill(out, 0.0);
    const auto first = std::ranges::find(choice.actions, false, &OfferedAction::excluded);
    out[static_cast<std::size_t>(first - choice.actions.begin())] = 1.0;
  }
};

struct ConstantOptions {
  std::string action;
  void fields(auto&& field) { field("action", action, "id of the action"); }
  void check() const {
    if (action.empty()) throw UsageError("constant: give the action's id: constant(action=ID)");
  }
};

class ConstantTarget final : public Target {
 public:
  static constexpr TargetInfo kInfo{
      "constant", "always constant(action=ID); the first action where it is not on offer"};
  using Options = ConstantOptions;
  explicit ConstantTarget(std::string name, const Options& options)
      : Target(std::move(name)), id_(options.action) {}

  void probabilities(const LoggedChoice& choice, std::span<double> out) override {
    std::ranges::fill(out, 0.0);
    const auto free = [](const OfferedAction& a) { return !a.excluded; };
    auto found = std::ranges::find_if(
        choice.actions, [&](const OfferedAction& a) { return free(a) && a.id == id_; });
    if (found == choice.actions.end()) {
      found = std::ranges::find_if(choice.actions, free);
    } else {
      offered_ = true;
    }
    out[static_cast<std::size_t>(found - choice.actions.begin())] = 1.0;
  }

  std::string complaint() const override {
    return offered_ ? ""
                    : fmt::format("the action '{}' is on offer in no decision of the log", id_);
  }

 private:
  std::string id_;
  bool offered_ = false;  // at least once
};

class AgentTarget final : public Target {
 public:
  AgentTarget(std::string name, std::unique_ptr<OfferAgent> agent)
      : Target(std::move(name)), agent_(std::move(agent)) {}

  std::string agent() const override { return agent_.spec(); }

  void probabilities(const LoggedChoice& choice, std::span<double> out) override {
    std::ranges::transform(agent_.decide(choice), out.begin(), &Forecast::probability);
  }
  void learn(const LoggedChoice& choice) override { agent_.learn(choice); }

 private:
  AgentOnLog agent_;
};

struct TargetEntry {
  TargetInfo info;
  std::unique_ptr<Target> (*make)(std::string name, const Params& params);
};

template <class T>
constexpr TargetEntry entry_of() {
  return {T::kInfo, [](std::string name, const Params& params) -> std::unique_ptr<Target> {
            const auto options = read_options<typename T::Options>(T::kInfo.name, params);
            return std::make_unique<T>(std::move(name), options);
          }};
}

constexpr std::array kTargets = {entry_of<LoggedTarget>(), entry_of<UniformTarget>(),
                                 entry_of<FirstTarget>(), entry_of<ConstantTarget>()};

}  // namespace

std::span<const TargetInfo> list_targets() {
  static const auto kInfos = [] {
    std::array<TargetInfo, kTargets.size()> infos{};
    std::ranges::transform(kTargets, infos.begin(), &TargetEntry::info);
    return infos;
  }();
  return kInfos;
}

std::unique_ptr<Target> make_target(std::string_view spec, std::uint64_t seed) {
  if (split_specs(spec, '+').size() == 1) {
    const Spec read = parse_spec(spec);
    for (const TargetEntry& entry : kTargets) {
      if (entry.info.name == read.name) return entry.make(std::string(spec), read.params);
    }
  }
  try {
    return agent_target(std::string(spec), make_offer_agent(spec, seed));
  } catch (const UsageError& error) {
    std::string known;
    for (const TargetEntry& entry : kTargets) {
      known += (known.empty() ? "" : ", ") + std::string(entry.info.name);
    }
    throw UsageError(fmt::format("policy '{}': {}. A policy is an agent of sau list, or {}", spec,
                                 error.what(), known));
  }
}

std::unique_ptr<Target> agent_target(std::string name, std::unique_ptr<OfferAgent> agent) {
  return std::make_unique<AgentTarget>(std::move(name), std::move(agent));
}

std::span<const Forecast> AgentOnLog::decide(const LoggedChoice& choice) {
  forecasts_.resize(choice.actions.size());
  agent_->decide(choice.context, choice.actions, std::nullopt, forecasts_);
  decided_ = choice.line;
  return forecasts_;
}

void AgentOnLog::learn(const LoggedChoice& choice) {
  OfferedAction action = choice.actions[choice.chosen];
  action.excluded = false;
  Forecast before;
  if (decided_ == choice.line) {
    before = forecasts_[choice.chosen];
  } else {
    agent_->decide(choice.context, {&action, 1}, std::nullopt, {&before, 1});
  }
  agent_->learn(choice.context, action, before.value, choice.reward, choice.chance);
  decided_.reset();
  if (const std::string fault = agent_->fault(); !fault.empty()) {
    throw Error(agent_->spec() + ": " + fault);
  }
}

RewardModel::RewardModel(std::string_view model, std::uint64_t seed)
    : agent_(make_offer_agent(std::string(model) + "+greedy", seed)) {}

void RewardModel::predict(const LoggedChoice& choice, std::span<double> out) {
  std::ranges::transform(agent_.decide(choice), out.begin(), [this](const Forecast& forecast) {
    return std::isfinite(forecast.value) ? forecast.value : mean_;
  });
}

void RewardModel::learn(const LoggedChoice& choice) {
  agent_.learn(choice);
  ++count_;
  mean_ += (choice.reward - mean_) / static_cast<double>(count_);
}

}  // namespace sau
