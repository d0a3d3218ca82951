#pragma once

#include <cstdint>

#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"

namespace sau {

// The generators of a trial.
struct Streams {
  Rng problem;
  Rng agent;
};

// The only simulation loop. P and A may be concrete types, so that everything inlines, or the
// abstract Problem and AnyAgent, with the same draws and the same results. Ends early when the
// recorder's step() returns false. play_offers.hpp uses it for actions that come and go, and
// late.hpp for rewards that come late.
template <class P, class A, class R>
void play(P& problem, A& agent, Streams& rng, std::uint64_t steps, R& record) {
  for (std::uint64_t n = 0; n < steps; ++n) {
    const auto x = problem.next(rng.problem);
    const auto made = agent.choose(x, rng.agent);
    const double reward = problem.pull(made.action, rng.problem);
    agent.learn(x, made, reward);
    if (!record.step(made.action, reward, problem.regret(made.action))) return;
  }
}

}  // namespace sau
