// What does it cost to update a model rarely? The code released with the paper updates its linear
// regressions once in 20 steps, and then only the action just played; this library updates every
// action at every step it is played. A wrapper around any model shows the difference, on any
// problem:
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

// Model M, which at every 20th step learns what the action just played has waiting. What the other
// actions have waiting stays there until it is one of them that is played at such a step.
template <class M>
class Rarely {
 public:
  static constexpr std::string_view kName = "rarely";
  static constexpr std::string_view kSummary = "another model, updated once in 20 steps";
  static constexpr bool kUsesContext = M::kUsesContext;
  static constexpr sau::RewardRange kRewards = M::kRewards;
  using Options = typename M::Options;

  explicit Rarely(const sau::Setup& setup, const Options& options = {})
      : model_(setup, options), waiting_(setup.shape.actions) {}

  std::span<const double> values(sau::Context x) noexcept { return model_.values(x); }
  std::span<const double> sample(sau::Context x,
                                 sau::Rng& rng) noexcept requires sau::PosteriorModel<M> {
    return model_.sample(x, rng);
  }
  auto marginals(sau::Context x) requires sau::PosteriorModel<M> { return model_.marginals(x); }

  void update(sau::Context x, sau::Action action, double reward) noexcept {
    waiting_[action].push_back({{x.begin(), x.end()}, reward});
    if (++steps_ % 20 != 0) return;
    for (const Step& step : waiting_[action]) model_.update(step.x, action, step.reward);
    waiting_[action].clear();
  }

  static void state(auto& self, auto&& field) { M::state(self.model_, field); }

 private:
  struct Step {
    std::vector<double> x;
    double reward;
  };
  M model_;
  std::vector<std::vector<Step>> waiting_;
  std::uint64_t steps_ = 0;
};

// sau::NeuralLinear with such a posterior: its network trains as ever.
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
  Rarely<sau::LinearPosterior> posterior_;
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

template <class Model, class Rare, class Strategy>
bool compare(const char* name, const std::string& problem,
             const typename Model::Options& model_options,
             const typename Strategy::Options& strategy_options, std::uint64_t trials) {
  const auto always = regret_of<Model, Strategy>(problem, model_options, strategy_options, trials);
  const auto rarely = regret_of<Rare, Strategy>(problem, model_options, strategy_options, trials);
  std::printf("  %-16s %9.0f +- %-7.0f %9.0f +- %-7.0f\n", name, always.mean, always.sem,
              rarely.mean, rarely.sem);
  return std::isfinite(always.mean) && std::isfinite(rarely.mean);
}

}  // namespace

int main(int count, char** words) {
  try {
    const std::string problem = count > 1 ? words[1] : "wheel-0.70";
    const std::uint64_t trials = count > 2 ? std::strtoull(words[2], nullptr, 10) : 5;
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
    std::printf("regret on %s, %llu trials   updated at every step   once in 20 steps\n",
                problem.c_str(), static_cast<unsigned long long>(trials));
    bool good = compare<sau::LinearPosterior, Rarely<sau::LinearPosterior>, sau::Thompson>(
        "LinearPosterior", problem, posterior, {.initial_pulls = 2}, trials);
    good = compare<sau::Linear, Rarely<sau::Linear>, sau::EpsilonGreedy>(
               "LinearGreedy", problem, linear,
               {.epsilon = 0.046, .decay = 0.93, .initial_pulls = 2}, trials) &&
           good;
    good = compare<sau::Linear, Rarely<sau::Linear>, sau::SauSampling>(
               "Linear-SAU-S", problem, linear, {.initial_pulls = 2}, trials) &&
           good;
    good = compare<sau::Linear, Rarely<sau::Linear>, sau::SauUcb>("Linear-SAU-UCB", problem, linear,
                                                                  {.initial_pulls = 2}, trials) &&
           good;
    sau::NeuralLinearOptions neural;
    neural.every = 40;
    neural.lr_decay = problem == "jester" ? 0.05 : 0.0;
    neural.lambda = rough ? 23.0 : 1.5;
    neural.a0 = rough ? 12.0 : 38.0;
    neural.b0 = rough ? 30.0 : 1.0;
    good = compare<sau::NeuralLinear, RareNeuralLinear, sau::Thompson>(
               "NeuralLinear", problem, neural, {.initial_pulls = 2}, trials) &&
           good;
    return good ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "06_rare_updates: %s\n", error.what());
    return 1;
  }
}
