#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sau/agent/agent.hpp"
#include "sau/agent/any_agent.hpp"
#include "sau/agent/door_checks.hpp"
#include "sau/core/error.hpp"
#include "sau/explore/sau_state.hpp"
#include "sau/problem/bernoulli.hpp"

namespace sau {

// A model and a strategy, of the library or your own, behind the interface AnyAgent. That is what
// the runner plays (play_trial in run/runner.hpp), save_agent writes and the report is made of. The
// catalogue makes its agents with it. `spec` is the name of the agent in all of these.
//
// A problem so cheap that a virtual call per step would show, Bernoulli, is inlined into the loop
// of agents that ignore contexts.
template <class M, class S>
class AgentOf final : public AnyAgent {
 public:
  AgentOf(std::string spec, Shape shape, M model, S strategy)
      : spec_(std::move(spec)), shape_(shape), agent_(std::move(model), std::move(strategy)) {}

  const std::string& spec() const noexcept override { return spec_; }
  Shape shape() const noexcept override { return shape_; }
  RewardRange rewards() const noexcept override { return kRewards; }

  Choice choose(Context x, Rng& rng) override {
    check_context(x, shape_);
    return agent_.choose(x, rng);
  }

  void learn(Context x, Choice made, double reward) override {
    check_context(x, shape_);
    check_action(made, shape_);
    check_reward(reward, kRewards, strictest<M, S>());
    agent_.learn(x, made, reward);
  }

  void probabilities(Context x, std::span<double> out) override {
    check_context(x, shape_);
    check_room(out, shape_);
    agent_.probabilities(x, out);
  }

  void last_probabilities(Context x, std::span<double> out) override {
    check_context(x, shape_);
    check_room(out, shape_);
    agent_.last_probabilities(x, out);
  }

  std::span<const double> values(Context x) override {
    check_context(x, shape_);
    return agent_.values(x);
  }

  std::string fault() const override { return agent_.fault(); }
  std::vector<MemberRecord> members() const override {
    if constexpr (requires { agent_.model().members(); }) return agent_.model().members();
    return {};
  }

  std::vector<ActionColumn> evidence() const override {
    std::vector<ActionColumn> columns;
    add_columns(agent_.explorer().evidence(), columns);
    add_columns(agent_.model(), columns);
    return columns;
  }

  std::vector<double> uncertainty(Context x) override {
    check_context(x, shape_);
    const auto copy = [](std::span<const double> from) {
      return std::vector<double>(from.begin(), from.end());
    };
    const auto& evidence = agent_.explorer().evidence();
    if constexpr (requires { evidence.spread(); }) {
      return evidence.spread();
    } else if constexpr (requires { evidence.width(); }) {
      return copy(evidence.width());
    } else if constexpr (DisagreementModel<M>) {
      return copy(agent_.model().disagreement(x));
    } else if constexpr (PosteriorModel<M>) {
      std::vector<double> result;
      for (const auto& marginal : agent_.model().marginals(x)) {
        result.push_back(spread_of(marginal));
      }
      return result;
    } else if constexpr (WidthModel<M>) {
      return copy(agent_.model().widths(x));
    } else {
      return AnyAgent::uncertainty(x);
    }
  }

  bool linear() const noexcept override {
    return requires { requires M::kLinear; };
  }

  void play(Problem& problem, Streams& rng, std::uint64_t steps, Recorder& record) override {
    check_problem(problem, shape_, kRewards, strictest<M, S>());
    if constexpr (!M::kUsesContext) {
      if (auto* cheap = dynamic_cast<Bernoulli*>(&problem)) {
        return sau::play(*cheap, agent_, rng, steps, record);
      }
    }
    sau::play(problem, agent_, rng, steps, record);
  }

  void merge(const AnyAgent& other) override {
    if (other.spec() != spec_ || other.shape() != shape_) {
      throw Error("merge: cannot add " + other.spec() + " for " + describe(other.shape()) + " to " +
                  spec_ + " for " + describe(shape_));
    }
    if constexpr (Mergeable<M> && Mergeable<Explorer<S>>) {
      if (can_merge(agent_.model()) && can_merge(agent_.explorer().evidence())) {
        const auto& from = static_cast<const AgentOf&>(other).agent_;
        agent_.model().merge(from.model());
        agent_.explorer().merge(from.explorer());
        return;
      }
    }
    throw Error("merge: " + spec_ + " cannot be merged; its state is not a sum");
  }

  std::unique_ptr<AnyAgent> clone() const override { return std::make_unique<AgentOf>(*this); }

  void save(StateWriter& writer) const override {
    M::state(agent_.model(), writer);
    Explorer<S>::state(agent_.explorer(), writer);
  }

  void load(StateReader& reader) override {
    M::state(agent_.model(), reader);
    Explorer<S>::state(agent_.explorer(), reader);
    if constexpr (requires { agent_.model().restored(); }) agent_.model().restored();
    agent_.explorer().restored();
  }

 private:
  static constexpr RewardRange kRewards = rewards_with<S>(M::kRewards);

  // Adds the columns of the model or of the evidence, except those whose names are there already.
  template <class Part>
  static void add_columns(const Part& part, std::vector<ActionColumn>& to) {
    const auto add = [&to](const char* name, const char* meaning, const std::vector<double>& all) {
      if (std::ranges::find(to, name, &ActionColumn::name) == to.end()) {
        to.push_back({name, meaning, all});
      }
    };
    if constexpr (requires { part.describe(add); }) part.describe(add);
  }

  std::string spec_;
  Shape shape_;
  Agent<M, S> agent_;
};

}  // namespace sau
