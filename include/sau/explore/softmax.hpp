#pragma once

#include <algorithm>
#include <cmath>

#include "sau/explore/strategy.hpp"

namespace sau {

// Chances proportional to exp(value / temperature).
inline void softmax_chances(std::span<const double> value, double temperature,
                            std::span<double> out) noexcept {
  // The largest value is subtracted, because exp() could overflow without that.
  const double top = *std::ranges::max_element(value);
  double sum = 0.0;
  for (std::size_t a = 0; a < out.size(); ++a) {
    out[a] = std::exp((value[a] - top) / temperature);
    sum += out[a];
  }
  for (double& p : out) p /= sum;
}

struct SoftmaxOptions {
  double temperature = 0.1;
  void fields(auto&& field) {
    field("temperature", temperature, "near 0: greedy; large: uniform",
          Bounds{.min = 0.0, .open = true});
  }
};

// Plays a with probability proportional to exp(mu_a(x) / temperature) (Sutton & Barto 2018,
// eq. 2.11, with a temperature).
class Softmax {
 public:
  static constexpr std::string_view kName = "softmax";
  static constexpr std::string_view kSummary = "chances proportional to exp(value / temperature)";
  using Options = SoftmaxOptions;

  explicit Softmax(const Setup& setup, Options options = {})
      : options_(options), actions_(setup.shape.actions) {}

  NoEvidence evidence() const { return NoEvidence(actions_); }

  void probabilities(const auto& offer, std::span<double> out) const noexcept {
    softmax_chances(offer.values(), options_.temperature, out);
  }

 private:
  Options options_;
  Action actions_;
};

}  // namespace sau
