#include "sau/model/hashed_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/dense_loops.hpp"

namespace sau {

using detail::add_scaled;
using detail::dense_layer;
using detail::rectify;

HashedNetwork::HashedNetwork(unsigned bits, std::span<const std::size_t> hidden, Rng& rng)
    : hidden_(hidden.begin(), hidden.end()),
      rows_((std::size_t{1} << bits) / kChunkRows),
      dense_(1) {
  std::vector<float>& dense = dense_.writable(0);
  const auto draw = [&](std::size_t count, std::size_t fan_in) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(fan_in));
    for (std::size_t i = 0; i < count; ++i) {
      dense.push_back(static_cast<float>(bound * (2.0 * rng.uniform() - 1.0)));
    }
  };
  draw(hidden.front(), 1);
  for (std::size_t i = 1; i < hidden.size(); ++i) {
    draw((hidden[i - 1] + 1) * hidden[i], hidden[i - 1]);
  }
  draw(hidden.back() + 1, hidden.back());
}

std::size_t HashedNetwork::widest() const noexcept { return *std::ranges::max_element(hidden_); }

void HashedNetwork::add_rows(std::span<const NetworkFeature> features, float* sum) const noexcept {
  // Rows are anywhere in a table larger than the caches: those ahead are asked for in time.
  constexpr std::size_t kAhead = 8, kLine = 64 / sizeof(float);
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (i + kAhead < features.size()) {
      const float* ahead = row(features[i + kAhead].row);
      if (ahead != nullptr) {
        for (std::size_t j = 0; j < units(); j += kLine) __builtin_prefetch(ahead + j);
      }
    }
    const float* weight = row(features[i].row);
    if (weight != nullptr) add_scaled(features[i].value, weight, units(), sum);
  }
}

float HashedNetwork::output(const float* sum, float* scratch) const noexcept {
  const float* weight = dense_[0]->data();
  float *in = scratch, *out = scratch + widest();
  for (std::size_t j = 0; j < units(); ++j) in[j] = sum[j] + weight[j];
  rectify(in, units());
  weight += units();
  for (std::size_t i = 1; i < hidden_.size(); ++i) {
    dense_layer(in, hidden_[i - 1], weight, hidden_[i], out);
    rectify(out, hidden_[i]);
    weight += (hidden_[i - 1] + 1) * hidden_[i];
    std::swap(in, out);
  }
  dense_layer(in, hidden_.back(), weight, 1, out);
  return out[0];
}

HashedNetwork HashedNetwork::shared() { return {hidden_, rows_.shared(), dense_.shared()}; }

float* HashedNetwork::writable_row(std::uint32_t place) {
  std::vector<float>& chunk = rows_.writable(place / kChunkRows);
  if (chunk.empty()) chunk.resize(kChunkRows * units());
  return chunk.data() + place % kChunkRows * units();
}

}  // namespace sau
