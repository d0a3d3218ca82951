#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catalog/lists.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/explore/strategy.hpp"
#include "sau/model/value_model.hpp"

namespace sau::testing {

// A list of the catalogue as the types of a typed test: registering a component enrols it.
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
  static constexpr bool kMergeable = Mergeable<M> && Mergeable<S>;
  static std::string spec() { return std::string(M::kName) + "+" + std::string(S::kName); }
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
  using type = TypeList<Pair<M, S>>;
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

// Every model with every strategy that fits it.
using FittingPairs = detail::AllPairs<Models, Strategies>::type;

// Test names such as Conformance/sample_mean_sau_ucb.
struct PairNames {
  template <class P>
  static std::string GetName(int) {
    return std::string(P::Model::kName) + "_" + std::string(P::Strategy::kName);
  }
};
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

template <class P>
std::unique_ptr<AnyAgent> make_pair_agent(Action actions) {
  return make_agent(P::spec(), setup_for<typename P::Model>(actions));
}

// Contexts and rewards that a model can learn from; a step is the same whatever is played.
template <class M>
class World {
 public:
  explicit World(std::uint64_t seed) : rng_(Stream{.seed = seed}), x_(setup_for<M>(1).shape.dim) {}

  Context next() {
    for (double& xi : x_) xi = rng_.normal();
    noise_ = rng_.uniform();
    return x_;
  }
  // Higher actions pay more. Of both signs where the model allows it.
  double reward(Action action) const {
    const double raw = noise_ * (1.0 - 1.0 / (2.0 + action));
    const double width = M::kRewards.max - M::kRewards.min;
    if (width < 1e6) return M::kRewards.min + width * raw;
    return 4.0 * raw - 1.5;
  }

 private:
  Rng rng_;
  std::vector<double> x_;
  double noise_ = 0.0;
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

inline std::string state_bytes(const AnyAgent& agent) {
  StateWriter writer;
  agent.save(writer);
  return writer.bytes();
}

}  // namespace sau::testing
