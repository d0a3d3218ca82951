#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sau/core/aligned.hpp"
#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"
#include "sau/kernel/mlp_kernel.hpp"

namespace sau {

// A context as a network takes it: in single precision, with its non-zero elements listed.
class NetworkInput {
 public:
  explicit NetworkInput(std::size_t dim) : dense_(dim), index_(dim), value_(dim) {}

  void put(Context x, const MlpKernel& kernel) noexcept;

  std::span<const float> dense() const noexcept { return dense_; }
  std::span<const std::uint32_t> index() const noexcept { return {index_.data(), count_}; }
  std::span<const float> value() const noexcept { return {value_.data(), count_}; }
  // Few enough are non-zero that a list of them is less work than all: one-hot features.
  bool sparse() const noexcept { return 4 * count_ <= dense_.size(); }

 private:
  std::vector<float> dense_;
  std::vector<std::uint32_t> index_;
  std::vector<float> value_;
  std::size_t count_ = 0;
};

// Steps to learn from, drawn from a Replay. Either all inputs are listed by their non-zero
// elements, or they are one dense matrix.
class Batch {
 public:
  Batch(std::size_t size, std::size_t dim);

  std::size_t size() const noexcept { return action_.size(); }
  // Padded to a multiple of kMlpRows; the inputs of rows that pad are 0.
  std::size_t rows() const noexcept { return rows_; }
  bool sparse() const noexcept { return sparse_; }
  const float* dense() const noexcept { return dense_.data(); }  // rows x dim
  SparseLines by_row() const noexcept { return {row_start_.data(), column_.data(), value_.data()}; }
  SparseLines by_column() const noexcept {
    return {column_start_.data(), row_.data(), turned_value_.data()};
  }
  std::span<const std::uint32_t> action() const noexcept { return action_; }
  std::span<const float> reward() const noexcept { return reward_; }

 private:
  friend class Replay;
  void list_by_column() noexcept;

  std::size_t rows_, dim_;
  bool sparse_ = false;
  std::vector<float> dense_;
  std::vector<std::uint32_t> row_start_, column_, column_start_, row_;
  std::vector<float> value_, turned_value_;
  std::vector<std::uint32_t> action_;
  std::vector<float> reward_;
  std::vector<std::uint64_t> drawn_;  // places in the history
};

// The steps a network has seen: all of them, or the latest `capacity`.
class Replay {
 public:
  // capacity = 0 means all.
  Replay(std::size_t dim, std::uint64_t capacity);

  std::uint64_t size() const noexcept { return action_.size(); }
  // Takes the place of the oldest step when full. Allocates only while it grows, by doubling. False
  // when there is no memory for it.
  bool add(const NetworkInput& x, Action action, double reward) noexcept;
  // Fills the batch with steps drawn uniformly, with replacement; there must be one.
  void draw(Rng& rng, Batch& batch) const noexcept;

  static void state(auto& self, auto&& field) {
    std::uint64_t size = self.size();
    field("history", size);
    if constexpr (requires { field.left(); }) {
      self.check_size(size, field.left());
      self.resize(size);
    }
    field("oldest", self.oldest_);
    field("words", self.words_);
    field("non_zeros", self.count_);
    field("actions", self.action_);
    field("rewards", self.reward_);
  }
  // Whether what was loaded can be used for `actions` actions.
  bool valid(Action actions) const noexcept;

 private:
  static constexpr std::uint32_t kDense = 0xFFFFFFFF;

  void check_size(std::uint64_t size, std::uint64_t bytes_at_hand) const;
  void resize(std::uint64_t size);
  std::uint32_t* slot(std::uint64_t place) noexcept { return words_.data() + place * dim_; }
  const std::uint32_t* slot(std::uint64_t place) const noexcept {
    return words_.data() + place * dim_;
  }

  std::size_t dim_;
  std::uint64_t capacity_;
  std::uint64_t oldest_ = 0;          // the place to be taken next when full
  std::vector<std::uint32_t> words_;  // size x dim: all elements, or indices and then values
  std::vector<std::uint32_t> count_;  // non-zero elements listed, or kDense
  std::vector<std::uint32_t> action_;
  std::vector<float> reward_;
};

}  // namespace sau
