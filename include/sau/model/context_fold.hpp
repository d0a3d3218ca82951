#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sau/core/spec.hpp"
#include "sau/core/types.hpp"

namespace sau {

// Folds a wide context into fewer numbers, for models whose cost grows with the square of its
// width. Every column gets a fixed sign and is added to one of `width` sums (a count sketch;
// Charikar et al. 2002). The inner product of two folded contexts is that of the contexts, apart
// from noise with mean 0 that shrinks as the width grows. Columns are assigned in turn, so the
// numbers of columns per sum differ by at most one. The sum of a column depends only on the
// column's number, so that a saved model fits a new program.
//
// A context that is not wider than `most` stays as it is.
class ContextFold {
 public:
  ContextFold(std::size_t dim, CountOrAll most);

  std::size_t width() const noexcept { return places_.empty() ? dim_ : sum_.size(); }

  // Valid until the next call.
  Context operator()(Context x) noexcept {
    if (places_.empty()) return x;
    fold(x);
    return sum_;
  }

 private:
  struct Place {
    std::uint32_t sum = 0;
    double sign = 1.0;
  };

  void fold(Context x) noexcept;

  std::size_t dim_;
  std::vector<Place> places_;  // one per column; empty if contexts stay as they are
  std::vector<double> sum_;
};

}  // namespace sau
