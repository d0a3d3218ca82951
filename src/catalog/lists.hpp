#pragma once

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "sau/explore/epsilon_greedy.hpp"
#include "sau/explore/greedy.hpp"
#include "sau/explore/lin_ucb.hpp"
#include "sau/explore/sau_sampling.hpp"
#include "sau/explore/sau_ucb.hpp"
#include "sau/explore/thompson.hpp"
#include "sau/explore/ucb1.hpp"
#include "sau/explore/uniform.hpp"
#include "sau/model/beta_bernoulli.hpp"
#include "sau/model/linear.hpp"
#include "sau/model/linear_posterior.hpp"
#include "sau/model/mlp.hpp"
#include "sau/model/neural_linear.hpp"
#include "sau/model/sample_mean.hpp"
#include "sau/problem/bernoulli.hpp"
#include "sau/problem/csv.hpp"
#include "sau/problem/dataset.hpp"
#include "sau/problem/libsvm.hpp"
#include "sau/problem/linear.hpp"
#include "sau/problem/rewards.hpp"
#include "sau/problem/wheel.hpp"

namespace sau {

template <class... T>
struct TypeList {};

// The catalogue. A new component is its header above and its name here.
using Models = TypeList<SampleMean, BetaBernoulli, Linear, LinearPosterior, Mlp, NeuralLinear>;
using Strategies =
    TypeList<Uniform, Greedy, EpsilonGreedy, Ucb1, Thompson, SauUcb, SauSampling, LinUcb>;
using Problems = TypeList<Bernoulli, LinearProblem, Wheel, Dataset, Csv, Libsvm, Rewards>;
// Cheap enough that a virtual call a step would show: inlined into the loop of context-free agents.
using HotProblems = TypeList<Bernoulli>;

template <class... T>
std::vector<std::string> names(TypeList<T...>) {
  return {std::string(T::kName)...};
}

// Runs f.operator()<T>() for the T of the list called `name`.
template <class F, class First, class... Rest>
auto with_named(TypeList<First, Rest...> list, std::string_view kind, std::string_view name,
                F&& f) {
  using Result = decltype(f.template operator()<First>());
  Result result{};
  const auto call = [&]<class T>() {
    if (T::kName != name) return false;
    result = f.template operator()<T>();
    return true;
  };
  if (!(call.template operator()<First>() || ... || call.template operator()<Rest>())) {
    throw UsageError(unknown_name(kind, name, names(list)));
  }
  return result;
}

}  // namespace sau
