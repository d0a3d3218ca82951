#include "sau/model/batch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sau {

float to_single(double x) noexcept {
  constexpr double kLargest = std::numeric_limits<float>::max();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (std::abs(x) <= kLargest) return static_cast<float>(x);
  return x > 0.0 ? kInfinity : -kInfinity;
}

void NetworkInput::put(Context x, const MlpKernel& kernel) noexcept {
  for (std::size_t i = 0; i < x.size(); ++i) dense_[i] = to_single(x[i]);
  count_ = kernel.compress(dense_.data(), dense_.size(), index_.data(), value_.data());
}

Batch::Batch(std::size_t size, std::size_t dim)
    : rows_((size + kMlpRows - 1) / kMlpRows * kMlpRows),
      dim_(dim),
      dense_(rows_ * dim),
      row_start_(rows_ + 1),
      // A sparse row lists a quarter of its elements at most.
      column_(rows_ * (dim / 4)),
      column_start_(dim + 2),
      row_(column_.size()),
      value_(column_.size()),
      turned_value_(column_.size()),
      action_(size),
      reward_(size),
      drawn_(size) {}

Batch Batch::of_blocks(std::size_t size, std::size_t dim, Action actions) {
  Batch batch(size, 0);
  batch.dim_ = dim;
  batch.blocks_ = batch.sparse_ = true;
  batch.column_.resize(batch.rows_ * dim);
  batch.column_start_.resize(dim * actions + 2);
  batch.row_.resize(batch.column_.size());
  batch.value_.resize(batch.column_.size());
  batch.turned_value_.resize(batch.column_.size());
  return batch;
}

// A counting sort; column_start_ is shifted by one place while it counts.
void Batch::list_by_column() noexcept {
  std::ranges::fill(column_start_, 0U);
  const std::uint32_t count = row_start_[size()];
  for (std::uint32_t k = 0; k < count; ++k) ++column_start_[column_[k] + 2];
  for (std::size_t i = 2; i < column_start_.size(); ++i) column_start_[i] += column_start_[i - 1];
  for (std::uint32_t r = 0; r < size(); ++r) {
    for (std::uint32_t k = row_start_[r]; k < row_start_[r + 1]; ++k) {
      const std::uint32_t place = column_start_[column_[k] + 1]++;
      row_[place] = r;
      turned_value_[place] = value_[k];
    }
  }
}

void Batch::finish_rows(std::uint32_t end) noexcept {
  std::fill(row_start_.begin() + static_cast<std::ptrdiff_t>(size()), row_start_.end(), end);
  list_by_column();
}

Batch Batch::hashed(std::size_t size, unsigned bits) {
  Batch batch(size, 0);
  batch.sparse_ = true;
  batch.slot_.resize(std::size_t{1} << bits);
  return batch;
}

void Batch::clear() noexcept {
  for (const std::uint32_t place : places_) slot_[place] = 0;
  places_.clear();
  column_.clear();
  value_.clear();
  filled_ = 0;
}

void Batch::end_row(float reward) {
  reward_[filled_++] = reward;
  const auto end = static_cast<std::uint32_t>(column_.size());
  row_start_[filled_] = end;
  if (filled_ < size()) return;
  column_start_.resize(places_.size() + 2);
  row_.resize(end);
  turned_value_.resize(end);
  finish_rows(end);
}

}  // namespace sau
