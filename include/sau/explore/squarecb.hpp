#pragma once

#include <cmath>

#include "sau/explore/strategy.hpp"

namespace sau {

struct SquareCbOptions {
  double gamma_scale = 10.0;
  double exponent = 0.5;
  void fields(auto&& field) {
    field("gamma_scale", gamma_scale, "gamma at the first step; larger is greedier",
          Bounds{.min = 0.0, .max = 1e100, .open = true});
    field("exponent", exponent, "gamma is gamma_scale * n^exponent at step n",
          Bounds{.min = 0.0, .max = 10.0});
  }
};

// SquareCB, inverse gap weighting (Foster & Rakhlin 2020, algorithm 1). With b the action of the
// largest value and gamma = gamma_scale * n^exponent, it plays
//     a != b with probability 1 / (K + gamma (mu_b(x) - mu_a(x))),
// and b with the rest. The schedule of gamma and its defaults are Vowpal Wabbit's.
class SquareCb {
 public:
  static constexpr std::string_view kName = "squarecb";
  static constexpr std::string_view kSummary =
      "SquareCB: chances 1 / (K + gamma * gap), the rest for the largest value";
  static constexpr bool kCountsSteps = true;
  using Options = SquareCbOptions;

  explicit SquareCb(const Setup& setup, Options options = {})
      : options_(options), actions_(setup.shape.actions) {}

  NoEvidence evidence() const { return NoEvidence(actions_); }

  void probabilities(const auto& offer, std::span<double> out) const noexcept {
    const auto value = offer.values();
    const Action best = argmax(value);
    const double gamma =
        options_.gamma_scale * std::pow(static_cast<double>(offer.step()), options_.exponent);
    const auto candidates = static_cast<double>(out.size());
    double others = 0.0;
    for (std::size_t a = 0; a < out.size(); ++a) {
      if (a == best) continue;
      out[a] = 1.0 / (candidates + gamma * (value[best] - value[a]));
      others += out[a];
    }
    out[best] = 1.0 - others;
  }

 private:
  Options options_;
  Action actions_;
};

}  // namespace sau
