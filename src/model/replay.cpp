#include "sau/model/replay.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>

#include "sau/core/error.hpp"

namespace sau {

Replay::Replay(std::size_t dim, std::uint64_t capacity, bool scaled)
    : dim_(dim), capacity_(capacity), scaled_(scaled) {
  // Reserves room for all of a limited history, if it is not very large, and otherwise for the
  // start of it.
  constexpr std::uint64_t kAtFirst = 1024, kMostWords = std::uint64_t{1} << 24;
  const bool whole = capacity != 0 && capacity * (dim + 3) <= kMostWords;
  const std::uint64_t room = whole ? capacity : kAtFirst;
  words_.reserve(room * dim);
  count_.reserve(room);
  action_.reserve(room);
  if (scaled_) {
    exact_reward_.reserve(room);
  } else {
    reward_.reserve(room);
  }
}

bool Replay::add(const NetworkInput& x, Action action, double reward) noexcept {
  std::uint64_t place = size();
  if (place == capacity_ && capacity_ != 0) {
    place = oldest_;
    oldest_ = oldest_ + 1 == capacity_ ? 0 : oldest_ + 1;
  } else {
    try {
      resize(place + 1);
    } catch (const std::exception&) {  // bad_alloc or length_error
      resize(place);
      return false;
    }
  }
  std::uint32_t* to = slot(place);
  if (x.sparse()) {
    const std::size_t bytes = x.index().size_bytes();
    count_[place] = static_cast<std::uint32_t>(x.index().size());
    if (bytes > 0) {
      std::memcpy(to, x.index().data(), bytes);
      std::memcpy(to + x.index().size(), x.value().data(), bytes);
    }
  } else {
    count_[place] = kDense;
    std::memcpy(to, x.dense().data(), x.dense().size_bytes());
  }
  action_[place] = action;
  if (scaled_) {
    exact_reward_[place] = reward;
  } else {
    reward_[place] = to_single(reward);
  }
  return true;
}

void Replay::draw(Rng& rng, Batch& batch, const RewardScale& scale) const noexcept {
  bool sparse = true;
  for (std::size_t r = 0; r < batch.size(); ++r) {
    const std::uint64_t place = rng.below(size());
    batch.drawn_[r] = place;
    __builtin_prefetch(slot(place));
    batch.action_[r] = action_[place];
    batch.reward_[r] =
        scaled_ ? to_single((exact_reward_[place] - scale.mean) / scale.spread) : reward_[place];
    sparse = sparse && count_[place] != kDense;
  }
  std::uint32_t end = 0;
  if (batch.blocks_) {
    for (std::size_t r = 0; r < batch.size(); ++r) {
      batch.row_start_[r] = end;
      end = put_in_block(batch, batch.drawn_[r], end);
      batch.action_[r] = 0;  // the only output
    }
    batch.finish_rows(end);
    return;
  }
  batch.sparse_ = sparse;
  float* row = batch.dense_.data();
  for (std::size_t r = 0; r < batch.size(); ++r, row += dim_) {
    const std::uint32_t* from = slot(batch.drawn_[r]);
    const std::uint32_t count = count_[batch.drawn_[r]];
    if (sparse) {
      batch.row_start_[r] = end;
      std::copy_n(from, count, batch.column_.data() + end);
      if (count > 0) std::memcpy(batch.value_.data() + end, from + count, count * sizeof(float));
      end += count;
    } else if (count == kDense) {
      std::memcpy(row, from, dim_ * sizeof(float));
    } else {
      std::fill_n(row, dim_, 0.0F);
      for (std::uint32_t k = 0; k < count; ++k)
        row[from[k]] = std::bit_cast<float>(from[count + k]);
    }
  }
  if (sparse) batch.finish_rows(end);
}

std::uint32_t Replay::put_in_block(Batch& batch, std::uint64_t place,
                                   std::uint32_t end) const noexcept {
  const auto first = static_cast<std::uint32_t>(action_[place] * dim_);
  const std::uint32_t *from = slot(place), count = count_[place];
  const std::uint32_t listed = count == kDense ? static_cast<std::uint32_t>(dim_) : count;
  for (std::uint32_t k = 0; k < listed; ++k) {
    const auto value = std::bit_cast<float>(count == kDense ? from[k] : from[count + k]);
    if (value == 0.0F) continue;
    batch.column_[end] = first + (count == kDense ? k : from[k]);
    batch.value_[end++] = value;
  }
  return end;
}

void Replay::check_size(std::uint64_t size, std::uint64_t bytes_at_hand) const {
  const std::uint64_t row_bytes = (dim_ + 3) * sizeof(std::uint32_t);
  if (size > bytes_at_hand / row_bytes || (capacity_ != 0 && size > capacity_)) {
    throw Error("a history of " + std::to_string(size) + " steps does not fit");
  }
}

void Replay::resize(std::uint64_t size) {
  words_.resize(size * dim_);
  count_.resize(size);
  action_.resize(size);
  if (scaled_) {
    exact_reward_.resize(size);
  } else {
    reward_.resize(size);
  }
}

bool Replay::valid(Action actions) const noexcept {
  if (oldest_ != 0 && oldest_ >= size()) return false;
  for (std::uint64_t place = 0; place < size(); ++place) {
    const std::uint32_t count = count_[place];
    if (action_[place] >= actions) return false;
    if (count == kDense) continue;
    if (4 * std::uint64_t{count} > dim_) return false;
    const std::span<const std::uint32_t> index(slot(place), count);
    if (std::ranges::any_of(index, [&](std::uint32_t i) { return i >= dim_; })) return false;
  }
  return true;
}

}  // namespace sau
