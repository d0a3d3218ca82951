#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sau/core/types.hpp"
#include "sau/kernel/mlp_kernel.hpp"

namespace sau {

// x in single precision; infinite if it is out of range.
float to_single(double x) noexcept;

// A context as a network needs it: in single precision, with its non-zero elements listed.
class NetworkInput {
 public:
  explicit NetworkInput(std::size_t dim) : dense_(dim), index_(dim), value_(dim) {}

  void put(Context x, const MlpKernel& kernel) noexcept;

  std::span<const float> dense() const noexcept { return dense_; }
  std::span<const std::uint32_t> index() const noexcept { return {index_.data(), count_}; }
  std::span<const float> value() const noexcept { return {value_.data(), count_}; }
  // Whether so few elements are non-zero that using the list is less work, as with one-hot
  // features.
  bool sparse() const noexcept { return 4 * count_ <= dense_.size(); }

 private:
  std::vector<float> dense_;
  std::vector<std::uint32_t> index_;
  std::vector<float> value_;
  std::size_t count_ = 0;
};

// Steps to learn from. The inputs are either lists of non-zero elements or one dense matrix. A
// Replay fills a batch of contexts; a batch of hashed features is filled row by row.
class Batch {
 public:
  Batch(std::size_t size, std::size_t dim);
  // A batch for a network with one block of `dim` inputs per action and a single output: the
  // context of a step stands in the block of its action, the rest is 0.
  static Batch of_blocks(std::size_t size, std::size_t dim, Action actions);
  // A batch of features hashed to the 2^bits places of a FeatureTable.
  static Batch hashed(std::size_t size, unsigned bits);

  std::size_t size() const noexcept { return action_.size(); }
  // Padded to a multiple of kMlpRows; the inputs of padding rows are 0.
  std::size_t rows() const noexcept { return rows_; }
  bool sparse() const noexcept { return sparse_; }
  const float* dense() const noexcept { return dense_.data(); }  // rows x dim
  SparseLines by_row() const noexcept { return {row_start_.data(), column_.data(), value_.data()}; }
  SparseLines by_column() const noexcept {
    return {column_start_.data(), row_.data(), turned_value_.data()};
  }
  std::span<const std::uint32_t> action() const noexcept { return action_; }
  std::span<const float> reward() const noexcept { return reward_; }

  // To fill a batch of hashed features: clear(), then for each of the size() rows, add() for its
  // features and end_row().
  void clear() noexcept;
  void add(std::uint32_t place, float value) {
    std::uint32_t& slot = slot_[place];
    if (slot == 0) {
      places_.push_back(place);
      slot = static_cast<std::uint32_t>(places_.size());
    }
    column_.push_back(slot - 1);
    value_.push_back(value);
  }
  void end_row(float reward);
  // The place of every column, in the order in which places first came in the batch.
  std::span<const std::uint32_t> places() const noexcept { return places_; }

 private:
  friend class Replay;
  // The last row ends at element `end`.
  void finish_rows(std::uint32_t end) noexcept;
  void list_by_column() noexcept;

  std::size_t rows_, dim_;
  bool blocks_ = false;
  bool sparse_ = false;
  std::vector<float> dense_;
  std::vector<std::uint32_t> row_start_, column_, column_start_, row_;
  std::vector<float> value_, turned_value_;
  std::vector<std::uint32_t> action_;
  std::vector<float> reward_;
  std::vector<std::uint64_t> drawn_;  // places in the history
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> slot_;  // by place: its column plus 1, or 0
  std::size_t filled_ = 0;           // rows
};

}  // namespace sau
