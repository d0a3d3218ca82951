#include "sau/model/random_features.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "sau/kernel/instruction_set.hpp"
#include "sau/model/feature_scaling.hpp"

namespace sau {
namespace {

constexpr double kFarthest = 3.0;        // deviations from the mean
constexpr double kLargestInput = 1e100;  // whose square is finite
constexpr double kLeastSpread = 1e-12;   // of a variance, beside the squared mean

// t periods after a rising zero. Nearly sqrt(2) sin(2 pi t), and like that of mean square 1.
double wave(double t) noexcept {
  constexpr double kRound = 0x1.8p52;           // adding it rounds to a whole number
  constexpr double kUnit = 1.3693063937629153;  // sqrt(15 / 8)
  const double part = t - ((t + kRound) - kRound);
  return kUnit * part * (8.0 - 16.0 * std::abs(part));
}

}  // namespace

void RandomFeaturesOptions::check() const {
  if (lowest <= highest) return;
  throw UsageError("random_features: lowest=" + format_number(lowest) +
                   " is above highest=" + format_number(highest));
}

RandomFeatures::RandomFeatures(const Setup& setup, const Options& options)
    : kernel_((options.check(), &ridge_kernel(instruction_set()))),
      padded_(ridge_padded(setup.shape.dim)),
      direction_(options.features * padded_),
      phase_(options.features),
      mean_(setup.shape.dim),
      variance_(setup.shape.dim),
      scale_(setup.shape.dim),
      z_(padded_),
      wave_(options.features),
      width_(setup.shape.actions),
      ridge_({.actions = setup.shape.actions, .dim = options.features}, options.lambda, true) {
  Rng rng(setup.stream.with(Role::kModel));
  const double ratio = std::log(options.highest / options.lowest);
  for (std::size_t i = 0; i < phase_.size(); ++i) {
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(phase_.size());
    const double frequency = options.lowest * std::exp(share * ratio) / (2.0 * std::numbers::pi);
    phase_[i] = rng.uniform();
    for (std::size_t j = 0; j < mean_.size(); ++j) {
      direction_[i * padded_ + j] = frequency * rng.normal();
    }
  }
}

Context RandomFeatures::waves(Context x) noexcept {
  const double limit = kFarthest / std::sqrt(static_cast<double>(x.size()));
  for (std::size_t j = 0; j < x.size(); ++j) {
    z_[j] = std::clamp((x[j] - mean_[j]) * scale_[j], -limit, limit);
  }
  kernel_->products(direction_.data(), phase_.size(), padded_, z_.data(), wave_.data());
  for (std::size_t i = 0; i < wave_.size(); ++i) wave_[i] = wave(wave_[i] + phase_[i]);
  return wave_;
}

void RandomFeatures::follow(Context x) noexcept {
  count_ = std::min(count_ + 1.0, RunningMoments::kMemory);
  const double step = 1.0 / count_;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double number = std::clamp(x[j], -kLargestInput, kLargestInput);
    const double from_mean = number - mean_[j];
    mean_[j] += step * from_mean;
    variance_[j] += step * (from_mean * (number - mean_[j]) - variance_[j]);
  }
  rescale();
}

void RandomFeatures::rescale() noexcept {
  const auto columns = static_cast<double>(mean_.size());
  for (std::size_t j = 0; j < mean_.size(); ++j) {
    const bool varies = variance_[j] > kLeastSpread * mean_[j] * mean_[j];
    scale_[j] = varies ? 1.0 / std::sqrt(variance_[j] * columns) : 0.0;
  }
}

}  // namespace sau
