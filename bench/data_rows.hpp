#pragma once

#include <cstddef>
#include <vector>

#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"

namespace sau::bench {

// The shape of a data set.
struct Problem {
  std::size_t dim;
  Action actions;
  std::size_t groups;   // of one-hot columns; 0: all columns are numbers
  std::size_t steps;    // of a trial, each on a different row
  double filled = 1.0;  // share of numbers that are not 0
};
inline constexpr Problem kStatlog{9, 7, 0, 43500}, kCovertype{54, 7, 0, 50000},
    kCensus{387, 9, 67, 25000};

// Rows that repeat in a cycle, like those of a data set.
class Rows {
 public:
  explicit Rows(const Problem& problem)
      : dim_(problem.dim), rows_(problem.steps), numbers_(rows_ * problem.dim) {
    for (std::size_t r = 0; r < rows_; ++r) {
      double* row = numbers_.data() + r * dim_;
      if (problem.groups == 0) {
        for (std::size_t i = 0; i < dim_; ++i) {
          if (problem.filled == 1.0 || rng_.uniform() < problem.filled) row[i] = rng_.normal();
        }
      }
      for (std::size_t g = 0; g < problem.groups; ++g) {
        const std::size_t first = g * dim_ / problem.groups, last = (g + 1) * dim_ / problem.groups;
        row[first + rng_.below(last - first)] = 1.0;
      }
    }
  }
  Context next() noexcept {
    place_ = (place_ + 1) % rows_;
    return {numbers_.data() + place_ * dim_, dim_};
  }
  double reward() noexcept { return rng_.uniform() < 0.5 ? 1.0 : 0.0; }
  Rng& rng() noexcept { return rng_; }

 private:
  std::size_t dim_, rows_, place_ = 0;
  std::vector<double> numbers_;
  Rng rng_{Stream{.seed = 1}};
};

}  // namespace sau::bench
