#include "sau/model/hashed_mlp.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "model/chunk_archive.hpp"
#include "sau/core/error.hpp"

namespace sau {
namespace {

std::vector<std::size_t> layer_units(const std::vector<double>& numbers) {
  return {numbers.begin(), numbers.end()};
}

// Of an input with this many features in context and action, crosses included.
float input_scale(std::size_t context, std::size_t action) noexcept {
  const std::size_t count = context + action + context * action;
  return 1.0F / std::sqrt(static_cast<float>(std::max<std::size_t>(count, 1)));
}

}  // namespace

void HashedMlpOptions::check() const {
  if (hidden.empty() || hidden.size() > 16) {
    throw UsageError("hidden: expected 1 to 16 layers, found " + std::to_string(hidden.size()));
  }
  for (const double units : hidden) {
    if (!(units >= 1.0) || units != std::floor(units)) {
      throw UsageError("hidden: " + format_number(units) +
                       " is not allowed; expected a whole number");
    }
  }
}

HashedMlp::HashedMlp(const Stream& stream, Options options)
    : options_((options.check(), std::move(options))),
      rng_(stream),
      weights_(
          static_cast<unsigned>(options_.bits),
          HashedNetwork(static_cast<unsigned>(options_.bits), layer_units(options_.hidden), rng_),
          SharedChunks<Weights::Chunk>((std::size_t{1} << options_.bits) / kChunk)),
      trainer_(weights_.network_, options_.optimizer == Optimizer::kAdam),
      moments_((std::size_t{1} << options_.bits) / kChunk),
      history_(options_.history) {}

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
  const std::size_t units = network_.units();
  std::vector<float> x;
  scale(context, x);
  std::vector<float> scratch(2 * units + 2 * network_.widest());
  float *common = scratch.data(), *sum = common + units, *rest = sum + units;
  std::vector<NetworkFeature> features;
  for (std::size_t i = 0; i < context.size(); ++i) {
    features.push_back({place_of(context[i].hash, bits_), x[i]});
  }
  network_.add_rows(features, common);
  const double spread = reward_spread();
  for (std::size_t k = 0; k < actions.size(); ++k) {
    features.clear();
    for (const HashedFeature& a : actions[k].features) {
      const float z = scaled(a);
      features.push_back({place_of(a.hash, bits_), z});
      for (std::size_t i = 0; i < context.size(); ++i) {
        features.push_back({place_of(crossed(context[i].hash, a.hash), bits_), z * x[i]});
      }
    }
    std::copy_n(common, units, sum);
    network_.add_rows(features, sum);
    const float factor = input_scale(context.size(), actions[k].features.size());
    for (std::size_t j = 0; j < units; ++j) sum[j] *= factor;
    const double value = rewards_.mean + spread * static_cast<double>(network_.output(sum, rest));
    out[k] = std::isfinite(value) ? value : 0.0;
  }
}

HashedMlp::Weights HashedMlp::published() {
  Weights copy(weights_.bits_, weights_.network_.shared(), weights_.scaling_.shared());
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
      continue;  // nothing to copy for published ones: most indicators
    }
    weights_.scaling_.writable(place / kChunk)[place % kChunk] = Standardised::of(moments);
  }
}

void HashedMlp::learn(HashedFeatures context, const JointAction& action, double reward) {
  if (fault_ != kNone) return;
  observe(context);
  observe(action.features);
  weights_.rewards_.add(reward);
  history_.add(context, action, reward);
  ++events_;
  if (events_ >= options_.start && events_ % options_.every == 0) train();
  weights_.fault_ = fault_ != kNone;
}

void HashedMlp::put(const HashedEvent& event) {
  const HashedFeatures context = event.context_features(), action = event.action().features;
  weights_.scale(context, context_);
  const float factor = input_scale(context.size(), action.size());
  const auto add = [&](std::uint64_t hash, float value) {
    batch_.features.push_back({place_of(hash, weights_.bits_), factor * value});
  };
  for (std::size_t i = 0; i < context.size(); ++i) add(context[i].hash, context_[i]);
  for (const HashedFeature& a : action) {
    const float z = weights_.scaled(a);
    add(a.hash, z);
    for (std::size_t i = 0; i < context.size(); ++i) {
      add(crossed(context[i].hash, a.hash), z * context_[i]);
    }
  }
  batch_.end.push_back(batch_.features.size());
  batch_.target.push_back(
      static_cast<float>((event.reward - weights_.rewards_.mean) / weights_.reward_spread()));
}

void HashedMlp::train() {
  for (std::uint64_t i = 0; i < options_.updates; ++i) {
    batch_.clear();
    for (std::uint64_t b = 0; b < options_.batch; ++b) put(history_[rng_.below(history_.size())]);
    const double loss = trainer_.backward(weights_.network_, batch_);
    if (!std::isfinite(loss)) {
      fault_ = kLoss;
      return;
    }
    const bool good = trainer_.apply(make_optimizer_step(options_.optimizer, options_.lr, updates_),
                                     weights_.network_);
    ++updates_;
    if (!good) {
      fault_ = kWeight;
      return;
    }
  }
}

std::string HashedMlp::fault() const {
  const std::string when = " after mini-batch " + std::to_string(updates_);
  switch (fault_) {
    case kLoss:
      return "diverged: the loss is not finite" + when + "; try a smaller lr";
    case kWeight:
      return "diverged: a weight is not finite or can move no more" + when + "; try a smaller lr";
    default:
      return {};
  }
}

void HashedMlp::save(StateWriter& writer) const {
  writer("rng", rng_);
  writer("events", events_);
  writer("updates", updates_);
  writer("fault", fault_);
  writer("reward_count", weights_.rewards_.count);
  writer("reward_mean", weights_.rewards_.mean);
  writer("reward_variance", weights_.rewards_.variance);
  save_chunks(writer, "moments", moments_);
  history_.save(writer);
  trainer_.save(writer, weights_.network_);
}

void HashedMlp::load(StateReader& reader) {
  reader("rng", rng_);
  reader("events", events_);
  reader("updates", updates_);
  reader("fault", fault_);
  if (fault_ > kWeight) throw Error("its fault is " + std::to_string(fault_) + ", which is none");
  weights_.fault_ = fault_ != kNone;
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
  trainer_.load(reader, weights_.network_);
}

}  // namespace sau
