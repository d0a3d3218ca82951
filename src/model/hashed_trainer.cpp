#include "sau/model/hashed_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "model/dense_loops.hpp"
#include "sau/core/error.hpp"

namespace sau {
namespace {

using detail::add_scaled;
using detail::dense_layer;
using detail::inner_product;
using detail::rectify;

// As OptimizerStep says.
void step_down(const float* __restrict gradient, std::size_t size, float* __restrict weight,
               float* __restrict first, float* __restrict second,
               const OptimizerStep& step) noexcept {
  if (step.adam) {
    for (std::size_t i = 0; i < size; ++i) {
      first[i] = step.keep1 * first[i] + step.take1 * gradient[i];
      second[i] = step.keep2 * second[i] + (step.take2 * (gradient[i] * gradient[i]) + kMlpTiny);
      weight[i] -= step.rate * first[i] / (step.scale2 * std::sqrt(second[i]) + step.epsilon);
    }
    return;
  }
  for (std::size_t i = 0; i < size; ++i) {
    second[i] = step.keep2 * second[i] + (step.take2 * (gradient[i] * gradient[i]) + kMlpTiny);
    weight[i] -= step.rate * gradient[i] / (std::sqrt(second[i]) + step.epsilon);
  }
}

bool all_finite(const float* x, std::size_t size) noexcept {
  constexpr float kLargest = std::numeric_limits<float>::max();
  unsigned bad = 0;  // without a branch, so that it goes by vectors
  for (std::size_t i = 0; i < size; ++i)
    bad |= static_cast<unsigned>(!(std::abs(x[i]) <= kLargest));
  return bad == 0;
}

}  // namespace

HashedTrainer::HashedTrainer(const HashedNetwork& network, bool adam)
    : adam_(adam),
      units_(network.units()),
      row_moments_(network.rows_.size()),
      slot_(network.rows_.size() * HashedNetwork::kChunkRows),
      dense_gradient_(network.dense_[0]->size()),
      out_(network.hidden_.size()),
      delta_(network.hidden_.size()) {
  dense_moments_.second.resize(dense_gradient_.size());
  if (adam) dense_moments_.first.resize(dense_gradient_.size());
}

std::size_t HashedTrainer::slot_of(const HashedNetwork& network, std::uint32_t row) {
  if (slot_[row] == 0) {
    touched_.push_back(row);
    touched_row_.push_back(network.row(row));
    slot_[row] = static_cast<std::uint32_t>(touched_.size());
  }
  return slot_[row] - 1;
}

void HashedTrainer::forward(const HashedNetwork& network, const HashedBatch& batch) {
  const auto& hidden = network.hidden_;
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    out_[i].resize(batch.size() * hidden[i]);
    delta_[i].resize(batch.size() * hidden[i]);
  }
  const std::size_t units = units_;
  const float* weight = network.dense_[0]->data();
  for (std::size_t b = 0, f = 0; b < batch.size(); ++b) {
    float* out = out_[0].data() + b * units;
    std::copy_n(weight, units, out);
    for (; f < batch.end[b]; ++f) {
      const float* row = touched_row_[slot_of(network, batch.features[f].row)];
      if (row != nullptr) add_scaled(batch.features[f].value, row, units, out);
    }
    rectify(out, units);
  }
  weight += units;
  for (std::size_t i = 1; i < hidden.size(); ++i) {
    for (std::size_t b = 0; b < batch.size(); ++b) {
      float* out = out_[i].data() + b * hidden[i];
      dense_layer(out_[i - 1].data() + b * hidden[i - 1], hidden[i - 1], weight, hidden[i], out);
      rectify(out, hidden[i]);
    }
    weight += (hidden[i - 1] + 1) * hidden[i];
  }
}

double HashedTrainer::backward(const HashedNetwork& network, const HashedBatch& batch) {
  for (const std::uint32_t row : touched_) slot_[row] = 0;
  touched_.clear();
  touched_row_.clear();
  forward(network, batch);

  const auto& hidden = network.hidden_;
  std::ranges::fill(dense_gradient_, 0.0F);
  std::size_t place = dense_gradient_.size() - hidden.back() - 1;
  const float* weight = network.dense_[0]->data();
  const float factor = 2.0F / static_cast<float>(batch.size());
  double loss = 0.0;
  for (std::size_t b = 0; b < batch.size(); ++b) {
    const std::size_t inputs = hidden.back();
    const float* in = out_.back().data() + b * inputs;
    float* delta = delta_.back().data() + b * inputs;
    const float error =
        weight[place + inputs] + inner_product(in, weight + place, inputs) - batch.target[b];
    const float g = factor * error;
    add_scaled(g, in, inputs, dense_gradient_.data() + place);
    dense_gradient_[place + inputs] += g;
    for (std::size_t j = 0; j < inputs; ++j) {
      delta[j] = in[j] > 0.0F ? g * weight[place + j] : 0.0F;
    }
    loss += static_cast<double>(error) * static_cast<double>(error);
  }
  for (std::size_t i = hidden.size() - 1; i > 0; --i) {
    const std::size_t inputs = hidden[i - 1], units = hidden[i];
    place -= (inputs + 1) * units;
    for (std::size_t b = 0; b < batch.size(); ++b) {
      const float* in = out_[i - 1].data() + b * inputs;
      const float* delta = delta_[i].data() + b * units;
      float* below = delta_[i - 1].data() + b * inputs;
      for (std::size_t k = 0; k < inputs; ++k) {
        below[k] = 0.0F;
        if (!(in[k] > 0.0F)) continue;
        add_scaled(in[k], delta, units, dense_gradient_.data() + place + k * units);
        below[k] = inner_product(weight + place + k * units, delta, units);
      }
      add_scaled(1.0F, delta, units, dense_gradient_.data() + place + inputs * units);
    }
  }
  const std::size_t units = units_;
  row_gradient_.assign(touched_.size() * units, 0.0F);
  for (std::size_t b = 0, f = 0; b < batch.size(); ++b) {
    const float* delta = delta_[0].data() + b * units;
    add_scaled(1.0F, delta, units, dense_gradient_.data());
    for (; f < batch.end[b]; ++f) {
      const std::size_t slot = slot_[batch.features[f].row] - 1;
      add_scaled(batch.features[f].value, delta, units, row_gradient_.data() + slot * units);
    }
  }
  return loss / static_cast<double>(batch.size());
}

