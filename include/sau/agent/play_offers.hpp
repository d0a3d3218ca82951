#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "sau/agent/offer_agent.hpp"
#include "sau/agent/play.hpp"
#include "sau/core/draw.hpp"
#include "sau/problem/offer_problem.hpp"

namespace sau {

// A choice among offered actions, and the probability it had.
struct OfferedChoice : Choice {
  double probability = kUnknownProbability;
};

// An agent for actions by id, as the simulation loop needs it: draws from the agent's
// probabilities.
class OfferPlayer {
 public:
  explicit OfferPlayer(OfferAgent& agent) : agent_(agent) {}

  OfferedChoice choose(const Situation& now, Rng& rng) {
    forecast_.resize(now.actions.size());
    agent_.decide(now.context, now.actions, std::nullopt, forecast_);
    const std::size_t chosen = draw_from(forecast_, rng.uniform(), &Forecast::probability);
    return {{static_cast<Action>(chosen), forecast_[chosen].value}, forecast_[chosen].probability};
  }
  void learn(const Situation& now, OfferedChoice made, double reward) {
    agent_.learn(now.context, now.actions[made.action], made.value, reward, made.probability);
  }

 private:
  OfferAgent& agent_;
  std::vector<Forecast> forecast_;
};

// Problem and recorder, as the simulation loop needs them: remembers what is on offer, because the
// recorder identifies actions by their ids.
template <class R>
class OfferStage {
 public:
  OfferStage(OfferProblem& problem, R& record) : problem_(problem), record_(record) {}

  Situation next(Rng& rng) { return now_ = problem_.next(rng); }
  double pull(Action action, Rng& rng) { return problem_.pull(action, rng); }
  double regret(Action action) const { return problem_.regret(action); }

  bool step(Action action, double reward, double regret) {
    const auto offered =
        std::ranges::count_if(now_.actions, [](const OfferedAction& a) { return !a.excluded; });
    return record_.step(now_.actions[action].id, static_cast<std::size_t>(offered), reward, regret);
  }

 private:
  OfferProblem& problem_;
  R& record_;
  Situation now_;
};

// Plays a trial. `player` is an OfferPlayer, or one whose rewards come late.
template <class Player, class R>
void play_offers(OfferProblem& problem, Player& player, Streams& rng, std::uint64_t steps,
                 R& record) {
  OfferStage<R> stage(problem, record);
  play(stage, player, rng, steps, stage);
}

}  // namespace sau
