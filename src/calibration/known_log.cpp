#include "calibration/known_log.hpp"

#include <memory>
#include <numeric>

#include "sau/agent/any_agent.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"

namespace sau::detail {
namespace {

// The policies draw from the streams of these trials, which no log has.
constexpr std::uint64_t kPolicyTrials = std::uint64_t{1} << 32;

// A policy while it is trained.
struct Learner {
  std::unique_ptr<AnyAgent> agent;
  Rng rng;
  bool reversed;
};

// The reward of every action in this step. A step draws the same numbers whatever the action, so
// each action gets a copy of the generator, which then goes on from there.
void pull_all(Problem& problem, Rng& rng, std::span<double> rewards) {
  const Rng before = rng;
  for (Action a = 0; a < rewards.size(); ++a) {
    rng = before;
    rewards[a] = problem.pull(a, rng);
  }
}

}  // namespace

KnownLog::KnownLog(const EvaluationStudy& study, const EvaluationStudy::Log& log,
                   std::uint64_t seed, std::uint64_t trial) {
  const Cell& cell = log.cell;
  if (offers_by_id(cell.problem_spec)) {
    throw Error(cell.problem +
                ": a study of evaluation needs a problem with a fixed set of actions");
  }
  const Stream stream = problem_stream(cell.problem_spec, seed, trial);
  const auto problem = make_problem(cell.problem_spec, stream.with(Role::kSetup));
  const Shape shape = problem->shape();
  dim_ = shape.dim;
  actions_ = shape.actions;
  Rng rng(stream);

  std::vector<Learner> learners;
  for (std::size_t p = 0; p < study.policies.size(); ++p) {
    const std::string spec = canonical_agent(study.policies[p].spec, shape.dim);
    const Stream own = agent_stream(cell.problem_spec, spec, seed, trial + kPolicyTrials * (p + 1));
    learners.push_back({make_agent(spec, {.shape = shape, .stream = own.with(Role::kModel)}),
                        Rng(own), study.policies[p].reversed});
  }
  std::vector<double> rewards(actions_);
  for (std::uint64_t n = 0; n < study.training; ++n) {
    const Context x = problem->next(rng);
    pull_all(*problem, rng, rewards);
    for (Learner& learner : learners) {
      const Choice made = learner.agent->choose(x, learner.rng);
      const double reward = rewards[made.action];
      learner.agent->learn(x, made, learner.reversed ? -reward : reward);
    }
  }

  const Stream own = agent_stream(cell.problem_spec, cell.agent_spec, seed, trial);
  const auto agent =
      make_agent(cell.agent_spec, {.shape = shape, .stream = own.with(Role::kModel)});
  Rng agent_rng(own);
  std::vector<double> chances(actions_);
  policies_.resize(learners.size());
  for (std::uint64_t n = 0; n < cell.steps; ++n) {
    const Context x = problem->next(rng);
    contexts_.insert(contexts_.end(), x.begin(), x.end());
    for (std::size_t p = 0; p < learners.size(); ++p) {
      learners[p].agent->probabilities(x, chances);
      policies_[p].insert(policies_[p].end(), chances.begin(), chances.end());
    }
    agent->probabilities(x, chances);
    const Choice made = agent->choose(x, agent_rng);
    pull_all(*problem, rng, rewards);
    agent->learn(x, made, rewards[made.action]);
    chosen_.push_back(made.action);
    paid_.push_back(rewards[made.action]);
    chance_.push_back(chances[made.action]);
    chances_.insert(chances_.end(), chances.begin(), chances.end());
    rewards_.insert(rewards_.end(), rewards.begin(), rewards.end());
  }
}

ChoiceArrays KnownLog::arrays() const {
  return {.rows = chosen_.size(),
          .dim = dim_,
          .actions = actions_,
          .contexts = contexts_,
          .chosen = chosen_,
          .rewards = paid_,
          .chance = chance_,
          .chances = chances_};
}

double KnownLog::truth(std::size_t policy_number, std::size_t row) const {
  const auto chances = policy(policy_number, row);
  const auto rewards = std::span(rewards_).subspan(row * actions_, actions_);
  return std::inner_product(chances.begin(), chances.end(), rewards.begin(), 0.0);
}

double KnownLog::mean_reward() const {
  return std::accumulate(paid_.begin(), paid_.end(), 0.0) / static_cast<double>(rows());
}

}  // namespace sau::detail
