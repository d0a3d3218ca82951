// What does it cost to update a model rarely? The code released with the paper updates its linear
// regressions once in 20 steps, and then only that of the action just played, from a random part of
// its history; this library updates every action at every step it is played. Wrappers around any
// model show the difference, on any problem:
//     06_rare_updates [PROBLEM [TRIALS]]        for example: 06_rare_updates statlog 50
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "sau/agent/agent.hpp"
#include "sau/agent/play.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/stats.hpp"
#include "sau/explore/epsilon_greedy.hpp"
#include "sau/explore/sau_sampling.hpp"
#include "sau/explore/sau_ucb.hpp"
#include "sau/explore/thompson.hpp"
#include "sau/model/linear.hpp"
#include "sau/model/linear_posterior.hpp"
#include "sau/model/neural_linear.hpp"

namespace {

struct Step {
  std::vector<double> x;
  double reward;
};

// A model M per action, of which one is changed every 20 steps: that of the action just played.
// `kPart` = 0: it learns all that waits for it; otherwise it starts anew from so many of its steps,
// drawn at random (10 mini-batches of 64 are 640).
template <class M, std::size_t kPart>
class Rarely {
 public:
  static constexpr std::string_view kName = "rarely";
  static constexpr std::string_view kSummary = "another model, updated once in 20 steps";
  static constexpr bool kUsesContext = M::kUsesContext;
  static constexpr sau::RewardRange kRewards = M::kRewards;
  using Options = typename M::Options;

  explicit Rarely(const sau::Setup& setup, const Options& options = {})
      : fresh_({.shape = {.actions = 1, .dim = setup.shape.dim}, .stream = setup.stream}, options),
        model_(setup.shape.actions, fresh_),
        history_(setup.shape.actions),
        learned_(setup.shape.actions),
        out_(setup.shape.actions),
        rng_(setup.stream) {}

  std::span<const double> values(sau::Context x) noexcept {
    for (std::size_t a = 0; a < out_.size(); ++a) out_[a] = model_[a].values(x)[0];
    return out_;
  }
  std::span<const double> sample(sau::Context x,
                                 sau::Rng& rng) noexcept requires sau::PosteriorModel<M> {
    for (std::size_t a = 0; a < out_.size(); ++a) out_[a] = model_[a].sample(x, rng)[0];
    return out_;
  }
  auto marginals(sau::Context x) requires sau::PosteriorModel<M> {
    auto all = model_[0].marginals(x);
    for (std::size_t a = 1; a < out_.size(); ++a) all.push_back(model_[a].marginals(x)[0]);
    return all;
  }

  void update(sau::Context x, sau::Action action, double reward) noexcept {
    auto& history = history_[action];
    history.push_back({{x.begin(), x.end()}, reward});
    if (++steps_ % 20 != 0) return;
    M& model = model_[action];
    if (kPart > 0 && history.size() > kPart) {
      model = fresh_;
      for (std::size_t i = 0; i < kPart; ++i) learn(model, history[rng_.below(history.size())]);
      learned_[action] = 0;
    } else {
      for (std::size_t& i = learned_[action]; i < history.size(); ++i) learn(model, history[i]);
    }
  }

  static void state(auto& self, auto&& field) { M::state(self.fresh_, field); }

 private:
  static void learn(M& model, const Step& step) { model.update(step.x, 0, step.reward); }

  M fresh_;
  std::vector<M> model_;
  std::vector<std::vector<Step>> history_;
  std::vector<std::size_t> learned_;
  std::vector<double> out_;
  sau::Rng rng_;
  std::uint64_t steps_ = 0;
};

// sau::NeuralLinear with such a posterior: its network trains as ever.
template <std::size_t kPart>
class RareNeuralLinear {
 public:
  static constexpr std::string_view kName = "rare_neural_linear";
  static constexpr std::string_view kSummary = "neural_linear, its posterior updated rarely";
  static constexpr bool kUsesContext = true;
  static constexpr sau::RewardRange kRewards{};
  using Options = sau::NeuralLinearOptions;

  explicit RareNeuralLinear(const sau::Setup& setup, const Options& options = {})
      : network_(setup, options),
        posterior_(
            {.shape = {.actions = setup.shape.actions, .dim = network_.feature_count()},
             .stream = setup.stream},
            {.lambda = options.lambda, .a0 = options.a0, .b0 = options.b0, .intercept = true}) {}

  std::span<const double> values(sau::Context x) noexcept {
    return posterior_.values(network_.features(x));
  }
  std::span<const double> sample(sau::Context x, sau::Rng& rng) noexcept {
    return posterior_.sample(network_.features(x), rng);
  }
  auto marginals(sau::Context x) { return posterior_.marginals(network_.features(x)); }

  void update(sau::Context x, sau::Action action, double reward) noexcept {
    posterior_.update(network_.features(x), action, reward);
    network_.update(x, action, reward);
  }

  static void state(auto& self, auto&& field) { sau::Mlp::state(self.network_, field); }

