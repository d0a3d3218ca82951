#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sau/model/gradient_covariance.hpp"
#include "sau/model/mlp.hpp"

namespace sau {

struct NeuralGradientOptions : MlpOptions {
  double lambda = 1.0;
  double nu = 1.0;
  void fields(auto&& field) {
    MlpOptions::fields(field);
    field("lambda", lambda, "prior precision of every weight", Bounds{.min = 1e-20, .max = 1e20});
    field("nu", nu, "standard deviation of a posterior draw, in widths",
          Bounds{.min = 0.0, .max = 1e20});
  }
};

// An Mlp whose values have a width from the gradients of its outputs (GradientCovariance). With
// lin_ucb it is NeuralUCB (Zhou et al. 2020), with thompson NeuralTS (Zhang et al. 2021), both with
// a diagonal matrix, as those papers run them. The gradient of a step is taken when the step is
// learned, before the network trains on it.
class NeuralGradient {
 public:
  static constexpr std::string_view kName = "neural_gradient";
  static constexpr std::string_view kSummary =
      "mlp with widths from the gradients of its weights, for NeuralUCB and NeuralTS";
  static constexpr bool kUsesContext = true;
  static constexpr RewardRange kRewards = Mlp::kRewards;
  using Options = NeuralGradientOptions;

  explicit NeuralGradient(const Setup& setup, const Options& options = {})
      : NeuralGradient(Mlp(setup, options), options, setup.shape) {}

  std::span<const double> values(Context x) noexcept { return network_.values(x); }
  std::span<const double> widths(Context x) noexcept {
    put(x);
    for (Action a = 0; a < width_.size(); ++a) {
      if (a == 0 || network_.disjoint()) look(a);
      width_[a] = network_.output_spread() * covariance_.width(network_.network(), output(a));
    }
    return width_;
  }
  std::span<const double> sample(Context x, Rng& rng) noexcept {
    const auto value = values(x);
    const auto width = widths(x);
    for (std::size_t a = 0; a < draw_.size(); ++a) {
      draw_[a] = value[a] + nu_ * width[a] * rng.normal();
    }
    return draw_;
  }
  std::vector<NormalMarginal> marginals(Context x) {
    const auto value = values(x);
    const auto width = widths(x);
    std::vector<NormalMarginal> result;
    for (std::size_t a = 0; a < value.size(); ++a) result.push_back({value[a], nu_ * width[a]});
    return result;
  }

  void update(Context x, Action action, double reward) noexcept {
    if (Mlp::in_range(x)) {
      put(x);
      look(action);
      covariance_.add(network_.network(), output(action));
    }
    network_.update(x, action, reward);
  }

  void grow(Action actions) {
    covariance_.grow(network_.network(), actions);
    network_.grow(actions);
    width_.resize(actions);
    draw_.resize(actions);
  }
  bool can_grow() const noexcept { return network_.can_grow(); }
  NeuralGradient for_reading() const { return NeuralGradient(*this, network_.for_reading()); }

  std::string fault() const { return network_.fault(); }

  Mlp& network() noexcept { return network_; }

  static void state(auto& self, auto&& field) {
    Mlp::state(self.network_, field);
    GradientCovariance::state(self.covariance_, field);
  }
  void restored() { network_.restored(); }

 private:
  NeuralGradient(Mlp network, const Options& options, const Shape& shape)
      : network_(std::move(network)),
        covariance_(network_.network(), options.lambda),
        nu_(options.nu),
        input_(shape.dim),
        width_(shape.actions),
        draw_(shape.actions) {}
  NeuralGradient(const NeuralGradient& other, Mlp network)
      : network_(std::move(network)),
        covariance_(other.covariance_),
        nu_(other.nu_),
        input_(other.input_),
        width_(other.width_),
        draw_(other.draw_) {}

  void put(Context x) noexcept { input_.put(x, network_.network().kernel()); }
  // Runs the network on the context for this action.
  void look(Action action) noexcept {
    const std::size_t first = network_.disjoint() ? action * input_.dense().size() : 0;
    covariance_.look(network_.network(), input_, first);
  }
  Action output(Action action) const noexcept { return network_.disjoint() ? 0 : action; }

  Mlp network_;
  GradientCovariance covariance_;
  double nu_;
  NetworkInput input_;
  std::vector<double> width_, draw_;
};

}  // namespace sau
