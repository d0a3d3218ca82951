#include "sau/model/mlp.hpp"

#include <algorithm>
#include <cmath>

#include "sau/core/error.hpp"

namespace sau {
namespace {

std::vector<std::size_t> whole(const std::vector<double>& numbers) {
  return {numbers.begin(), numbers.end()};
}

}  // namespace

void MlpOptions::check() const {
  if (batch == 0 || every == 0 || updates == 0) {
    throw UsageError("mlp: batch, every and updates are at least 1");
  }
  if (hidden.empty() || hidden.size() > 64) {
    throw UsageError("hidden: expected 1 to 64 layers, found " + std::to_string(hidden.size()));
  }
  constexpr double kMostWeights = 1e8;  // between two layers: 400 MB
  double before = 0.0;
  for (const double units : hidden) {
    if (!(units >= 1.0) || units != std::floor(units)) {
      throw UsageError("hidden: " + format_number(units) +
                       " is not allowed; expected a whole number");
    }
    if (before * units > kMostWeights) {
      throw UsageError("hidden: " + format_number(before) + "x" + format_number(units) +
                       " is not allowed; expected at most 1e8 weights between two layers");
    }
    before = units;
  }
}

Mlp::Mlp(const Setup& setup, Options options)
    : options_((options.check(), std::move(options))),
      actions_(setup.shape.actions),
      rng_(setup.stream.with(Role::kModel)),
      kernel_(&mlp_kernel(instruction_set())),
      network_(setup.shape, whole(options_.hidden), options_.optimizer == Optimizer::kAdam,
               options_.batch, rng_, *kernel_),
      history_(setup.shape.dim, options_.history.limit),
      batch_(options_.batch, setup.shape.dim),
      input_(setup.shape.dim),
      latest_(setup.shape.dim),
      value_(setup.shape.actions),
      feature_(static_cast<std::size_t>(options_.hidden.back())) {}

bool Mlp::is_latest(Context x) const noexcept {
  return has_input_ && std::ranges::equal(x, latest_);
}

void Mlp::look(Context x) noexcept {
  const bool same = is_latest(x);
  if (same && has_output_) return;
  if (!same) {
    input_.put(x, *kernel_);
    std::ranges::copy(x, latest_.begin());
    has_input_ = true;
  }
  if (fault_ == kNone) {
    std::ranges::copy(network_.forward(input_), value_.begin());
    std::ranges::copy(network_.features(), feature_.begin());
    if (!std::ranges::all_of(value_, [](double v) { return std::isfinite(v); })) fault_ = kOutput;
  }
  if (fault_ != kNone) {
    std::ranges::fill(value_, 0.0);
    std::ranges::fill(feature_, 0.0);
  }
  has_output_ = true;
}

void Mlp::update(Context x, Action action, double reward) noexcept {
  SAU_ASSERT(x.size() == latest_.size() && action < actions_, "a step of another shape");
  if (fault_ != kNone) return;
  if (!is_latest(x)) {
    input_.put(x, *kernel_);
    std::ranges::copy(x, latest_.begin());
    has_input_ = true;
    has_output_ = false;
  }
  if (!history_.add(input_, action, reward)) {
    fault_ = kMemory;
    has_output_ = false;
    return;
  }
  ++steps_;
  if (steps_ >= options_.start && steps_ % options_.every == 0) train();
}

void Mlp::train() noexcept {
  has_output_ = false;
  for (std::uint64_t i = 0; i < options_.updates; ++i) {
    history_.draw(rng_, batch_);
    const double loss = network_.train(batch_, optimizer_step());
    ++updates_;
    if (!std::isfinite(loss)) {
      fault_ = kLoss;
      return;
    }
  }
  if (!network_.finite()) fault_ = kWeight;
}

OptimizerStep Mlp::optimizer_step() const noexcept {
  const double rate = options_.lr / (1.0 + options_.lr_decay * static_cast<double>(updates_));
  return make_optimizer_step(options_.optimizer, rate, updates_);
}

std::string Mlp::fault() const {
  const std::string when = " after mini-batch " + std::to_string(updates_);
  switch (fault_) {
    case kLoss:
      return "diverged: the loss is not finite" + when + "; try a smaller lr";
    case kWeight:
      return "diverged: a weight is not finite or can move no more" + when + "; try a smaller lr";
    case kOutput:
      return "diverged: an output is not finite" + when + "; try a smaller lr";
    case kMemory:
      return "no memory for a history of more than " + std::to_string(history_.size()) +
             " steps; set history";
    default:
      return {};
  }
}

void Mlp::restored() {
  if (!history_.valid(actions_)) throw Error("its history is damaged");
  if (fault_ > kMemory) throw Error("its fault is " + std::to_string(fault_) + ", which is none");
  has_input_ = has_output_ = false;
}

}  // namespace sau
