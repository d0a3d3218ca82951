#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "catalog/explore_list.hpp"
#include "catalog/model_entry_of.hpp"
#include "catalog/model_list.hpp"
#include "catalog/problem_list.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/explore/strategy.hpp"
#include "sau/model/value_model.hpp"
#include "support/small_agents.hpp"

namespace sau::testing {

// A list of the catalogue as the types of a typed test. A registered component is tested.
template <class List>
struct AsTestTypes;
template <class... T>
struct AsTestTypes<TypeList<T...>> {
  using type = ::testing::Types<T...>;
};

template <class M, class S>
struct Pair {
  using Model = M;
  using Strategy = S;
};

namespace detail {

template <class... Lists>
struct Concat;
template <>
struct Concat<> {
  using type = TypeList<>;
};
template <class... T>
struct Concat<TypeList<T...>> {
  using type = TypeList<T...>;
};
template <class... T, class... U, class... Rest>
struct Concat<TypeList<T...>, TypeList<U...>, Rest...> {
  using type = typename Concat<TypeList<T..., U...>, Rest...>::type;
};

template <class M, class S, bool fits = Explores<S, M>>
struct OneOrNone {
  using type = TypeList<>;
};
template <class M, class S>
struct OneOrNone<M, S, true> {
  using type = TypeList<Pair<FixedModel<M>, S>>;
};

template <class M, class List>
struct PairsOfModel;
template <class M, class... S>
struct PairsOfModel<M, TypeList<S...>> {
  using type = typename Concat<typename OneOrNone<M, S>::type...>::type;
};

template <class List, class StrategyList>
struct AllPairs;
template <class... M, class StrategyList>
struct AllPairs<TypeList<M...>, StrategyList> {
  using type = typename Concat<typename PairsOfModel<M, StrategyList>::type...>::type;
};

}  // namespace detail

// Every model with every strategy that fits it, for a fixed set of actions.
using FittingPairs = detail::AllPairs<Models, Strategies>::type;

// The problems of one kind: those derived from Base.
template <class Base, class List>
struct ProblemsOfKind;
template <class Base, class... P>
struct ProblemsOfKind<Base, TypeList<P...>> {
  using type = typename detail::Concat<
      std::conditional_t<std::derived_from<P, Base>, TypeList<P>, TypeList<>>...>::type;
};
using FixedProblems = ProblemsOfKind<Problem, Problems>::type;
using OfferProblems = ProblemsOfKind<OfferProblem, Problems>::type;

// Test names such as ProblemConformance/wheel.
struct ComponentNames {
  template <class T>
  static std::string GetName(int) {
    return std::string(T::kName);
  }
};

template <class M>
Setup setup_for(Action actions) {
  return {.shape = {.actions = actions, .dim = M::kUsesContext ? std::size_t{3} : std::size_t{0}},
          .stream = {.seed = 17, .role = Role::kModel}};
}

// Contexts and rewards that a model can learn from. A step does not depend on what is played.
class AnyWorld {
 public:
  AnyWorld(std::size_t dim, RewardRange rewards, std::uint64_t seed)
      : rng_(Stream{.seed = seed}), rewards_(rewards), x_(dim) {}

  Context next() {
    for (double& xi : x_) xi = rng_.normal();
    noise_ = rng_.uniform();
    return x_;
  }
  // Higher actions pay more. Rewards have both signs if the model allows it.
  double reward(Action action) const {
    const double raw = noise_ * (1.0 - 1.0 / (2.0 + action));
    const double width = rewards_.max - rewards_.min;
    if (width < 1e6) return rewards_.min + width * raw;
    return 4.0 * raw - 1.5;
  }

 private:
  Rng rng_;
  RewardRange rewards_;
  std::vector<double> x_;
  double noise_ = 0.0;
};

// A pair as a value. Tests that need no types use it with TEST_P, which is compiled once; a
// TYPED_TEST is compiled once per pair. Tests that need the types use CompiledPair.
struct PairCase {
  std::string model, strategy;
  bool uses_context = false;
  RewardRange rewards;
  std::string learner;  // who cannot learn from other rewards
  Setup (*setup)(Action actions) = nullptr;
  bool by_ids = false;  // the agent sees the actions by id, as the service does

