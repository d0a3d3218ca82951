#include "sau/model/context_fold.hpp"

#include <algorithm>
#include <numeric>

namespace sau {
namespace {

// A hash of a column's number (the finaliser of SplitMix64; Steele et al. 2014).
std::uint64_t hash_of_column(std::uint64_t column) noexcept {
  std::uint64_t z = (column + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

}  // namespace

ContextFold::ContextFold(std::size_t dim, CountOrAll most) : dim_(dim) {
  if (most.limit == 0 || dim <= most.limit) return;
  std::vector<std::uint32_t> order(dim);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, hash_of_column);
  places_.resize(dim);
  sum_.resize(most.limit);
  for (std::size_t i = 0; i < dim; ++i) {
    places_[order[i]] = {.sum = static_cast<std::uint32_t>(i % sum_.size()),
                         .sign = (hash_of_column(dim + order[i]) & 1U) != 0 ? 1.0 : -1.0};
  }
}

void ContextFold::fold(Context x) noexcept {
  std::ranges::fill(sum_, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) sum_[places_[i].sum] += places_[i].sign * x[i];
}

}  // namespace sau
