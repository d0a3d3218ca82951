// Your own value model, joined with SAU-UCB at compile time: no virtual call in the loop.
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "sau/agent/agent.hpp"
#include "sau/agent/play.hpp"
#include "sau/explore/sau_ucb.hpp"
#include "sau/model/sample_mean.hpp"
#include "sau/problem/bernoulli.hpp"

namespace {

struct ShrunkMeanOptions {
  double prior = 0.5;
  double strength = 1.0;
  void fields(auto&& field) {
    field("prior", prior, "value of an action before its first reward");
    field("strength", strength, "how many rewards the prior counts for",
          sau::Bounds{.min = 0.0, .open = true});
  }
};

// A mean drawn towards a prior:  (strength * prior + sum of rewards) / (strength + n_a).
class ShrunkMean {
 public:
  static constexpr std::string_view kName = "shrunk_mean";
  static constexpr std::string_view kSummary = "mean reward of every action, drawn to a prior";
  static constexpr bool kUsesContext = false;
  static constexpr sau::RewardRange kRewards{};
  using Options = ShrunkMeanOptions;

  explicit ShrunkMean(const sau::Setup& setup, Options options = {})
      : options_(options),
        sum_(setup.shape.actions),
        pulls_(setup.shape.actions),
        value_(setup.shape.actions, options.prior) {}

  std::span<const double> values(sau::Context) const noexcept { return value_; }

  void update(sau::Context, sau::Action action, double reward) noexcept {
    sum_[action] += reward;
    pulls_[action] += 1.0;
    refresh(action);
  }

  // The fields to save and load; one description for both.
  static void state(auto& self, auto&& field) {
    field("sum", self.sum_);
    field("pulls", self.pulls_);
  }
  // Called after loading: rebuilds what is not saved.
  void restored() noexcept {
    for (std::size_t a = 0; a < sum_.size(); ++a) refresh(static_cast<sau::Action>(a));
  }

 private:
  void refresh(sau::Action action) noexcept {
    value_[action] =
        (options_.strength * options_.prior + sum_[action]) / (options_.strength + pulls_[action]);
  }

  Options options_;
  std::vector<double> sum_, pulls_, value_;
};
static_assert(sau::ValueModel<ShrunkMean>);
static_assert(sau::Explores<sau::SauUcb, ShrunkMean>);

// A recorder for play() needs only step(), which returns false to end the trial.
struct RegretSum {
  double regret = 0.0;
  bool step(sau::Action, double, double step_regret) noexcept {
    regret += step_regret;
    return true;
  }
};

template <class Model>
double regret_of(std::uint64_t steps) {
  const sau::Stream stream{.seed = 3};
  sau::BernoulliOptions options;
  options.actions = 5;
  options.gap = 0.2;
  sau::Bernoulli problem(stream.with(sau::Role::kSetup), options);
  const sau::Setup setup{.shape = problem.shape(), .stream = stream};
  sau::Agent agent{Model{setup}, sau::SauUcb{setup}};
  sau::Streams rng{sau::Rng(stream), sau::Rng(stream.with(sau::Role::kAgent))};
  RegretSum record;
  sau::play(problem, agent, rng, steps, record);
  return record.regret;
}

}  // namespace

int main() {
  constexpr std::uint64_t kSteps = 20'000;
  const double shrunk = regret_of<ShrunkMean>(kSteps);
  const double mean = regret_of<sau::SampleMean>(kSteps);
  const double uniform = 0.2 * 4.0 / 5.0 * static_cast<double>(kSteps);
  std::printf("regret after %llu steps, 5 actions, gap 0.2\n",
              static_cast<unsigned long long>(kSteps));
  std::printf("  shrunk_mean + sau_ucb  %7.1f\n", shrunk);
  std::printf("  sample_mean + sau_ucb  %7.1f\n", mean);
  std::printf("  uniform choice         %7.1f (expected)\n", uniform);
  return shrunk < 0.1 * uniform && mean < 0.1 * uniform ? 0 : 1;
}
