#pragma once

#include <cstdint>
#include <optional>

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
      : problem(problem_stream(cell.problem_spec, seed, trial, cell.data)),
        agent(agent_stream(cell.problem_spec, cell.agent_spec, seed, trial, cell.data)) {}

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

// Plays an agent in pieces of any length, as if they were one: rewards that are on their way when a
// piece ends arrive in the next.
class FixedGame {
 public:
  FixedGame(AnyAgent& agent, Problem& problem, const Lateness& late, const Stream& stream)
      : agent_(agent), problem_(problem) {
    if (late != Lateness{}) late_.emplace(agent, late, stream.with(Role::kLate));
  }

  void play(Streams& rng, std::uint64_t steps, Recorder& record) {
    if (!late_) return agent_.play(problem_, rng, steps, record);
    sau::play(problem_, *late_, rng, steps, record);
  }

 private:
  AnyAgent& agent_;
  Problem& problem_;
  std::optional<LateLearner<AnyAgent, ContextLesson>> late_;
};

class OfferGame {
 public:
  OfferGame(OfferAgent& agent, OfferProblem& problem, const Lateness& late, const Stream& stream)
      : player_(agent), problem_(problem) {
    if (late != Lateness{}) late_.emplace(player_, late, stream.with(Role::kLate));
  }
  OfferGame(const OfferGame&) = delete;  // late_ refers to player_
  OfferGame& operator=(const OfferGame&) = delete;

  void play(Streams& rng, std::uint64_t steps, Recorder& record) {
    if (!late_) return play_offers(problem_, player_, rng, steps, record);
    play_offers(problem_, *late_, rng, steps, record);
  }

 private:
  OfferPlayer player_;
  OfferProblem& problem_;
  std::optional<LateLearner<OfferPlayer, OfferLesson>> late_;
};

// `stream` is the problem's.
inline FixedGame make_game(AnyAgent& agent, Problem& problem, const Lateness& late,
                           const Stream& stream) {
  return {agent, problem, late, stream};
}
inline OfferGame make_game(OfferAgent& agent, OfferProblem& problem, const Lateness& late,
                           const Stream& stream) {
  return {agent, problem, late, stream};
}

}  // namespace sau
