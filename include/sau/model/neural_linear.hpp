#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "sau/model/linear_posterior.hpp"
#include "sau/model/mlp.hpp"

namespace sau {

struct NeuralLinearOptions : MlpOptions {
  double lambda = 0.25;
  double a0 = 6.0;
  double b0 = 6.0;
  void fields(auto&& field) {
    network_fields(field);
    field("lambda", lambda, "prior precision of the coefficients", kLambdaBounds);
    field("a0", a0, "prior shape of the noise variance", Bounds{.min = 0.25, .max = 1e9});
    field("b0", b0, "prior scale of the noise variance", Bounds{.min = 1e-100, .max = 1e100});
  }
};

// NeuralLinear (Riquelme et al. 2018; Zhu & Rigotti 2021, appendix E): the last hidden layer of an
// Mlp, and an intercept, as the features of a LinearPosterior. The features of a step are computed
// when the step is learned, before the network trains on it. They are not recomputed when the
// network changes. A context out of range for the Mlp is not learned from here either.
class NeuralLinear {
 public:
  static constexpr std::string_view kName = "neural_linear";
  static constexpr std::string_view kSummary =
      "normal-inverse-gamma posterior of a linear regression on an mlp's last hidden layer";
  static constexpr bool kUsesContext = true;
  static constexpr RewardRange kRewards = Mlp::kRewards;
  using Options = NeuralLinearOptions;
  // Its two ways to predict a value, for a committee.
  static constexpr std::array<std::string_view, 2> kOpinions{"network", "regression"};

  explicit NeuralLinear(const Setup& setup, const Options& options = {})
      : network_(setup, options),
        posterior_(
            {.shape = {.actions = setup.shape.actions, .dim = network_.feature_count()},
             .stream = setup.stream},
            {.lambda = options.lambda, .a0 = options.a0, .b0 = options.b0, .intercept = true}) {}

  std::span<const double> values(Context x) noexcept {
    return posterior_.values(network_.features(x));
  }
  std::span<const double> opinion(std::size_t i, Context x) noexcept {
    return i == 0 ? network_.values(x) : values(x);
  }
  std::span<const double> widths(Context x) noexcept {
    return posterior_.widths(network_.features(x));
  }
  std::span<const double> sample(Context x, Rng& rng) noexcept {
    return posterior_.sample(network_.features(x), rng);
  }
  auto marginals(Context x) { return posterior_.marginals(network_.features(x)); }

  void update(Context x, Action action, double reward) noexcept {
    if (Mlp::in_range(x)) posterior_.update(network_.features(x), action, reward);
    network_.update(x, action, reward);
  }

  void grow(Action actions) {
    network_.grow(actions);
    posterior_.grow(actions);
  }
  NeuralLinear for_reading() const { return NeuralLinear(network_.for_reading(), posterior_); }

  std::string fault() const { return network_.fault(); }

  Mlp& network() noexcept { return network_; }

  static void state(auto& self, auto&& field) {
    Mlp::state(self.network_, field);
    LinearPosterior::state(self.posterior_, field);
  }
  void restored() {
    network_.restored();
    posterior_.restored();
  }

 private:
  NeuralLinear(Mlp network, LinearPosterior posterior)
      : network_(std::move(network)), posterior_(std::move(posterior)) {}

  Mlp network_;
  LinearPosterior posterior_;
};

}  // namespace sau
