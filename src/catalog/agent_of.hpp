#pragma once

#include <string>
#include <utility>
#include <vector>

#include "catalog/door_checks.hpp"
#include "catalog/type_list.hpp"
#include "sau/agent/agent.hpp"
#include "sau/agent/any_agent.hpp"
#include "sau/core/text.hpp"
#include "sau/problem/bernoulli.hpp"

namespace sau {

// So cheap that a virtual call per step would show: inlined into the loop of context-free agents.
using HotProblems = TypeList<Bernoulli>;

// Agent<M, S> behind the interface AnyAgent.
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

  void play(Problem& problem, Streams& rng, std::uint64_t steps, Recorder& record) override {
    check_problem(problem, shape_, kRewards, strictest<M, S>());
    if constexpr (!M::kUsesContext) {
      if (play_hot(HotProblems{}, problem, rng, steps, record)) return;
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

  template <class... P>
  bool play_hot(TypeList<P...>, Problem& problem, Streams& rng, std::uint64_t steps,
                Recorder& record) {
    const auto attempt = [&]<class Concrete>() {
      auto* concrete = dynamic_cast<Concrete*>(&problem);
      if (concrete == nullptr) return false;
      sau::play(*concrete, agent_, rng, steps, record);
      return true;
    };
    return (attempt.template operator()<P>() || ...);
  }

  std::string spec_;
  Shape shape_;
  Agent<M, S> agent_;
};

}  // namespace sau
