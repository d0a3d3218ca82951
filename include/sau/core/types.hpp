#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sau {

// Actions are numbered from 0.
using Action = std::uint32_t;

// What is seen before choosing; empty for a multi-armed problem. A view: it is valid until the
// problem's next step.
using Context = std::span<const double>;

struct Shape {
  Action actions = 1;
  std::size_t dim = 0;  // length of a context

  bool operator==(const Shape&) const = default;
};

// The rewards a problem may pay, or a model can learn from; both ends are included. The default
// keeps sums of squares far from overflow.
struct RewardRange {
  double min = -1e100;
  double max = 1e100;

  bool contains(double reward) const noexcept { return min <= reward && reward <= max; }
  bool contains(const RewardRange& other) const noexcept {
    return min <= other.min && other.max <= max;
  }
};

// A decision and the value predicted for it at that moment, without bonus or noise. Pass it back to
// learn(): the residual (eq. 5) is against this value, however late the reward comes.
struct Choice {
  Action action = 0;
  double value = 0.0;
};

}  // namespace sau
