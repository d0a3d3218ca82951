#pragma once

#include <cmath>

#include "sau/explore/counting_index.hpp"

namespace sau {

struct Ucb1Options {
  double alpha = 1.0;
  void fields(auto&& field) {
    field("alpha", alpha, "scale of the bonus; 1 in the paper", Bounds{.min = 0.0, .open = true});
  }
};

// UCB1 (Auer et al. 2002; Zhu & Rigotti 2021, appendix A.3): every action once, then
//     argmax_a  mu_a(x) + alpha * sqrt(2 ln n / n_a).
class Ucb1 : public CountingIndex<Ucb1> {
 public:
  static constexpr std::string_view kName = "ucb1";
  static constexpr std::string_view kSummary = "value plus the bonus sqrt(2 ln n / n_a)";
  static constexpr bool kCountsSteps = true;
  using Options = Ucb1Options;

  explicit Ucb1(const Setup& setup, Options options = {})
      : CountingIndex(setup), options_(options) {}

  Action largest(const auto& offer) const noexcept {
    const auto value = offer.values();
    const auto& evidence = offer.evidence();
    const auto width = evidence.width();
    const double scale = options_.alpha * std::sqrt(2.0 * log_step(offer.step()));
    return argmax_of(offer.size(), evidence.latest(),
                     [&](std::size_t a) { return value[a] + scale * width[a]; });
  }

 private:
  Options options_;
};

}  // namespace sau
