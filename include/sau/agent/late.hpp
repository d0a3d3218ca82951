#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sau/agent/play_offers.hpp"
#include "sau/core/rng.hpp"
#include "sau/core/spec.hpp"
#include "sau/core/types.hpp"
#include "sau/problem/offer_problem.hpp"

namespace sau {

// When rewards arrive, for any problem. It may follow the problem in a spec, as in
// bernoulli+late(delay=10..200,missing=0.1).
struct Lateness {
  CountRange delay = {};
  double missing = 0.0;
  void fields(auto&& field) {
    field("delay", delay,
          "steps until a reward arrives: 100, or 10..200 to draw a number "
          "for every step",
          Bounds{.min = 0.0, .max = 1e6});
    field("missing", missing, "chance that a reward never arrives", Bounds{.min = 0.0, .max = 1.0});
  }

  bool operator==(const Lateness&) const = default;
};

// The rewards that are on their way. The reward of step n arrives at the end of step n + delay, or
// never. A step takes two draws from the stream: whether its reward is missing, and its delay. So
// all agents on the same stream lose and wait for the same rewards.
template <class Lesson>
class Mailbox {
 public:
  Mailbox(const Lateness& late, const Stream& stream)
      : late_(late), rng_(stream), arriving_(late.delay.max + 1) {}

  // Ends a step: sends its lesson on its way, and passes the lessons that arrive now to `learn`, in
  // the order of their steps.
  template <class Learn>
  void end_step(Lesson lesson, Learn&& learn) {
    const bool lost = rng_.uniform() < late_.missing;
    const std::uint64_t delay = late_.delay.min + rng_.below(late_.delay.max - late_.delay.min + 1);
    if (!lost) slot(step_ + delay).push_back(std::move(lesson));
    auto& now = slot(step_);
    for (const Lesson& arrived : now) learn(arrived);
    now.clear();
    ++step_;
  }

 private:
  std::vector<Lesson>& slot(std::uint64_t step) { return arriving_[step % arriving_.size()]; }

  Lateness late_;
  Rng rng_;
  std::vector<std::vector<Lesson>> arriving_;  // by step modulo the number of slots
  std::uint64_t step_ = 0;
};

// A choice with the context it was made for, and its reward.
struct ContextLesson {
  ContextLesson(Context context, Choice choice, double paid)
      : x(context.begin(), context.end()), made(choice), reward(paid) {}

  void teach(auto& agent) const { agent.learn(Context(x), made, reward); }

  std::vector<double> x;
  Choice made;
  double reward;
};

// The same for actions by id: of the actions on offer it keeps only the chosen one.
struct OfferLesson {
  OfferLesson(const Situation& now, OfferedChoice choice, double paid)
      : context(now.context.begin(), now.context.end()),
        features(now.actions[choice.action].features.begin(),
                 now.actions[choice.action].features.end()),
        id(now.actions[choice.action].id),
        made{{0, choice.value}, choice.probability},
        reward(paid) {}

  void teach(auto& player) const {
    const OfferedAction action{.id = id, .features = features};
    player.learn(Situation{context, {&action, 1}}, made, reward);
  }

  std::vector<HashedFeature> context, features;
  std::string id;
  OfferedChoice made;
  double reward;
};

// An agent whose rewards come late, for the simulation loop: the same choices, and every Choice is
// handed back when its reward arrives.
template <class A, class Lesson>
class LateLearner {
 public:
  LateLearner(A& agent, const Lateness& late, const Stream& stream)
      : agent_(agent), mail_(late, stream) {}

  template <class X>
  auto choose(const X& x, Rng& rng) {
    return agent_.choose(x, rng);
  }
  template <class X>
  void learn(const X& x, const auto& made, double reward) {
    mail_.end_step(Lesson(x, made, reward), [&](const Lesson& lesson) { lesson.teach(agent_); });
  }

 private:
  A& agent_;
  Mailbox<Lesson> mail_;
};

}  // namespace sau
