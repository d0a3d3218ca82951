#include "sau/model/mlp.hpp"

#include <algorithm>
#include <cmath>

#include "sau/core/error.hpp"

namespace sau {

namespace {

Shape network_shape(const Shape& shape, MlpInput input) {
  if (input == MlpInput::kShared) return shape;
  constexpr double kMostInputs = 1e7;
  if (static_cast<double>(shape.actions) * static_cast<double>(shape.dim) > kMostInputs) {
    throw UsageError("mlp: input=disjoint needs " + std::to_string(shape.actions) + " blocks of " +
                     std::to_string(shape.dim) + " inputs; expected at most 1e7 inputs");
  }
  return {.actions = 1, .dim = shape.actions * shape.dim};
}

}  // namespace

void MlpOptions::check() const {
  if (batch == 0 || every == 0 || updates == 0) {
    throw UsageError("mlp: batch, every and updates are at least 1");
  }
  layer_units(hidden, 64);
}

Mlp::Mlp(const Setup& setup, Options options, const Langevin& langevin)
    : options_((options.check(), std::move(options))),
      langevin_(langevin),
      rng_(setup.stream.with(Role::kModel)),
      network_(network_shape(setup.shape, options_.input), layer_units(options_.hidden, 64), rng_,
               mlp_kernel(instruction_set())),
      trainer_(network_, options_.optimizer == Optimizer::kAdam, options_.batch),
      history_(setup.shape.dim, options_.history.limit, options_.standardise),
      batch_(disjoint() ? Batch::of_blocks(options_.batch, setup.shape.dim, setup.shape.actions)
                        : Batch(options_.batch, setup.shape.dim)),
      scale_{.mean = 0.0, .spread = options_.standardise ? 0.0 : 1.0},
      scratch_(network_),
      input_(setup.shape.dim),
      latest_(setup.shape.dim),
      value_(setup.shape.actions),
      feature_(static_cast<std::size_t>(options_.hidden.back())) {}

Mlp::Mlp(const Mlp& other, WithoutHistory)
    : options_(other.options_),
      langevin_(other.langevin_),
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
  SAU_ASSERT(can_grow(), "a network with a block per action cannot get more actions");
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
    if (disjoint()) {
      for (std::size_t a = 0; a < value_.size(); ++a) {
        value_[a] = network_.forward(input_, scratch_, a * latest_.size())[0];
      }
    } else {
      std::ranges::copy(network_.forward(input_, scratch_), value_.begin());
    }
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
  SAU_ASSERT(x.size() == latest_.size() && action < value_.size(), "a step of another shape");
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
    const double loss = trainer_.train(network_, batch_, step);
    if (langevin_.temperature > 0.0 || langevin_.decay > 0.0) shake(static_cast<double>(step.rate));
    return loss;
  };
  rounds_.step(options_, mini_batch, [this] { return trainer_.finite(network_); });
}

void Mlp::rescale() noexcept {
  const RewardScale now{rewards_.mean, std::sqrt(rewards_.variance)};
  network_.rescale_outputs(scale_.spread / now.spread, (scale_.mean - now.mean) / now.spread);
  scale_ = now;
}

void Mlp::shake(double rate) noexcept {
  const double share = 2.0 * rate / static_cast<double>(history_.size());
  const auto keep = static_cast<float>(1.0 - share * langevin_.decay);
  const auto deviation = static_cast<float>(std::sqrt(share * langevin_.temperature));
  float* weight = network_.weights().data();
  network_.each_run([&](std::size_t place, std::size_t count, std::size_t) {
    for (float* w = weight + place; w < weight + place + count; ++w) {
      *w = keep * *w + deviation * static_cast<float>(rng_.normal());
    }
  });
}

void Mlp::ignore() noexcept {
  if (history_.size() > 0) return;
  if (++rounds_.steps >= kMostIgnored) rounds_.fault = TrainingRounds::kInput;
}

void Mlp::restored() {
  if (!history_.valid(static_cast<Action>(value_.size()))) throw Error("its history is damaged");
  rounds_.check();
  has_input_ = has_output_ = false;
}

}  // namespace sau
