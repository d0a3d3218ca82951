#include "sau/model/hashed_mlp.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "model/chunk_archive.hpp"
#include "sau/core/error.hpp"

namespace sau {
namespace {

// The factor for an input with this many features in context and action; crosses count too.
float input_scale(std::size_t context, std::size_t action) noexcept {
  const std::size_t count = context + action + context * action;
  return 1.0F / std::sqrt(static_cast<float>(std::max<std::size_t>(count, 1)));
}

// What a feature of an action adds to the first layer if its value is 1: its own row, and those of
// its crosses with the context. Actions share features, so a sum may be wanted again, and is kept.
class CrossSums {
 public:
  CrossSums(std::size_t features, std::size_t width)
      : width_(width),
        places_(std::min(kMost, std::bit_ceil(2 * features + 1))),
        sums_((std::min(features, places_.size()) + 1) * width) {}

  struct Sum {
    float* sum = nullptr;
    bool known = false;  // it was computed before
  };
  // Room for the sum of this feature: kept, if its place is free, else valid until the next call.
  Sum find(std::uint64_t feature) noexcept {
    Place& place = places_[feature & (places_.size() - 1)];
    if (place.sum == 0) {
      place = {.feature = feature, .sum = ++used_};
      return {at(place.sum), false};
    }
    if (place.feature == feature) return {at(place.sum), true};
    std::fill_n(at(0), width_, 0.0F);
    return {at(0), false};
  }
  bool knows(std::uint64_t feature) const noexcept {
    const Place& place = places_[feature & (places_.size() - 1)];
    return place.sum != 0 && place.feature == feature;
  }

 private:
  static constexpr std::size_t kMost = 1024;
  struct Place {
    std::uint64_t feature = 0;
    std::uint32_t sum = 0;  // 0: none yet
  };

  float* at(std::uint32_t sum) noexcept { return sums_.data() + sum * width_; }