  // Deep models and tables are small, so that copies are cheap, and train early.
  std::string spec(const std::string& strategy_settings = "") const {
    return small_model(model, by_ids) + "+" + strategy + strategy_settings +
           (by_ids ? "+ids(actions=64,dim=4,outputs=8)" : "");
  }
  std::unique_ptr<AnyAgent> make(Action actions) const {
    return make_agent(spec(), setup(actions));
  }
  // With the usual settings.
  std::string usual_spec() const { return model + "+" + strategy; }
  std::unique_ptr<AnyAgent> make_usual(Action actions) const {
    return make_agent(usual_spec(), setup(actions));
  }
  AnyWorld world(std::uint64_t seed) const { return {setup(1).shape.dim, rewards, seed}; }
};
inline void PrintTo(const PairCase& pair, std::ostream* out) { *out << pair.spec(); }

template <class... P>
std::vector<PairCase> pair_cases(TypeList<P...>) {
  return {PairCase{
      .model = std::string(P::Model::kName),
      .strategy = std::string(P::Strategy::kName),
      .uses_context = P::Model::kUsesContext,
      .rewards = rewards_with<typename P::Strategy>(P::Model::kRewards),
      .learner = std::string(strictest<typename P::Strategy>(P::Model::kName, P::Model::kRewards)),
      .setup = setup_for<typename P::Model>,
      .by_ids = false}...};
}

// A pair, and a function that is compiled for its types. Only this function is compiled once per
// pair.
template <class Function>
struct CompiledPair : PairCase {
  Function* call = nullptr;
};
template <class Function>
void PrintTo(const CompiledPair<Function>& pair, std::ostream* out) {
  *out << pair.usual_spec();
}

// `functions`: one per pair, in the order of the list.
template <class Function, class... P>
std::vector<CompiledPair<Function>> compiled_pairs(TypeList<P...> pairs,
                                                   const std::vector<Function*>& functions) {
  std::vector<CompiledPair<Function>> result;
  for (const PairCase& pair : pair_cases(pairs)) {
    result.push_back({pair, functions.at(result.size())});
  }
  return result;
}

// The fixed pairs, and by ids so many more that every model and every strategy is among them. They
// are taken from the end, where the strategies are that ask more of a model.
inline std::vector<PairCase> pair_cases_and_by_ids() {
  std::vector<PairCase> pairs = pair_cases(FittingPairs{}), by_ids;
  for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair) {
    const auto has = [&](std::string PairCase::*part) {
      return std::ranges::find(by_ids, (*pair).*part, part) != by_ids.end();
    };
    if (has(&PairCase::model) && has(&PairCase::strategy)) continue;
    by_ids.push_back(*pair);
    by_ids.back().by_ids = true;
    by_ids.back().learner = pair->model;  // the message begins with the spec
  }
  pairs.insert(pairs.end(), by_ids.begin(), by_ids.end());
  return pairs;
}

// Runs the TEST_Ps of a suite on every model with every strategy that fits it, under names such as
// Pairs/Conformance.ACloneIsIndependent/sample_mean_sau_ucb.
inline auto every_pair() { return ::testing::ValuesIn(pair_cases(FittingPairs{})); }
// Also by ids.
inline auto every_pair_and_by_ids() { return ::testing::ValuesIn(pair_cases_and_by_ids()); }
inline constexpr auto pair_name = [](const auto& info) {
  return info.param.model + "_" + info.param.strategy + (info.param.by_ids ? "_ids" : "");
};

// Plays `steps` steps and returns the actions.
template <class A, class W>
std::vector<Action> play_steps(A& agent, W& world, Rng& rng, int steps) {
  std::vector<Action> played;
  for (int n = 0; n < steps; ++n) {
    const Context x = world.next();
    const Choice made = agent.choose(x, rng);
    agent.learn(x, made, world.reward(made.action));
    played.push_back(made.action);
  }
  return played;
}

// Of an agent of either kind.
template <class A>
std::string state_bytes(const A& agent) {
  StateWriter writer;
  agent.save(writer);
  return writer.bytes();
}

}  // namespace sau::testing
