#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sau/agent/agent.hpp"
#include "sau/agent/any_agent.hpp"
#include "sau/agent/argument_checks.hpp"
#include "sau/model/model_knowledge.hpp"
#include "sau/problem/bernoulli.hpp"

namespace sau {

// What an agent says about itself.
struct AgentFacts {
  std::string spec;
  Shape shape;
  RewardRange rewards;
  std::string learner;  // the name in the message about a reward
};

// A model and a strategy, of the library or your own, behind the interface AnyAgent, so that the
// runner can play it (play_trial in run/runner.hpp), save_agent can write it and a report can show
// it. The catalogue also makes its agents with it. `spec` is the name of the agent in all of these.
//
// A problem so cheap that a virtual call per step would show, Bernoulli, is inlined into the loop
// of agents that ignore contexts.
template <class M, class S>
class AgentOf final : public AnyAgent {
 public:
  AgentOf(AgentFacts facts, M model, S strategy)
      : facts_(std::move(facts)), agent_(std::move(model), std::move(strategy)) {}
  AgentOf(std::string spec, Shape shape, M model, S strategy)
      : AgentOf(AgentFacts{std::move(spec), shape, rewards_with<S>(M::kRewards),
                           std::string(strictest<S>(M::kName, M::kRewards))},
                std::move(model), std::move(strategy)) {}

  const std::string& spec() const noexcept override { return facts_.spec; }
  Shape shape() const noexcept override { return facts_.shape; }
  RewardRange rewards() const noexcept override { return facts_.rewards; }

  Choice choose(Context x, Rng& rng) override {
    check_context(x, facts_.shape);
    return agent_.choose(x, rng);
  }

  void learn(Context x, Choice made, double reward) override {
    check_context(x, facts_.shape);
    check_action(made, facts_.shape);
    check_reward(reward, facts_.rewards, facts_.learner);
    agent_.learn(x, made, reward);
  }

  void probabilities(Context x, std::span<double> out) override {
    check_context(x, facts_.shape);
    check_room(out, facts_.shape);
    agent_.probabilities(x, out);
  }

  void last_probabilities(Context x, std::span<double> out) override {
    check_context(x, facts_.shape);
    check_room(out, facts_.shape);
    agent_.last_probabilities(x, out);
  }

  std::span<const double> values(Context x) override {
    check_context(x, facts_.shape);
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
    check_context(x, facts_.shape);
    const auto& evidence = agent_.explorer().evidence();
    if constexpr (requires { evidence.spread(); }) {
      return evidence.spread();
    } else if constexpr (requires { evidence.width(); }) {
      const auto width = evidence.width();
      return {width.begin(), width.end()};
    } else {
      auto result = model_uncertainty(agent_.model(), x);
      return result.empty() ? AnyAgent::uncertainty(x) : result;
    }
  }

  bool linear() const noexcept override {
    if constexpr (requires { agent_.model().linear(); }) {
      return agent_.model().linear();
    } else {
      return is_linear<M>();
    }
  }

  void play(Problem& problem, Streams& rng, std::uint64_t steps, Recorder& record) override {
    check_problem(problem, facts_.shape, facts_.rewards, facts_.learner);
    if constexpr (!M::kUsesContext) {
      if (auto* cheap = dynamic_cast<Bernoulli*>(&problem)) {
        return play_inlined(*cheap, rng, steps, record);
      }
    }
    sau::play(problem, agent_, rng, steps, record);
  }

  void merge(const AnyAgent& other) override {
    check_same(other, *this);
    if constexpr (Mergeable<M> && Mergeable<Explorer<S>>) {
      if (can_merge(agent_.model()) && can_merge(agent_.explorer().evidence())) {
        const auto& from = static_cast<const AgentOf&>(other).agent_;
        agent_.model().merge(from.model());
        agent_.explorer().merge(from.explorer());
        return;
      }
    }
    refuse_merge(facts_.spec);
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

  // The attribute inlines every call in the loop. Without it the compiler's decision would depend
  // on the size of the rest of the file.
  template <class P>
  [[gnu::flatten]] void play_inlined(P& problem, Streams& rng, std::uint64_t steps,
                                     Recorder& record) {
    sau::play(problem, agent_, rng, steps, record);
  }

  AgentFacts facts_;
  Agent<M, S> agent_;
};

}  // namespace sau