  std::size_t width_;
  std::vector<Place> places_;
  AlignedVector<float> sums_;  // the first one is not kept
  std::uint32_t used_ = 0;
};

}  // namespace

void HashedMlpOptions::check() const { layer_units(hidden, 16); }

HashedMlp::HashedMlp(const Stream& stream, Options options)
    : options_((options.check(), std::move(options))),
      rng_(stream),
      weights_(
          static_cast<unsigned>(options_.bits),
          std::make_shared<Network>(Shape{.actions = 1, .dim = 0}, layer_units(options_.hidden, 16),
                                    rng_, mlp_kernel(instruction_set())),
          FeatureTable(static_cast<unsigned>(options_.bits),
                       static_cast<std::size_t>(options_.hidden.front())),
          SharedChunks<Weights::Chunk>((std::size_t{1} << options_.bits) / kChunk)),
      trainer_(*weights_.network_, weights_.bits_, options_.optimizer == Optimizer::kAdam,
               options_.batch),
      moments_((std::size_t{1} << options_.bits) / kChunk),
      history_(options_.history),
      batch_(Batch::hashed(options_.batch, weights_.bits_)) {}

void HashedMlp::Weights::scale(HashedFeatures features, std::vector<float>& out) const {
  out.resize(features.size());
  for (std::size_t i = 0; i < features.size(); ++i) out[i] = scaled(features[i]);
}

double HashedMlp::Weights::reward_spread() const noexcept {
  const double spread = std::sqrt(rewards_.variance);
  return spread > 1e-6 * std::abs(rewards_.mean) ? spread : 1.0;
}

void HashedMlp::Weights::values(HashedFeatures context, std::span<const JointAction> actions,
                                std::span<double> out) const {
  if (fault_) {
    std::ranges::fill(out, 0.0);
    return;
  }
  std::vector<float> x;
  scale(context, x);
  Network::Scratch scratch(*network_);
  const std::size_t width = table_.width();
  AlignedVector<float> common(width);
  FeatureRows rows;
  for (std::size_t i = 0; i < context.size(); ++i) {
    rows.ask(place_of(context[i].hash, bits_), x[i]);
  }
  rows.look_up(table_);
  rows.add_to(common.data(), width, network_->kernel());
  const double spread = reward_spread();
  std::size_t features = 0;
  for (const JointAction& action : actions) features += action.features.size();
  CrossSums sums(features, width);
  for (std::size_t k = 0; k < actions.size(); ++k) {
    rows.clear();
    for (const HashedFeature& a : actions[k].features) {
      if (!sums.knows(a.hash)) {
        rows.ask(place_of(a.hash, bits_), 1.0F);
        for (std::size_t i = 0; i < context.size(); ++i) {
          rows.ask(place_of(crossed(context[i].hash, a.hash), bits_), x[i]);
        }
      }
      rows.end_part();
    }
    rows.look_up(table_);
    const std::span<float> sum = scratch.row().first(width);
    std::ranges::copy(common, sum.begin());
    for (std::size_t j = 0; j < actions[k].features.size(); ++j) {
      const HashedFeature& a = actions[k].features[j];
      const auto [crosses, known] = sums.find(a.hash);
      if (!known) rows.add_part_to(j, crosses, width, network_->kernel());
      const float z = scaled(a);
      network_->kernel().sum_rows(&crosses, &z, 1, width, sum.data());
    }
    const float factor = input_scale(context.size(), actions[k].features.size());
    for (float& unit : sum) unit *= factor;
    const auto output = static_cast<double>(network_->forward_sum(scratch)[0]);
    const double value = rewards_.mean + spread * output;
    out[k] = std::isfinite(value) ? value : 0.0;
  }
}

HashedMlp::Weights HashedMlp::published() {
  Weights copy(weights_.bits_, weights_.network_, weights_.table_.shared(),
               weights_.scaling_.shared());
  network_shared_ = true;
  copy.fault_ = weights_.fault_;
  copy.rewards_ = weights_.rewards_;
  return copy;
}

void HashedMlp::observe(HashedFeatures features) {
  for (const HashedFeature& feature : features) {
    const std::uint32_t place = place_of(feature.hash, weights_.bits_);
    RunningMoments& moments = moments_.writable(place / kChunk)[place % kChunk];
    const RunningMoments before = moments;
    moments.add(static_cast<double>(feature.value));
    if (before.count > 0.0 && before.mean == moments.mean && before.variance == moments.variance) {
      continue;  // unchanged, as for most indicators: do not copy a shared chunk
    }
    weights_.scaling_.writable(place / kChunk)[place % kChunk] = Standardised::of(moments);
  }
}

void HashedMlp::learn(HashedFeatures context, const JointAction& action, double reward) {
  if (rounds_.fault != TrainingRounds::kNone) return;
  observe(context);
  observe(action.features);
  weights_.rewards_.add(reward);
  history_.add(context, action, reward);
  rounds_.step(
      options_, [this](const OptimizerStep& step) { return train(step); },
      [this] { return trainer_.finite(*weights_.network_); });
  weights_.fault_ = rounds_.fault != TrainingRounds::kNone;
}

void HashedMlp::put(const HashedEvent& event) {
  const HashedFeatures context = event.context_features(), action = event.action().features;
  weights_.scale(context, context_);
  const float factor = input_scale(context.size(), action.size());
  const auto add = [&](std::uint64_t hash, float value) {
    batch_.add(place_of(hash, weights_.bits_), factor * value);
  };
  for (std::size_t i = 0; i < context.size(); ++i) add(context[i].hash, context_[i]);
  for (const HashedFeature& a : action) {
    const float z = weights_.scaled(a);
    add(a.hash, z);
    for (std::size_t i = 0; i < context.size(); ++i) {
      add(crossed(context[i].hash, a.hash), z * context_[i]);
    }
  }
  batch_.end_row(
      static_cast<float>((event.reward - weights_.rewards_.mean) / weights_.reward_spread()));
}

double HashedMlp::train(const OptimizerStep& step) {
  if (network_shared_) {
    weights_.network_ = std::make_shared<Network>(*weights_.network_);
    network_shared_ = false;
  }
  batch_.clear();
  for (std::uint64_t b = 0; b < options_.batch; ++b) put(history_[rng_.below(history_.size())]);
  return trainer_.train(*weights_.network_, weights_.table_, batch_, step);
}

void HashedMlp::save(StateWriter& writer) const {
  writer("rng", rng_);
  writer("events", rounds_.steps);
  writer("updates", rounds_.updates);
  writer("fault", rounds_.fault);
  writer("reward_count", weights_.rewards_.count);
  writer("reward_mean", weights_.rewards_.mean);
  writer("reward_variance", weights_.rewards_.variance);
  save_chunks(writer, "moments", moments_);
  history_.save(writer);
  trainer_.save(writer, *weights_.network_, weights_.table_);
}

void HashedMlp::load(StateReader& reader) {
  reader("rng", rng_);
  reader("events", rounds_.steps);
  reader("updates", rounds_.updates);
  reader("fault", rounds_.fault);
  rounds_.check();
  weights_.fault_ = rounds_.fault != TrainingRounds::kNone;
  reader("reward_count", weights_.rewards_.count);
  reader("reward_mean", weights_.rewards_.mean);
  reader("reward_variance", weights_.rewards_.variance);
  load_chunks(reader, "moments", moments_);
  weights_.scaling_ = SharedChunks<Weights::Chunk>(moments_.size());
  for (std::size_t i = 0; i < moments_.size(); ++i) {
    if (moments_[i] == nullptr) continue;
    Weights::Chunk& chunk = weights_.scaling_.writable(i);
    for (std::size_t k = 0; k < kChunk; ++k) chunk[k] = Standardised::of((*moments_[i])[k]);
  }
  history_.load(reader);
  weights_.network_ = std::make_shared<Network>(*weights_.network_);
  network_shared_ = false;
  trainer_.load(reader, *weights_.network_, weights_.table_);
}

}  // namespace sau
