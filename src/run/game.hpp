#pragma once

#include <cstdint>

#include "sau/agent/any_agent.hpp"
#include "sau/agent/late.hpp"
#include "sau/agent/play_offers.hpp"
#include "sau/agent/recorder.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/run/experiment.hpp"

namespace sau {

// A game is an agent with a problem. There are two kinds: the actions are a fixed set, or they come
// and go by id. These overloads let the code that plays a cell handle both.

// The random streams of one trial.
struct GameStreams {
  GameStreams(const Cell& cell, std::uint64_t seed, std::uint64_t trial)
      : problem(problem_stream(cell.problem_spec, seed, trial)),
        agent(agent_stream(cell.problem_spec, cell.agent_spec, seed, trial)) {}

  Streams begin() const { return {Rng(problem), Rng(agent)}; }

  Stream problem, agent;
};

// Makes agent and problem for one trial and calls use(agent, problem).
template <class Use>
auto with_game(const Cell& cell, const GameStreams& streams, const Use& use) {
  const Stream setup = streams.problem.with(Role::kSetup);
  if (offers_by_id(cell.problem_spec)) {
    const auto problem = make_offer_problem(cell.problem_spec, setup);
    const auto agent = make_offer_agent(cell.agent_spec, streams.agent);
    return use(*agent, *problem);
  }
  const auto problem = make_problem(cell.problem_spec, setup);
  const auto agent = make_agent(
      cell.agent_spec, {.shape = problem->shape(), .stream = streams.agent.with(Role::kModel)});
  return use(*agent, *problem);
}

// The number of actions to give to a Recorder.
inline Action fixed_actions(const Problem& problem) { return problem.shape().actions; }
inline Action fixed_actions(const OfferProblem&) { return 0; }

inline void play_game(AnyAgent& agent, Problem& problem, Streams& rng, std::uint64_t steps,
                      Recorder& record, const Lateness& late) {
  if (late == Lateness{}) return agent.play(problem, rng, steps, record);
  LateLearner<AnyAgent, ContextLesson> learner(agent, late, rng.problem.stream().with(Role::kLate));
  play(problem, learner, rng, steps, record);
}

inline void play_game(OfferAgent& agent, OfferProblem& problem, Streams& rng, std::uint64_t steps,
                      Recorder& record, const Lateness& late) {
  OfferPlayer player(agent);
  if (late == Lateness{}) return play_offers(problem, player, rng, steps, record);
  LateLearner<OfferPlayer, OfferLesson> learner(player, late,
                                                rng.problem.stream().with(Role::kLate));
  play_offers(problem, learner, rng, steps, record);
}

}  // namespace sau
