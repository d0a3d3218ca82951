#include "sau/model/hashed_linear.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "model/chunk_archive.hpp"
#include "sau/core/error.hpp"
#include "sau/core/stack_memory.hpp"

namespace sau {
namespace {

constexpr double kSmallestFeature = 1e-30;  // its inverse is still far from overflow
constexpr double kLargestFloat = std::numeric_limits<float>::max();

// The order of equal places stays. Places are hashes, so a first pass by their highest bits leaves
// little to do.
void sort_by_place(std::vector<PlacedFeature>& features, std::uint64_t bits) {
  constexpr unsigned kBucketBits = 8;
  constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits, kFew = 16;
  const auto by_place = [](std::span<PlacedFeature> part) {
    if (part.size() > kFew) return void(std::ranges::stable_sort(part, {}, &PlacedFeature::place));
    for (std::size_t i = 1; i < part.size(); ++i) {
      const PlacedFeature feature = part[i];
      std::size_t to = i;
      for (; to > 0 && part[to - 1].place > feature.place; --to) part[to] = part[to - 1];
      part[to] = feature;
    }
  };
  if (features.size() <= kFew) return by_place(features);
  const std::uint64_t shift = bits - kBucketBits;
  std::array<std::uint32_t, kBuckets + 1> first{};
  for (const PlacedFeature& feature : features) ++first[(feature.place >> shift) + 1];
  for (std::size_t b = 1; b <= kBuckets; ++b) first[b] += first[b - 1];
  StackMemory<8192> memory;
  std::pmr::vector<PlacedFeature> sorted(features.size(), memory.resource());
  auto next = first;
  for (const PlacedFeature& feature : features) sorted[next[feature.place >> shift]++] = feature;
  for (std::size_t b = 0; b < kBuckets; ++b) {
    by_place(std::span(sorted).subspan(first[b], first[b + 1] - first[b]));
  }
  std::ranges::copy(sorted, features.begin());
}

// What is kept for a feature of the event being learned.
struct LearnedPlace {
  float *weight, *squares, *scale;  // w_i, A_i, s_i; the last two lie side by side
  double z;                         // the feature's value; then z_i
  double root = 0.0;                // of A_i
};

}  // namespace

// The weights of crosses are spread over memory, and a decision spends most of its time waiting for
// them. So we prefetch those of a few features before we use the first. Actions share features
// (categories, names of numbers), so we keep the sum over the context for a feature that may come
// again.
void HashedLinear::Weights::values(HashedFeatures context, std::span<const JointAction> actions,
                                   std::span<double> out) const {
  if (fault_) {
    std::ranges::fill(out, 0.0);
    return;
  }
  const auto alone = [&](const HashedFeature& f) { return at(place_of(f.hash, bits_)); };
  auto common = static_cast<double>(*alone(kBiasFeature));
  for (const HashedFeature& c : context) {
    common += static_cast<double>(*alone(c)) * static_cast<double>(c.value);
  }

  struct Sum {
    std::uint64_t feature = 0;
    bool known = false;  // the place is taken, and stays taken
    double value = 0.0;
  };
  constexpr std::size_t kSums = 256, kAhead = 256;
  StackMemory<kSums * sizeof(Sum) + kAhead * sizeof(float*) + 64> memory;
  std::size_t features = 0;
  for (const JointAction& action : actions) features += action.features.size();
  std::pmr::vector<Sum> sums(std::min(kSums, std::bit_ceil(2 * features + 1)), memory.resource());
  const auto sum_of = [&sums](const HashedFeature& a) -> Sum& {
    return sums[a.hash & (sums.size() - 1)];
  };
  const auto known = [](const Sum& sum, const HashedFeature& a) {
    return sum.known && sum.feature == a.hash;
  };
  const std::size_t columns = 1 + context.size();  // the feature by itself, and its crosses
  const std::size_t rows = std::max<std::size_t>(1, kAhead / columns);
  std::pmr::vector<const float*> asked(rows * columns, memory.resource());
  for (std::size_t i = 0; i < actions.size(); ++i) {
    double value = common;
    for (HashedFeatures left = actions[i].features; !left.empty();) {
      const HashedFeatures part = left.first(std::min(rows, left.size()));
      left = left.subspan(part.size());
      for (std::size_t row = 0; row < part.size(); ++row) {
        if (known(sum_of(part[row]), part[row])) continue;
        const float** ask = &asked[row * columns];
        __builtin_prefetch(*ask++ = alone(part[row]));
        for (const HashedFeature& c : context) {
          __builtin_prefetch(*ask++ = at(place_of(crossed(c.hash, part[row].hash), bits_)));
        }
      }
      for (std::size_t row = 0; row < part.size(); ++row) {
        const HashedFeature& a = part[row];
        Sum& kept = sum_of(a);
        double sum = kept.value;
        if (!known(kept, a)) {
          const float* const* weight = &asked[row * columns];
          const auto own = static_cast<double>(**weight++);
          double crosses = 0.0;
          for (const HashedFeature& c : context) {
            crosses += static_cast<double>(**weight++) * static_cast<double>(c.value);
          }
          sum = own + crosses;
          if (!kept.known) kept = {.feature = a.hash, .known = true, .value = sum};
        }
        value += static_cast<double>(a.value) * sum;
      }
    }
    out[i] = value;
  }
}

HashedLinear::HashedLinear(const Stream&, Options options)
    : options_(options),
      weights_(options.bits),
      rates_((std::size_t{1} << options.bits) / kChunk) {}

void HashedLinear::gather(HashedFeatures context, const JointAction& action) {
  phi_.clear();
  each_joint_feature(context, action, [&](std::uint64_t hash, double value) {
    phi_.push_back({place_of(hash, weights_.bits_), value});
  });
  // Features that share a place, or come twice, are merged: their values add up, as in values().
  sort_by_place(phi_, weights_.bits_);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < phi_.size();) {
    PlacedFeature merged = phi_[i];
    for (++i; i < phi_.size() && phi_[i].place == merged.place; ++i) merged.value += phi_[i].value;
    const double size = std::abs(merged.value);
    if (size >= kSmallestFeature && size <= kLargestFloat) phi_[kept++] = merged;
  }
  phi_.resize(kept);
}

