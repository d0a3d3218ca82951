#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "catalog/lists.hpp"
#include "sau/agent/agent.hpp"
#include "sau/agent/any_agent.hpp"
#include "sau/core/text.hpp"

namespace sau {

// The virtual doors of Agent<M, S>.
template <class M, class S>
class AgentOf final : public AnyAgent {
 public:
  AgentOf(std::string spec, Shape shape, M model, S strategy)
      : spec_(std::move(spec)), shape_(shape), agent_(std::move(model), std::move(strategy)) {}

  const std::string& spec() const noexcept override { return spec_; }
  Shape shape() const noexcept override { return shape_; }
  RewardRange rewards() const noexcept override { return M::kRewards; }

  Choice choose(Context x, Rng& rng) override {
    check(x);
    return agent_.choose(x, rng);
  }

  void learn(Context x, Choice made, double reward) override {
    check(x);
    if (made.action >= shape_.actions) {
      throw Error("learn: action " + std::to_string(made.action) + " is not one of " +
                  std::to_string(shape_.actions));
    }
    if (!std::isfinite(made.value)) throw Error("learn: the choice's value is not finite");
    if (!M::kRewards.contains(reward)) {  // NaN is in no range
      throw Error("learn: reward " + format_number(reward) + " is not allowed; " +
                  std::string(M::kName) + " learns from " + describe(M::kRewards));
    }
    agent_.learn(x, made, reward);
  }

  void probabilities(Context x, std::span<double> out) override {
    check(x);
    check_room(out);
    agent_.probabilities(x, out);
  }

  void last_probabilities(Context x, std::span<double> out) override {
    check(x);
    check_room(out);
    agent_.last_probabilities(x, out);
  }

  std::span<const double> values(Context x) override {
    check(x);
    return agent_.values(x);
  }

  std::string fault() const override { return agent_.fault(); }

  void play(Problem& problem, Streams& rng, std::uint64_t steps, Recorder& record) override {
    if (problem.shape() != shape_) {
      throw Error("the agent was made for " + describe(shape_) + ", the problem has " +
                  describe(problem.shape()));
    }
    if (!M::kRewards.contains(problem.rewards())) {
      throw UsageError(std::string(M::kName) + " learns from " + describe(M::kRewards) +
                       ", the problem pays " + describe(problem.rewards()));
    }
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
    if constexpr (Mergeable<M> && Mergeable<S>) {
      const auto& from = static_cast<const AgentOf&>(other).agent_;
      agent_.model().merge(from.model());
      agent_.strategy().merge(from.strategy());
    } else {
      throw Error("merge: " + spec_ + " cannot be merged; its state is not a sum");
    }
  }

  std::unique_ptr<AnyAgent> clone() const override { return std::make_unique<AgentOf>(*this); }

  void save(StateWriter& writer) const override {
    M::state(agent_.model(), writer);
    S::state(agent_.strategy(), writer);
  }

  void load(StateReader& reader) override {
    M::state(agent_.model(), reader);
    S::state(agent_.strategy(), reader);
    if constexpr (requires { agent_.model().restored(); }) agent_.model().restored();
    if constexpr (requires { agent_.strategy().restored(); }) agent_.strategy().restored();
  }

 private:
  static std::string describe(const RewardRange& range) {
    return "rewards from " + format_number(range.min) + " to " + format_number(range.max);
  }
  static std::string describe(const Shape& shape) {
    return std::to_string(shape.actions) + " actions and contexts of length " +
           std::to_string(shape.dim);
  }

  void check(Context x) const {
    if (x.size() != shape_.dim) {
      throw Error("the context has " + std::to_string(x.size()) + " numbers, expected " +
                  std::to_string(shape_.dim));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!std::isfinite(x[i])) {
        throw Error("the context's number " + std::to_string(i) + " is not finite");
      }
    }
  }

  void check_room(std::span<const double> out) const {
    if (out.size() == shape_.actions) return;
    throw Error("probabilities: room for " + std::to_string(out.size()) + " actions, expected " +
                std::to_string(shape_.actions));
  }

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
