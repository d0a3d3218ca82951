#pragma once

#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "sau/core/setup.hpp"
#include "sau/core/spec.hpp"
#include "sau/core/types.hpp"
#include "sau/model/context_fold.hpp"
#include "sau/model/ridge.hpp"

namespace sau {

struct LinearOptions {
  double lambda = 1.0;
  bool intercept = false;
  CountOrAll columns = {};
  void fields(auto&& field) {
    field("lambda", lambda, "ridge penalty", kLambdaBounds);
    field("intercept", intercept, "append a feature that is always 1");
    field("columns", columns, "wider contexts are folded into this many sums of columns",
          Bounds{.min = 1.0, .max = 1e6});
  }
};

// Ridge regression of every action's reward on the context (Zhu & Rigotti 2021, section 4.2):
//     mu_a(x) = x' theta_a,   theta_a = (lambda I + sum x x')^-1 sum x r,
// exact after every step. Deviation: the paper has no penalty, and so no solution while an action
// has fewer independent contexts than features, or collinear ones. With lambda > 0 there always is
// one, the shortest of equally good ones. The width is sqrt(x' Lambda_a^-1 x), for `lin_ucb`.
//
// The time of a step grows with the square of the number of columns. With `columns` set, a context
// with more columns than that is folded first (ContextFold).
class Linear {
 public:
  static constexpr std::string_view kName = "linear";
  static constexpr std::string_view kSummary =
      "ridge regression per action on the context, exact after every step";
  static constexpr bool kCheapSteps = true;
  static constexpr bool kUsesContext = true;
  static constexpr bool kLinear = true;
  static constexpr RewardRange kRewards{};
  using Options = LinearOptions;

  explicit Linear(const Setup& setup, Options options = {})
      : fold_(setup.shape.dim, options.columns),
        ridge_({.actions = setup.shape.actions, .dim = fold_.width()}, options.lambda,
               options.intercept),
        width_(setup.shape.actions) {}

  std::span<const double> values(Context x) noexcept { return ridge_.values(fold_(x)); }

  std::span<const double> widths(Context x) noexcept {
    const auto form = ridge_.forms(fold_(x));
    for (std::size_t a = 0; a < form.size(); ++a) width_[a] = std::sqrt(form[a]);
    return width_;
  }

  void update(Context x, Action action, double reward) noexcept {
    ridge_.update(fold_(x), action, reward);
  }

  const Ridge& ridge() const noexcept { return ridge_; }
  void describe(auto&& column) const { ridge_.describe(column); }

  void grow(Action actions) {
    ridge_.grow(actions);
    width_.resize(actions);
  }

  void merge(const Linear& other) { ridge_.merge(other.ridge_); }

  static void state(auto& self, auto&& field) { Ridge::state(self.ridge_, field); }

 private:
  ContextFold fold_;
  Ridge ridge_;
  std::vector<double> width_;
};

}  // namespace sau