 private:
  sau::Mlp network_;
  Rarely<sau::LinearPosterior, kPart> posterior_;
};

struct RegretSum {
  double regret = 0.0;
  bool step(sau::Action, double, double step_regret) noexcept {
    regret += step_regret;
    return true;
  }
};

template <class Model, class Strategy>
sau::Summary regret_of(const std::string& problem, const typename Model::Options& model_options,
                       const typename Strategy::Options& strategy_options, std::uint64_t trials) {
  const std::string canonical = sau::canonical_problem(problem);
  std::vector<double> regret;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    // The names of the streams are those of `sau run`, so that the problems are the same.
    const sau::Stream stream = sau::problem_stream(canonical, 1, trial);
    const auto world = sau::make_problem(canonical, stream.with(sau::Role::kSetup));
    const sau::Setup setup{.shape = world->shape(), .stream = stream.with(sau::Role::kModel)};
    sau::Agent agent{Model{setup, model_options}, Strategy{setup, strategy_options}};
    sau::Streams rng{sau::Rng(stream), sau::Rng(stream.with(sau::Role::kAgent))};
    RegretSum record;
    sau::play(*world, agent, rng, world->default_steps(), record);
    regret.push_back(record.regret);
  }
  return sau::summarise(regret);
}

constexpr std::size_t kAll = 0, kPart = 640;

template <class Model, class Rare, class Released, class Strategy>
bool compare(const char* name, const std::string& problem,
             const typename Model::Options& model_options,
             const typename Strategy::Options& strategy_options, std::uint64_t trials) {
  const auto always = regret_of<Model, Strategy>(problem, model_options, strategy_options, trials);
  const auto rarely = regret_of<Rare, Strategy>(problem, model_options, strategy_options, trials);
  const auto part = regret_of<Released, Strategy>(problem, model_options, strategy_options, trials);
  std::printf("  %-16s %9.0f +- %-7.0f %9.0f +- %-7.0f %9.0f +- %-7.0f\n", name, always.mean,
              always.sem, rarely.mean, rarely.sem, part.mean, part.sem);
  return std::isfinite(always.mean) && std::isfinite(rarely.mean) && std::isfinite(part.mean);
}

template <class Model, class Strategy>
bool compare(const char* name, const std::string& problem,
             const typename Model::Options& model_options,
             const typename Strategy::Options& strategy_options, std::uint64_t trials) {
  return compare<Model, Rarely<Model, kAll>, Rarely<Model, kPart>, Strategy>(
      name, problem, model_options, strategy_options, trials);
}

}  // namespace

int main(int count, char** words) {
  try {
    const std::string problem = count > 1 ? words[1] : "wheel-0.70";
    const std::uint64_t trials = count > 2 ? std::strtoull(words[2], nullptr, 10) : 2;
    // The paper's settings of these agents (docs/reproduction.md).
    const bool small = problem == "financial",
               rough = problem.starts_with("wheel") || problem.starts_with("mushroom");
    const double lambda = small ? 0.25 : 20.0;
    const sau::LinearOptions linear{.lambda = lambda, .intercept = true};
    const sau::LinearPosteriorOptions posterior{.lambda = lambda,
                                                .a0 = small   ? 6.0
                                                      : rough ? 30.0
                                                              : 35.0,
                                                .b0 = small   ? 6.0
                                                      : rough ? 35.0
                                                              : 5.0,
                                                .intercept = true};
    std::printf(
        "regret on %s, %llu trials: updated at every step; once in 20; so, from 640 steps\n",
        problem.c_str(), static_cast<unsigned long long>(trials));
    bool good = compare<sau::LinearPosterior, sau::Thompson>("LinearPosterior", problem, posterior,
                                                             {.initial_pulls = 2}, trials);
    good = compare<sau::Linear, sau::EpsilonGreedy>(
               "LinearGreedy", problem, linear,
               {.epsilon = 0.046, .decay = 0.93, .initial_pulls = 2}, trials) &&
           good;
    good = compare<sau::Linear, sau::SauSampling>("Linear-SAU-S", problem, linear,
                                                  {.initial_pulls = 2}, trials) &&
           good;
    good = compare<sau::Linear, sau::SauUcb>("Linear-SAU-UCB", problem, linear,
                                             {.initial_pulls = 2}, trials) &&
           good;
    sau::NeuralLinearOptions neural;
    neural.every = 40;
    neural.lr_decay = problem == "jester" ? 0.05 : 0.0;
    neural.lambda = rough ? 23.0 : 1.5;
    neural.a0 = rough ? 12.0 : 38.0;
    neural.b0 = rough ? 30.0 : 1.0;
    good =
        compare<sau::NeuralLinear, RareNeuralLinear<kAll>, RareNeuralLinear<kPart>, sau::Thompson>(
            "NeuralLinear", problem, neural, {.initial_pulls = 2}, trials) &&
        good;
    return good ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "06_rare_updates: %s\n", error.what());
    return 1;
  }
}
