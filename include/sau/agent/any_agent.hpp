#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sau/agent/play.hpp"
#include "sau/agent/recorder.hpp"
#include "sau/core/archive.hpp"
#include "sau/core/types.hpp"
#include "sau/model/committee_options.hpp"
#include "sau/problem/problem.hpp"

namespace sau {

// One number per action, of what an agent knows.
struct ActionColumn {
  std::string name, meaning;
  std::vector<double> number;
};

// Any model joined with any strategy that fits, chosen by name (make_agent in catalog.hpp).
// choose(), learn() and probabilities() cost one virtual call per decision and check their
// arguments; play() costs one per trial and runs the loop on the concrete types.
class AnyAgent {
 public:
  virtual ~AnyAgent() = default;

  // The canonical spec, model+strategy.
  virtual const std::string& spec() const noexcept = 0;
  virtual Shape shape() const noexcept = 0;
  // The rewards it can learn from.
  virtual RewardRange rewards() const noexcept = 0;

  // Throws Error when x has the wrong length or a number that is not finite.
  virtual Choice choose(Context x, Rng& rng) = 0;
  // `made` is what choose(x) returned. Throws Error when the reward is not one it can learn from.
  virtual void learn(Context x, Choice made, double reward) = 0;
  // The chance of every action in the next choose(x); changes nothing.
  virtual void probabilities(Context x, std::span<double> out) = 0;
  // The chance that every action had in the last choose(), which was choose(x) and from which
  // nothing has been learned yet; changes nothing. For callers who need it only now and then.
  virtual void last_probabilities(Context x, std::span<double> out) = 0;
  // The predicted mean reward of every action; valid until the next call.
  virtual std::span<const double> values(Context x) = 0;

  // What went wrong for good, as one sentence; empty while all is well. The agent goes on choosing,
  // but its choices mean nothing.
  virtual std::string fault() const = 0;
  // The members of a committee; empty for other models.
  virtual std::vector<MemberRecord> members() const { return {}; }

  // What strategy and model know about every action, such as n_a and S2_a; empty if they keep
  // nothing for an action.
  virtual std::vector<ActionColumn> evidence() const { return {}; }
  // How unsure the agent is of the mean reward of every action in this context: the number that its
  // strategy explores by, or else its model's own. Infinite for an action that must be tried first.
  // Throws Error if it has no such number.
  virtual std::vector<double> uncertainty(Context x);
  // Whether the values are linear in the context, apart from an intercept.
  virtual bool linear() const noexcept { return false; }

  // Plays a trial. Throws Error when the problem does not fit this agent.
  virtual void play(Problem& problem, Streams& rng, std::uint64_t steps, Recorder& record) = 0;

  // Adds what `other`, an agent of the same spec and shape, learned separately since both were new.
  // Throws Error when they do not match or the model cannot be merged.
  virtual void merge(const AnyAgent& other) = 0;
  virtual std::unique_ptr<AnyAgent> clone() const = 0;

  virtual void save(StateWriter& writer) const = 0;
  virtual void load(StateReader& reader) = 0;
};

}  // namespace sau
