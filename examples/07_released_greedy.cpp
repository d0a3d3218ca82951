// Why is the paper's NeuralGreedy so far behind? In the code released with the paper, the actions
// are a column, so a mask of shape (64, 1, K) is broadcast over predictions of shape (64, K).
// Written out, the loss of a mini-batch is then
//     sum_j sum_k count_k (prediction_k(x_j) - reward_j)^2 / 64
// where count_k is the number of steps in the mini-batch that played action k. Every action's
// output at a context is fitted to a reward that another action may have earned there. This program
// trains one network that way and one as defined, both epsilon-greedy:
//     07_released_greedy [PROBLEM [TRIALS [STEPS]]]       07_released_greedy statlog 10
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "released.hpp"
#include "sau/agent/agent.hpp"
#include "sau/explore/epsilon_greedy.hpp"
#include "sau/model/mlp.hpp"

namespace {

// Replaces MlpKernel::output_errors, which fits only the chosen action's output.
double spread_errors(const float* x, std::size_t count, std::size_t width,
                     const sau::MlpOutput& layer, const std::uint32_t* action, const float* reward,
                     float* delta) noexcept {
  const std::uint32_t actions = *std::max_element(action, action + count) + 1;
  double sum = 0.0;
  std::fill(delta, delta + count * width, 0.0F);
  for (std::uint32_t k = 0; k < actions; ++k) {
    const auto times = static_cast<float>(std::count(action, action + count, k));
    if (times == 0.0F) continue;
    const float* weight = layer.weight + k * width;
    float* gradient = layer.weight_gradient + k * width;
    for (std::size_t j = 0; j < count; ++j) {
      const float* row = x + j * width;
      float out = layer.bias[k];
      for (std::size_t i = 0; i < width; ++i) out += weight[i] * row[i];
      const float error = out - reward[j];
      const float g = 2.0F * times * error / static_cast<float>(count);
      sum += static_cast<double>(times * error * error);
      layer.bias_gradient[k] += g;
      for (std::size_t i = 0; i < width; ++i) {
        gradient[i] += g * row[i];
        if (row[i] > 0.0F) delta[j * width + i] += g * weight[i];
      }
    }
  }
  return sum;
}

const sau::MlpKernel& spread_kernel() {
  static const sau::MlpKernel kernel = [] {
    sau::MlpKernel changed = sau::mlp_kernel(sau::instruction_set());
    changed.output_errors = spread_errors;
    return changed;
  }();
  return kernel;
}

// Like sau::Mlp with its default settings except lr_decay, but with the released loss.
class SpreadMlp {
 public:
  static constexpr std::string_view kName = "spread_mlp";
  static constexpr std::string_view kSummary = "mlp with the loss of the released code";
  static constexpr bool kUsesContext = true;
  static constexpr sau::RewardRange kRewards{};
  using Options = sau::MlpOptions;

  explicit SpreadMlp(const sau::Setup& setup, const Options& options = {})
      : lr_decay_(options.lr_decay),
        rng_(setup.stream),
        network_(setup.shape, kHidden, rng_, spread_kernel()),
        trainer_(network_, false, kBatch),
        scratch_(network_),
        history_(setup.shape.dim, 0),
        batch_(kBatch, setup.shape.dim),
        input_(setup.shape.dim),
        value_(setup.shape.actions) {}

  std::span<const double> values(sau::Context x) noexcept {
    input_.put(x, spread_kernel());
    std::ranges::copy(network_.forward(input_, scratch_), value_.begin());
    return value_;
  }

  void update(sau::Context x, sau::Action action, double reward) noexcept {
    input_.put(x, spread_kernel());
    history_.add(input_, action, reward);
    if (++steps_ < 40 || steps_ % 20 != 0) return;
    for (int i = 0; i < 10; ++i) {
      const double rate = 0.003 / (1.0 + lr_decay_ * static_cast<double>(updates_++));
      history_.draw(rng_, batch_);
      trainer_.train(
          network_, batch_,
          {.rate = static_cast<float>(rate), .keep2 = 0.99F, .take2 = 0.01F, .epsilon = 1e-8F});
    }
  }

  static void state(auto& self, auto&& field) {
    sau::Network::state(self.network_, field);
    sau::NetworkTrainer::state(self.trainer_, field);
  }

 private:
  static constexpr std::size_t kBatch = 64, kHidden[] = {100, 100};

  double lr_decay_;
  sau::Rng rng_;
  sau::Network network_;
  sau::NetworkTrainer trainer_;
  sau::Network::Scratch scratch_;
  sau::Replay history_;
  sau::Batch batch_;
  sau::NetworkInput input_;
  std::vector<double> value_;
  std::uint64_t steps_ = 0, updates_ = 0;
};

template <class Model>
sau::Summary greedy_regret(const std::string& problem, std::uint64_t trials, std::uint64_t steps,
                           const sau::MlpOptions& options) {
  return regret_of(problem, trials, steps, [&](const sau::Setup& setup) {
    return sau::Agent{
        Model{setup, options},
        sau::EpsilonGreedy{setup, {.epsilon = 0.046, .decay = 0.93, .initial_pulls = 2}}};
  });
}

}  // namespace

int main(int count, char** words) {
  try {
    const std::string problem = count > 1 ? words[1] : "wheel-0.70";
    const std::uint64_t trials = count > 2 ? std::strtoull(words[2], nullptr, 10) : 2;
    const std::uint64_t steps = count > 3 ? std::strtoull(words[3], nullptr, 10) : 0;
    sau::MlpOptions options;
    options.lr_decay = problem == "jester" ? 0.05 : 0.0;
    const auto defined = greedy_regret<sau::Mlp>(problem, trials, steps, options);
    const auto released = greedy_regret<SpreadMlp>(problem, trials, steps, options);
    std::printf("NeuralGreedy's regret on %s, %llu trials\n", problem.c_str(),
                static_cast<unsigned long long>(trials));
    std::printf("  as defined   %9.0f +- %.0f\n", defined.mean, defined.sem);
    std::printf("  as released  %9.0f +- %.0f\n", released.mean, released.sem);
    return defined.mean < released.mean ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "07_released_greedy: %s\n", error.what());
    return 1;
  }
}
