#pragma once

#include <vector>

#include "sau/core/argmax.hpp"
#include "sau/explore/strategy.hpp"

namespace sau {

struct LinUcbOptions {
  double alpha = 1.0;
  double floor = 0.0;
  void fields(auto&& field) {
    field("alpha", alpha, "scale of the bonus", Bounds{.min = 0.0, .open = true});
    field("floor", floor, "share of uniform choices, for logs that need every probability above 0",
          Bounds{.min = 0.0, .max = 1.0});
  }
};

// LinUCB with disjoint models (Li et al. 2010, algorithm 1): plays
//     argmax_a  x' theta_a + alpha * sqrt(x' Lambda_a^-1 x).
// Not one of the paper's, but what a user of linear bandits expects.
class LinUcb {
 public:
  static constexpr std::string_view kName = "lin_ucb";
  static constexpr std::string_view kSummary =
      "LinUCB: value plus the bonus alpha sqrt(x' Lambda_a^-1 x)";
  static constexpr std::string_view kNeeds = "a model with widths";
  using Options = LinUcbOptions;

  explicit LinUcb(const Setup& setup, Options options = {})
      : options_(options), index_(setup.shape.actions) {}

  template <WidthModel M>
  Choice choose(M& model, Context x, Rng& rng) noexcept {
    Action action = choice(model, x, index_);
    if (options_.floor > 0.0 && rng.uniform() < options_.floor) {
      action = static_cast<Action>(rng.below(index_.size()));
    }
    return {action, model.values(x)[action]};
  }

  void observe(Action, double) noexcept {}

  template <WidthModel M>
  void probabilities(M& model, Context x, std::span<double> out) const noexcept {
    point_mass(choice(model, x, out), out);
    mix_uniform(options_.floor, out);
  }

  void merge(const LinUcb&) noexcept {}

  static void state(auto&, auto&&) {}

 private:
  template <WidthModel M>
  Action choice(M& model, Context x, std::span<double> index) const noexcept {
    const auto width = model.widths(x);
    for (std::size_t a = 0; a < index.size(); ++a) index[a] = options_.alpha * width[a];
    const auto value = model.values(x);
    for (std::size_t a = 0; a < index.size(); ++a) index[a] += value[a];
    return argmax(index);
  }

  Options options_;
  std::vector<double> index_;
};

}  // namespace sau