bool HashedTrainer::apply(const OptimizerStep& step, HashedNetwork& network) {
  const std::size_t units = units_, dense = dense_gradient_.size();
  std::vector<float>& weight = network.dense_.writable(0);
  step_down(dense_gradient_.data(), dense, weight.data(), dense_moments_.first.data(),
            dense_moments_.second.data(), step);
  bool good = all_finite(weight.data(), dense) && all_finite(dense_moments_.second.data(), dense);
  constexpr std::size_t kChunkRows = HashedNetwork::kChunkRows;
  for (std::size_t slot = 0; slot < touched_.size(); ++slot) {
    const std::uint32_t row = touched_[slot];
    Moments& moments = row_moments_.writable(row / kChunkRows);
    if (moments.second.empty()) {
      moments.second.resize(kChunkRows * units);
      if (adam_) moments.first.resize(kChunkRows * units);
    }
    const std::size_t place = row % kChunkRows * units;
    float* to = network.writable_row(row);
    float* second = moments.second.data() + place;
    step_down(row_gradient_.data() + slot * units, units, to,
              adam_ ? moments.first.data() + place : nullptr, second, step);
    good = good && all_finite(to, units) && all_finite(second, units);
  }
  return good;
}

std::span<const float> HashedTrainer::row_gradient(std::uint32_t row) const noexcept {
  const std::size_t units = units_;
  if (slot_[row] == 0) return {};
  return {row_gradient_.data() + (slot_[row] - 1) * units, units};
}

void HashedTrainer::save(StateWriter& writer, const HashedNetwork& network) const {
  writer("dense", *network.dense_[0]);
  writer("dense_first", dense_moments_.first);
  writer("dense_second", dense_moments_.second);
  std::vector<std::uint64_t> places;
  std::vector<float> rows, first, second;
  const auto append = [](std::vector<float>& to, const std::vector<float>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (std::size_t i = 0; i < row_moments_.size(); ++i) {
    if (row_moments_[i] == nullptr) continue;
    places.push_back(i);
    append(rows, *network.rows_[i]);
    append(first, row_moments_[i]->first);
    append(second, row_moments_[i]->second);
  }
  writer("row_places", places);
  writer("rows", rows);
  writer("row_first", first);
  writer("row_second", second);
}

void HashedTrainer::load(StateReader& reader, HashedNetwork& network) {
  reader("dense", network.dense_.writable(0));
  reader("dense_first", dense_moments_.first);
  reader("dense_second", dense_moments_.second);
  const auto places = reader.take_vector<std::uint64_t>("row_places");
  const auto rows = reader.take_vector<float>("rows");
  const auto first = reader.take_vector<float>("row_first");
  const auto second = reader.take_vector<float>("row_second");
  const std::size_t size = HashedNetwork::kChunkRows * units_;
  if (rows.size() != places.size() * size || second.size() != rows.size() ||
      first.size() != (adam_ ? rows.size() : 0)) {
    throw Error("its rows are damaged");
  }
  SharedChunks<std::vector<float>> loaded(network.rows_.size());
  SharedChunks<Moments> moments(loaded.size());
  const auto part = [size](const std::vector<float>& from, std::size_t i) {
    const auto start = from.begin() + static_cast<std::ptrdiff_t>(i * size);
    return std::vector<float>(start, start + static_cast<std::ptrdiff_t>(size));
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] >= loaded.size() || (i > 0 && places[i] <= places[i - 1])) {
      throw Error("its rows are damaged");
    }
    loaded.writable(places[i]) = part(rows, i);
    moments.writable(places[i]).second = part(second, i);
    if (adam_) moments.writable(places[i]).first = part(first, i);
  }
  network.rows_ = std::move(loaded);
  row_moments_ = std::move(moments);
}

}  // namespace sau
