#include "sau/model/mlp.hpp"

#include <algorithm>
#include <cmath>

#include "sau/core/error.hpp"

namespace sau {

void MlpOptions::check() const {
  if (batch == 0 || every == 0 || updates == 0) {
    throw UsageError("mlp: batch, every and updates are at least 1");
  }
  layer_units(hidden, 64);
}

Mlp::Mlp(const Setup& setup, Options options)
    : options_((options.check(), std::move(options))),
      rng_(setup.stream.with(Role::kModel)),
      network_(setup.shape, layer_units(options_.hidden, 64), rng_, mlp_kernel(instruction_set())),
      trainer_(network_, options_.optimizer == Optimizer::kAdam, options_.batch),
      history_(setup.shape.dim, options_.history.limit, options_.standardise),
      batch_(options_.batch, setup.shape.dim),
      scale_{.mean = 0.0, .spread = options_.standardise ? 0.0 : 1.0},
      scratch_(network_),
      input_(setup.shape.dim),
      latest_(setup.shape.dim),
      value_(setup.shape.actions),
      feature_(static_cast<std::size_t>(options_.hidden.back())) {}

Mlp::Mlp(const Mlp& other, WithoutHistory)
    : options_(other.options_),
      rng_(other.rng_),
      network_(other.network_),
      trainer_(other.trainer_),
      history_(other.latest_.size(), 1),
      batch_(1, other.latest_.size()),
      rounds_(other.rounds_),
      rewards_(other.rewards_),
      scale_(other.scale_),
      scratch_(network_),
      input_(other.latest_.size()),
      latest_(other.latest_.size()),
      value_(other.value_.size()),
      feature_(other.feature_.size()) {}

void Mlp::grow(Action actions) {
  trainer_.grow(network_, actions);
  network_.grow(actions, rng_);
  scratch_ = Network::Scratch(network_);
  value_.resize(actions);
  has_output_ = false;
}

bool Mlp::put(Context x) noexcept {
  if (has_input_ && std::ranges::equal(x, latest_)) return true;
  input_.put(x, network_.kernel());
  in_range_ = in_range(x);
  std::ranges::copy(x, latest_.begin());
  has_input_ = true;
  return false;
}

void Mlp::look(Context x) noexcept {
  if (put(x) && has_output_) return;
  has_output_ = true;
  if (in_range_ && rounds_.fault == TrainingRounds::kNone) {
    const auto finite = [](double v) { return std::isfinite(v); };
    std::ranges::copy(network_.forward(input_, scratch_), value_.begin());
    if (options_.standardise) {
      for (double& value : value_) value = scale_.mean + scale_.spread * value;
    }
    std::ranges::copy(network_.features(scratch_), feature_.begin());
    if (std::ranges::all_of(value_, finite) && std::ranges::all_of(feature_, finite)) return;
  }
  std::ranges::fill(value_, 0.0);
  std::ranges::fill(feature_, 0.0);
}

void Mlp::update(Context x, Action action, double reward) noexcept {
  SAU_ASSERT(x.size() == latest_.size() && action < network_.actions(), "a step of another shape");
  if (rounds_.fault != TrainingRounds::kNone) return;
  if (!put(x)) has_output_ = false;
  if (!in_range_) {
    ignore();
    return;
  }
  if (!history_.add(input_, action, reward)) {
    rounds_.fault = TrainingRounds::kMemory;
    has_output_ = false;
    return;
  }
  if (options_.standardise) {
    rewards_.add(reward);
    if (rounds_.updates == 0) {
      scale_ = {rewards_.mean, std::sqrt(rewards_.variance)};
      has_output_ = false;
    }
    if (!(rewards_.variance > 0.0)) {
      ++rounds_.steps;
      return;
    }
  }
  bool rescaled = !options_.standardise;
  const auto mini_batch = [&](const OptimizerStep& step) {
    has_output_ = false;
    if (!rescaled) rescale();
    rescaled = true;
    history_.draw(rng_, batch_, scale_);
    return trainer_.train(network_, batch_, step);
  };
  rounds_.step(options_, mini_batch, [this] { return trainer_.finite(network_); });
}

void Mlp::rescale() noexcept {
  const RewardScale now{rewards_.mean, std::sqrt(rewards_.variance)};
  network_.rescale_outputs(scale_.spread / now.spread, (scale_.mean - now.mean) / now.spread);
  scale_ = now;
}

void Mlp::ignore() noexcept {
  if (history_.size() > 0) return;
  if (++rounds_.steps >= kMostIgnored) rounds_.fault = TrainingRounds::kInput;
}

void Mlp::restored() {
  if (!history_.valid(network_.actions())) throw Error("its history is damaged");
  rounds_.check();
  has_input_ = has_output_ = false;
}

}  // namespace sau
