#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"
#include "sau/model/batch.hpp"

namespace sau {

// How rewards are scaled for a network: (reward - mean) / spread.
struct RewardScale {
  double mean = 0.0;
  double spread = 1.0;
};

// The steps a network has seen: all of them, or the latest `capacity`.
class Replay {
 public:
  // capacity = 0 means all. `scaled` says that rewards will be scaled when they are drawn, so that
  // they are kept in double precision.
  Replay(std::size_t dim, std::uint64_t capacity, bool scaled = false);

  std::uint64_t size() const noexcept { return action_.size(); }
  // Replaces the oldest step when full. Allocates only while it grows, by doubling. Returns false
  // when out of memory.
  bool add(const NetworkInput& x, Action action, double reward) noexcept;
  // Fills the batch with steps drawn uniformly, with replacement. The history must not be empty.
  // `scale` is only used if the constructor was told so.
  void draw(Rng& rng, Batch& batch, const RewardScale& scale = {}) const noexcept;

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
    if (self.scaled_) {
      field("exact_rewards", self.exact_reward_);
    } else {
      field("rewards", self.reward_);
    }
  }
  // Whether the loaded state is valid for `actions` actions.
  bool valid(Action actions) const noexcept;

 private:
  static constexpr std::uint32_t kDense = 0xFFFFFFFF;

  // Writes step `place` behind the first `end` elements of the batch; returns the new end.
  std::uint32_t put_in_block(Batch& batch, std::uint64_t place, std::uint32_t end) const noexcept;
  void check_size(std::uint64_t size, std::uint64_t bytes_at_hand) const;
  void resize(std::uint64_t size);
  std::uint32_t* slot(std::uint64_t place) noexcept { return words_.data() + place * dim_; }
  const std::uint32_t* slot(std::uint64_t place) const noexcept {
    return words_.data() + place * dim_;
  }

  std::size_t dim_;
  std::uint64_t capacity_;
  bool scaled_;
  std::uint64_t oldest_ = 0;          // the place that is overwritten next when full
  std::vector<std::uint32_t> words_;  // size x dim: all elements, or indices and then values
  std::vector<std::uint32_t> count_;  // non-zero elements listed, or kDense
  std::vector<std::uint32_t> action_;
  std::vector<float> reward_;         // empty if scaled
  std::vector<double> exact_reward_;  // empty unless scaled
};

}  // namespace sau
