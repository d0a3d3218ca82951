// What happens when a network is trained towards the wrong targets? In the code released with the
// paper, NeuralGreedy's predictions, of shape (64, 1, K), meet targets of shape (64, K) and are
// spread over each other: every prediction is drawn towards every reward of the mini-batch. This
// program trains one network that way and one as defined, both epsilon-greedy:
//     07_broadcast_targets [PROBLEM [TRIALS [STEPS]]]     for example: 07_broadcast_targets statlog
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "sau/agent/agent.hpp"
#include "sau/agent/play.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/stats.hpp"
#include "sau/explore/epsilon_greedy.hpp"
#include "sau/model/mlp.hpp"

namespace {

// As sau::Mlp with its default settings, but for the targets: the mean reward of the mini-batch for
// every step of it. Towards that mean is where all its rewards together draw.
class BroadcastMlp {
 public:
  static constexpr std::string_view kName = "broadcast_mlp";
  static constexpr std::string_view kSummary = "mlp trained towards every reward of a mini-batch";
  static constexpr bool kUsesContext = true;
  static constexpr sau::RewardRange kRewards{};
  using Options = sau::NoOptions;

  explicit BroadcastMlp(const sau::Setup& setup, Options = {})
      : rng_(setup.stream),
        network_(setup.shape, kHidden, false, kBatch, rng_, *kernel_),
        history_(setup.shape.dim, 0),
        batch_(kBatch, setup.shape.dim),
        spread_(kBatch, setup.shape.dim),
        input_(setup.shape.dim),
        row_(setup.shape.dim),
        value_(setup.shape.actions) {}

  std::span<const double> values(sau::Context x) noexcept {
    input_.put(x, *kernel_);
    const auto out = network_.forward(input_);
    value_.assign(out.begin(), out.end());
    return value_;
  }

  void update(sau::Context x, sau::Action action, double reward) noexcept {
    input_.put(x, *kernel_);
    history_.add(input_, action, reward);
    if (++steps_ < 40 || steps_ % 20 != 0) return;
    for (int i = 0; i < 10; ++i) {
      history_.draw(rng_, batch_);
      spread();
      network_.train(spread_, {.rate = 0.003F, .keep2 = 0.99F, .take2 = 0.01F, .epsilon = 1e-8F});
    }
  }

  static void state(auto& self, auto&& field) { sau::Network::state(self.network_, field); }

 private:
  static constexpr std::size_t kBatch = 64, kHidden[] = {100, 100};

  // The steps of batch_, each with the mean of all rewards in place of its own.
  void spread() noexcept {
    const auto reward = batch_.reward();
    const double mean = std::accumulate(reward.begin(), reward.end(), 0.0) / kBatch;
    sau::Replay steps(row_.size(), kBatch);
    for (std::size_t r = 0; r < kBatch; ++r) {
      if (batch_.sparse()) {
        const sau::SparseLines lines = batch_.by_row();
        row_.assign(row_.size(), 0.0);
        for (auto k = lines.start[r]; k < lines.start[r + 1]; ++k) {
          row_[lines.index[k]] = lines.value[k];
        }
      } else {
        const float* from = batch_.dense() + r * row_.size();
        row_.assign(from, from + row_.size());
      }
      input_.put(row_, *kernel_);
      steps.add(input_, batch_.action()[r], mean);
    }
    steps.draw(rng_, spread_);
  }

  const sau::MlpKernel* kernel_ = &sau::mlp_kernel(sau::instruction_set());
  sau::Rng rng_;
  sau::Network network_;
  sau::Replay history_;
  sau::Batch batch_, spread_;
  sau::NetworkInput input_;
  std::vector<double> row_, value_;
  std::uint64_t steps_ = 0;
};

struct RegretSum {
  double regret = 0.0;
  bool step(sau::Action, double, double step_regret) noexcept {
    regret += step_regret;
    return true;
  }
};

template <class Model>
sau::Summary regret_of(const std::string& problem, std::uint64_t trials, std::uint64_t steps) {
  std::vector<double> regret;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    const sau::Stream stream = sau::problem_stream(sau::canonical_problem(problem), 1, trial);
    const auto world = sau::make_problem(problem, stream.with(sau::Role::kSetup));
    const sau::Setup setup{.shape = world->shape(), .stream = stream.with(sau::Role::kModel)};
    sau::Agent agent{
        Model{setup},
        sau::EpsilonGreedy{setup, {.epsilon = 0.046, .decay = 0.93, .initial_pulls = 2}}};
    sau::Streams rng{sau::Rng(stream), sau::Rng(stream.with(sau::Role::kAgent))};
    RegretSum record;
    sau::play(*world, agent, rng, steps == 0 ? world->default_steps() : steps, record);
    regret.push_back(record.regret);
  }
  return sau::summarise(regret);
}

}  // namespace

int main(int count, char** words) {
  try {
    const std::string problem = count > 1 ? words[1] : "wheel-0.70";
    const std::uint64_t trials = count > 2 ? std::strtoull(words[2], nullptr, 10) : 2;
    const std::uint64_t steps = count > 3 ? std::strtoull(words[3], nullptr, 10) : 0;
    const auto defined = regret_of<sau::Mlp>(problem, trials, steps);
    const auto broadcast = regret_of<BroadcastMlp>(problem, trials, steps);
    std::printf("NeuralGreedy's regret on %s, %llu trials\n", problem.c_str(),
                static_cast<unsigned long long>(trials));
    std::printf("  as defined          %9.0f +- %.0f\n", defined.mean, defined.sem);
    std::printf("  broadcast targets   %9.0f +- %.0f\n", broadcast.mean, broadcast.sem);
    return defined.mean < broadcast.mean ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "07_broadcast_targets: %s\n", error.what());
    return 1;
  }
}