void HashedLinear::learn(HashedFeatures context, const JointAction& action, double reward) {
  if (weights_.fault_) return;
  gather(context, action);
  ++events_;
  if (options_.relative) reward_square_ += reward * reward;
  // Their numbers are spread over memory, so we ask for all of them before we use the first.
  StackMemory<8192> memory;
  std::pmr::vector<LearnedPlace> places(memory.resource());
  places.reserve(phi_.size());
  for (const PlacedFeature& feature : phi_) {
    const std::size_t chunk = feature.place / kChunk, place = feature.place % kChunk;
    Rate& rate = rates_.writable(chunk)[place];
    const LearnedPlace at{.weight = &weights_.chunks_.writable(chunk)[place],
                          .squares = &rate.squares,
                          .scale = &rate.scale,
                          .z = feature.value};
    __builtin_prefetch(at.weight, 1);
    __builtin_prefetch(&rate, 1);
    places.push_back(at);
  }
  double prediction = 0.0;
  for (LearnedPlace& at : places) {
    const double size = std::abs(at.z);
    if (size > static_cast<double>(*at.scale)) {
      const double shrink = static_cast<double>(*at.scale) / size;
      *at.weight = static_cast<float>(static_cast<double>(*at.weight) * shrink);
      *at.squares = static_cast<float>(static_cast<double>(*at.squares) * shrink * shrink);
      *at.scale = static_cast<float>(size);
    }
    prediction += static_cast<double>(*at.weight) * at.z;
    at.z /= static_cast<double>(*at.scale);
    normalised_ += at.z * at.z;
  }
  const double residual = reward - prediction;
  if (residual == 0.0 || weights_.fault_) return;
  double step = options_.rate * std::sqrt(static_cast<double>(events_) / normalised_);
  if (options_.relative) step *= std::sqrt(reward_square_ / static_cast<double>(events_));
  double h = 0.0;
  for (LearnedPlace& at : places) {
    const double grown = static_cast<double>(*at.squares) + residual * residual * at.z * at.z;
    *at.squares = static_cast<float>(grown);
    if (!(grown <= kLargestFloat)) weights_.fault_ = true;
    at.root = std::sqrt(static_cast<double>(*at.squares));
    if (*at.squares > 0.0F) h += step * at.z * at.z / at.root;
  }
  const double move = step * residual / (1.0 + h);
  for (const LearnedPlace& at : places) {
    if (!(*at.squares > 0.0F)) continue;
    const double moved =
        static_cast<double>(*at.weight) + move * at.z / (static_cast<double>(*at.scale) * at.root);
    if (!(std::abs(moved) <= kLargestFloat)) weights_.fault_ = true;
    *at.weight = static_cast<float>(moved);
  }
}

std::string HashedLinear::fault() const {
  if (!weights_.fault_) return {};
  return "diverged: a weight or its rate is too large for single precision after event " +
         std::to_string(events_) + "; are features or rewards extremely large?";
}

HashedLinear::StoredRates HashedLinear::stored(const Rates& rates) {
  StoredRates stored;
  for (std::size_t i = 0; i < kChunk; ++i) {
    stored.squares[i] = rates[i].squares;
    stored.scale[i] = rates[i].scale;
  }
  return stored;
}

HashedLinear::Rates HashedLinear::restored(const StoredRates& stored) {
  Rates rates;
  for (std::size_t i = 0; i < kChunk; ++i) rates[i] = {stored.squares[i], stored.scale[i]};
  return rates;
}

void HashedLinear::save(StateWriter& writer) const {
  writer("events", events_);
  writer("normalised", normalised_);
  writer("fault", static_cast<std::uint32_t>(weights_.fault_));
  if (options_.relative) writer("reward_square", reward_square_);
  save_chunks(writer, "weights", weights_.chunks_);
  save_chunks(writer, "rates", rates_, stored);
}

void HashedLinear::load(StateReader& reader) {
  reader("events", events_);
  reader("normalised", normalised_);
  std::uint32_t fault = 0;
  reader("fault", fault);
  weights_.fault_ = fault != 0;
  if (options_.relative) reader("reward_square", reward_square_);
  load_chunks(reader, "weights", weights_.chunks_);
  load_chunks_as<StoredRates>(reader, "rates", rates_, restored);
}

}  // namespace sau
