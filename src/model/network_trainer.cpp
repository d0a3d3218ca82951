#include "sau/model/network_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sau/core/error.hpp"

namespace sau {
namespace {

bool all_finite(std::span<const float> numbers) noexcept {
  constexpr float kLargest = std::numeric_limits<float>::max();
  unsigned bad = 0;  // branch-free, so the compiler vectorises it
  for (const float x : numbers) bad |= static_cast<unsigned>(!(std::abs(x) <= kLargest));
  return bad == 0;
}

}  // namespace

NetworkTrainer::NetworkTrainer(const Network& network, bool adam, std::size_t batch)
    : first_(adam ? network.weights().size() : 0),
      second_(network.weights().size()),
      output_gradient_(second_.size() - network.output_place()) {
  const std::size_t rows = (batch + kMlpRows - 1) / kMlpRows * kMlpRows;
  for (const Network::Layer& layer : network.layers()) {
    const std::size_t size = rows * layer.width;
    buffers_.push_back({AlignedVector<float>(size), AlignedVector<float>(size), {}});
    if (layer.place > 0) buffers_.back().transposed.resize(layer.units * layer.in_width);
  }
}

double NetworkTrainer::train(Network& network, const Batch& batch,
                             const OptimizerStep& step) noexcept {
  const MlpKernel& kernel = network.kernel();
  const Network::Layer& first = network.layers().front();
  const float* weight = network.weights().data();
  Buffers& buffers = buffers_.front();
  if (batch.sparse()) {
    kernel.sparse_forward(batch.by_row(), batch.rows(), first.inputs, weight, first.width,
                          buffers.out.data());
  } else {
    kernel.forward(batch.dense(), first.in_width, batch.rows(), first.inputs, weight, first.width,
                   buffers.out.data());
  }
  const double loss = train_rest(network, batch, step);
  if (batch.sparse()) {
    kernel.sparse_update(batch.by_column(), buffers.delta.data(), batch.rows(), first.inputs,
                         first.width, at(network, 0), step);
  } else {
    kernel.update(batch.dense(), first.in_width, buffers.delta.data(), batch.rows(), first.inputs,
                  first.width, at(network, 0), step);
  }
  return loss;
}

double NetworkTrainer::train_rest(Network& network, const Batch& batch,
                                  const OptimizerStep& step) noexcept {
  const MlpKernel& kernel = network.kernel();
  const std::span<const Network::Layer> layers = network.layers();
  const float* weight = network.weights().data();
  const std::size_t rows = batch.rows();
  for (std::size_t i = 1; i < layers.size(); ++i) {
    kernel.forward(buffers_[i - 1].out.data(), layers[i].in_width, rows, layers[i].inputs,
                   weight + layers[i].place, layers[i].width, buffers_[i].out.data());
  }

  const std::size_t width = layers.back().width, biases = network.actions() * width;
  const float* output = weight + network.output_place();
  std::ranges::fill(output_gradient_, 0.0F);
  const double loss = kernel.output_errors(buffers_.back().out.data(), batch.size(), width,
                                           {.weight = output,
                                            .bias = output + biases,
                                            .weight_gradient = output_gradient_.data(),
                                            .bias_gradient = output_gradient_.data() + biases},
                                           batch.action().data(), batch.reward().data(),
                                           buffers_.back().delta.data());
  kernel.apply(output_gradient_.data(), output_gradient_.size(),
               at(network, network.output_place()), step);

  for (std::size_t i = layers.size(); i-- > 1;) {
    const Network::Layer& layer = layers[i];
    Buffers &own = buffers_[i], &below = buffers_[i - 1];
    // Before the weights change.
    kernel.transpose(weight + layer.place, layer.inputs, layer.units, layer.width, layer.in_width,
                     own.transposed.data());
    kernel.backward(own.delta.data(), layer.width, layer.units, own.transposed.data(),
                    layer.in_width, below.out.data(), rows, below.delta.data());
    kernel.update(below.out.data(), layer.in_width, own.delta.data(), rows, layer.inputs,
                  layer.width, at(network, layer.place), step);
  }
  return loss / static_cast<double>(batch.size());
}

bool NetworkTrainer::finite(const Network& network) const noexcept {
  return all_finite(network.weights()) && all_finite(second_);
}

SparseTrainer::SparseTrainer(const Network& network, unsigned bits, bool adam, std::size_t batch)
    : NetworkTrainer(network, adam, batch),
      row_second_(bits, network.layers().front().units),
      zeros_(row_second_.width()),
      gradient_(row_second_.width()) {
  if (adam) row_first_.emplace(bits, row_second_.units());
}

double SparseTrainer::train(Network& network, FeatureTable& table, const Batch& batch,
                            const OptimizerStep& step) {
  const MlpKernel& kernel = network.kernel();
  const std::size_t width = table.width();
  row_.clear();
  for (const std::uint32_t place : batch.places()) {
    const float* row = table.row(place);
    row_.push_back(row == nullptr ? zeros_.data() : row);
  }
  const SparseLines lines = batch.by_row();
  float* out = buffers_.front().out.data();
  std::fill_n(out, batch.rows() * width, 0.0F);
  for (std::size_t r = 0; r < batch.rows(); ++r, out += width) {
    const std::uint32_t begin = lines.start[r], end = lines.start[r + 1];
    summed_.clear();
    for (std::uint32_t k = begin; k < end; ++k) summed_.push_back(row_[lines.index[k]]);
    kernel.sum_rows(summed_.data(), lines.value + begin, end - begin, width, out);
    network.activate_first(out);
  }

  const double loss = train_rest(network, batch, step);

  const float* delta = buffers_.front().delta.data();
  kernel.update(nullptr, 0, delta, batch.rows(), 0, width, at(network, 0), step);  // biases
  const SparseLines columns = batch.by_column();
  for (std::size_t c = 0; c < batch.places().size(); ++c) {
    const std::uint32_t begin = columns.start[c], end = columns.start[c + 1];
    summed_.clear();
    for (std::uint32_t k = begin; k < end; ++k) {
      summed_.push_back(delta + columns.index[k] * width);
    }
    std::ranges::fill(gradient_, 0.0F);
    kernel.sum_rows(summed_.data(), columns.value + begin, end - begin, width, gradient_.data());
    const std::uint32_t place = batch.places()[c];
    const MlpParameters row{table.writable_row(place),
                            row_first_ ? row_first_->writable_row(place) : nullptr,
                            row_second_.writable_row(place)};
    kernel.apply(gradient_.data(), width, row, step);
    rows_finite_ =
        rows_finite_ && all_finite({row.weight, width}) && all_finite({row.second, width});
  }
  return loss;
}

void SparseTrainer::save(StateWriter& writer, const Network& network,
                         const FeatureTable& table) const {
  const auto packed = [&](std::span<const float> from) {
    std::vector<float> result;
    network.each_run([&](std::size_t place, std::size_t count, std::size_t) {
      const auto run = from.subspan(place, count);
      result.insert(result.end(), run.begin(), run.end());
    });
    return result;
  };
  writer("dense", packed(network.weights()));
  writer("dense_first", row_first_ ? packed(first_) : std::vector<float>{});
  writer("dense_second", packed(second_));
  writer("row_places", table.places());
  writer("rows", table.packed());
  writer("row_first", row_first_ ? row_first_->packed() : std::vector<float>{});
  writer("row_second", row_second_.packed());
}

void SparseTrainer::load(StateReader& reader, Network& network, FeatureTable& table) {
  const auto unpack = [&](const char* name, std::span<float> to) {
    std::vector<float> packed(to.empty() ? 0 : network.parameters());
    reader(name, packed);
    if (to.empty()) return;
    auto from = packed.begin();
    network.each_run([&](std::size_t place, std::size_t count, std::size_t) {
      for (float& x : to.subspan(place, count)) x = *from++;
    });
  };
  unpack("dense", network.weights());
  unpack("dense_first", first_);
  unpack("dense_second", second_);
  const auto places = reader.take_vector<std::uint64_t>("row_places");
  table.unpack(places, reader.take_vector<float>("rows"));
  const auto first = reader.take_vector<float>("row_first");
  if (row_first_) row_first_->unpack(places, first);
  if (!row_first_ && !first.empty()) throw Error("its rows are damaged");
  row_second_.unpack(places, reader.take_vector<float>("row_second"));
}

}  // namespace sau
