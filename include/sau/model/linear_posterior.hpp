#pragma once

#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "sau/core/argmax_probabilities.hpp"
#include "sau/core/rng.hpp"
#include "sau/core/setup.hpp"
#include "sau/core/spec.hpp"
#include "sau/core/types.hpp"
#include "sau/model/ridge.hpp"
#include "sau/model/ridge_diagonal.hpp"

namespace sau {

enum class Covariance { kFull, kDiagonal };
constexpr std::array<std::string_view, 2> enum_names(Covariance) { return {"full", "diagonal"}; }

struct LinearPosteriorOptions {
  Covariance covariance = Covariance::kFull;
  double lambda = 0.25;
  double a0 = 6.0;
  double b0 = 6.0;
  bool intercept = false;
  void fields(auto&& field) {
    field("covariance", covariance,
          "full: Lambda^-1; diagonal: the inverse of Lambda's diagonal, in the draw only");
    field("lambda", lambda, "prior precision of the coefficients", kLambdaBounds);
    field("a0", a0, "prior shape of the noise variance", Bounds{.min = 0.25, .max = 1e9});
    field("b0", b0, "prior scale of the noise variance", Bounds{.min = 1e-100, .max = 1e100});
    field("intercept", intercept, "append a feature that is always 1");
  }
};

// Normal-inverse-gamma posterior of a linear regression per action (Riquelme et al. 2018; Zhu &
// Rigotti 2021, section 4.3). After n_a steps of the action:
//     Lambda = lambda I + sum x x',  theta = Lambda^-1 sum x r,
//     a = a0 + n_a / 2,  b = b0 + (sum r^2 - theta' Lambda theta) / 2,
//     sigma^2 ~ InvGamma(a, b),  beta | sigma^2 ~ N(theta, sigma^2 Lambda^-1).
// b is summed step by step: it grows by e^2 / (2 alpha), so nothing cancels. A choice needs only
// x' beta, so we draw that directly instead of beta:
//     x' beta | sigma^2 ~ N(x' theta, sigma^2 x' Lambda^-1 x).
// Its marginal, without sigma^2, is Student's t with 2 a degrees of freedom and the scale
// sqrt(b / a * x' Lambda^-1 x). covariance=diagonal, the paper's TSdiag, replaces Lambda^-1 there
// by the inverse of Lambda's diagonal; theta stays exact.
class LinearPosterior {
 public:
  static constexpr std::string_view kName = "linear_posterior";
  static constexpr std::string_view kSummary =
      "normal-inverse-gamma posterior of a linear regression per action";
  static constexpr bool kCheapSteps = true;
  static constexpr bool kUsesContext = true;
  static constexpr bool kLinear = true;
  static constexpr RewardRange kRewards{};
  using Options = LinearPosteriorOptions;

  explicit LinearPosterior(const Setup& setup, Options options = {})
      : options_(options),
        ridge_(setup.shape, options.lambda, options.intercept),
        b_(setup.shape.actions, options.b0),
        diagonal_({.actions = is_diagonal() ? setup.shape.actions : 0, .dim = setup.shape.dim},
                  options.lambda, options.intercept),
        draw_(setup.shape.actions),
        gamma_(setup.shape.actions, GammaShape(options.a0)) {}

  std::span<const double> values(Context x) noexcept { return ridge_.values(x); }

  // sqrt(x' Lambda^-1 x), or its diagonal counterpart.
  std::span<const double> widths(Context x) noexcept {
    const auto form = forms(x);
    for (std::size_t a = 0; a < draw_.size(); ++a) draw_[a] = std::sqrt(form[a]);
    return draw_;
  }

  // A gamma and a normal draw per action.
  std::span<const double> sample(Context x, Rng& rng) noexcept {
    const auto form = forms(x);
    const auto value = ridge_.values(x);
    for (std::size_t a = 0; a < draw_.size(); ++a) {
      const double variance = b_[a] / rng.gamma(gamma_[a]) * form[a];
      draw_[a] = value[a] + std::sqrt(variance) * rng.normal();
    }
    return draw_;
  }

  std::vector<StudentMarginal> marginals(Context x) {
    const auto form = forms(x);
    const auto value = ridge_.values(x);
    std::vector<StudentMarginal> result;
    for (std::size_t a = 0; a < b_.size(); ++a) {
      const double shape = a_of(static_cast<Action>(a));
      const double scale = std::sqrt(b_[a] / shape * form[a]);
      result.push_back({value[a], std::fmin(scale, kLargest), 2.0 * shape});
    }
    return result;
  }

  void update(Context x, Action action, double reward) noexcept {
    const double pulls = ridge_.pulls(action);
    b_[action] = std::fmin(b_[action] + 0.5 * ridge_.update(x, action, reward), kLargest);
    if (ridge_.pulls(action) == pulls) return;  // the step was ignored
    gamma_[action] = GammaShape(a_of(action));
    if (is_diagonal()) diagonal_.update(x, action);
  }

  // Shape and scale of the noise variance's inverse-gamma posterior.
  double a_of(Action action) const noexcept { return options_.a0 + 0.5 * ridge_.pulls(action); }
  double b_of(Action action) const noexcept { return b_[action]; }
  const Ridge& ridge() const noexcept { return ridge_; }
  void describe(auto&& column) const {
    std::vector<double> noise(b_.size());
    for (std::size_t a = 0; a < noise.size(); ++a) {
      const double shape = a_of(static_cast<Action>(a));
      noise[a] = shape > 1.0 ? std::sqrt(b_[a] / (shape - 1.0)) : INFINITY;
    }
    ridge_.describe(column);
    column("noise", "standard deviation of a reward, root of the posterior's mean variance", noise);
  }

  void grow(Action actions) {
    ridge_.grow(actions);
    if (is_diagonal()) diagonal_.grow(actions);
    b_.resize(actions, options_.b0);
    draw_.resize(actions);
    gamma_.resize(actions, GammaShape(options_.a0));
  }

  void merge(const LinearPosterior& other) {
    const auto excess = ridge_.merge(other.ridge_);
    for (std::size_t a = 0; a < b_.size(); ++a) {
      const double sum = b_[a] + (other.b_[a] - options_.b0) + 0.5 * excess[a];
      b_[a] = std::fmax(options_.b0, std::fmin(sum, kLargest));
    }
    diagonal_.merge(other.diagonal_);
    refresh();
  }

  static void state(auto& self, auto&& field) {
    Ridge::state(self.ridge_, field);
    field("b", self.b_);
    RidgeDiagonal::state(self.diagonal_, field);
  }
  void restored() noexcept {
    diagonal_.restored();
    refresh();
  }

 private:
  static constexpr double kLargest = 1e300;

  bool is_diagonal() const noexcept { return options_.covariance == Covariance::kDiagonal; }

  std::span<const double> forms(Context x) noexcept {
    return is_diagonal() ? diagonal_.forms(x) : ridge_.forms(x);
  }

  void refresh() noexcept {
    for (std::size_t a = 0; a < b_.size(); ++a) {
      gamma_[a] = GammaShape(a_of(static_cast<Action>(a)));
    }
  }

  Options options_;
  Ridge ridge_;
  std::vector<double> b_;
  RidgeDiagonal diagonal_;  // has no actions when covariance=full
  std::vector<double> draw_;
  std::vector<GammaShape> gamma_;  // the sampler's constants; a pull changes those of one action
};

}  // namespace sau
