#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sau/core/rng.hpp"
#include "sau/core/spec.hpp"

namespace sau {

struct BootstrapOptions {
  std::string model = "linear";
  std::uint64_t members = 10;
  void fields(auto&& field) {
    field("model", model, "the model of every member, in quotes if it has settings");
    field("members", members, "how many", Bounds{.min = 1.0, .max = 1000.0});
  }
  void check();
};

// What every member of a bootstrap predicts for an action; draws[i] is the prediction of member i.
struct MemberMarginal {
  std::vector<double> draws;
};

// The standard deviation of the members' predictions.
double spread_of(const MemberMarginal& marginal) noexcept;

// The share of the members whose largest prediction is action a, the lowest if several are equal.
void argmax_probabilities(std::span<const MemberMarginal> marginals, std::span<double> out);

// How often a member learns from a reward, drawn from Poisson(1): the limit of drawing n rewards
// from n with replacement (Oza & Russell 2001).
inline std::uint64_t resampled(Rng& rng) noexcept {
  const double u = rng.uniform();
  std::uint64_t times = 0;
  // 1 - P(times <= k) falls below 2^-53 at k = 18.
  for (double term = std::exp(-1.0), sum = term; u >= sum && times < 18; sum += term) {
    ++times;
    term /= static_cast<double>(times);
  }
  return times;
}

// The stream that decides what members learn from; their own streams are others.
inline Stream resampling_stream(Stream stream) noexcept {
  stream.scope ^= 0xB5297A4D3F84D5B5U;
  return stream.with(Role::kModel);
}

// Mean and standard deviation of the members' predictions, which are members x actions.
inline void member_moments(std::span<const double> opinion, std::size_t members,
                           std::span<double> mean, std::span<double> spread) noexcept {
  const auto count = static_cast<double>(members);
  for (std::size_t a = 0; a < mean.size(); ++a) {
    double sum = 0.0, squares = 0.0;
    for (std::size_t k = 0; k < members; ++k) sum += opinion[k * mean.size() + a] / count;
    for (std::size_t k = 0; k < members; ++k) {
      const double off = opinion[k * mean.size() + a] - sum;
      squares += off * off / count;
    }
    mean[a] = sum;
    if (!spread.empty()) spread[a] = std::sqrt(squares);
  }
}

}  // namespace sau
