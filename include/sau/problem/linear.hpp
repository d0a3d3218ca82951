#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "sau/core/spec.hpp"
#include "sau/problem/problem.hpp"

namespace sau {

enum class LinearTheta { kUniform, kNormal };
constexpr std::array<std::string_view, 2> enum_names(LinearTheta) { return {"uniform", "normal"}; }

enum class LinearErrors { kIndependent, kAr1 };
constexpr std::array<std::string_view, 2> enum_names(LinearErrors) {
  return {"independent", "ar1"};
}

enum class LinearContexts { kNormal, kAr1, kStudent };
constexpr std::array<std::string_view, 3> enum_names(LinearContexts) {
  return {"normal", "ar1", "student"};
}

struct LinearProblemOptions {
  std::uint64_t actions = 5;
  std::uint64_t dim = 5;
  double noise = 0.5;
  LinearTheta theta = LinearTheta::kUniform;
  LinearErrors errors = LinearErrors::kIndependent;
  LinearContexts contexts = LinearContexts::kNormal;
  double rho = 0.5;
  void fields(auto&& field) {
    field("actions", actions, "number of actions", Bounds{.min = 1.0, .max = 1e6});
    field("dim", dim, "length of a context", Bounds{.min = 1.0, .max = 1e5});
    field("noise", noise, "standard deviation of the reward's error",
          Bounds{.min = 0.0, .max = 1e50});
    field("theta", theta, "distribution of theta's elements before scaling to length 1");
    field("errors", errors, "ar1: the errors of successive steps are correlated by rho");
    field("contexts", contexts,
          "normal: independent elements; ar1: neighbours correlated by rho; student: independent t "
          "with 2 degrees of freedom, truncated to -5 ... 5");
    field("rho", rho, "correlation of neighbours where ar1 is chosen",
          Bounds{.min = -1.0, .max = 1.0, .open = true});
  }
  void check() const;
};

// r = x' theta_a + e,  |theta_a| = 1  (Zhu & Rigotti 2021, section 4.3 and appendix B). theta_a is
// drawn once per trial from Uniform[-1,1] or N(0,1) elements and scaled. The context is N(0, I), or
//     x_1 = z_1,  x_i = rho x_{i-1} + sqrt(1 - rho^2) z_i,  so that Cov(x_i, x_j) = rho^|i-j|,
// or has elements of Student's t with 2 degrees of freedom given that they lie in [-5, 5]. The
// error is N(0, noise^2), independent or, over steps, AR(1) with the same variance. Regret is
// expected: max_b x' theta_b - x' theta_a. A step draws dim numbers for the context and one for the
// error, whatever the action.
class LinearProblem final : public Problem {
 public:
  static constexpr std::string_view kName = "linear";
  static constexpr std::string_view kSummary =
      "linear rewards in a random context (section 4.3, appendix B)";
  using Options = LinearProblemOptions;

  explicit LinearProblem(const Stream& stream, Options options = {});

  Shape shape() const override { return {static_cast<Action>(mean_.size()), x_.size()}; }
  RewardRange rewards() const override { return {}; }
  std::uint64_t default_steps() const override { return 20'000; }

  Context next(Rng& rng) override;
  double pull(Action action, Rng& rng) override;
  double regret(Action action) const override { return best_ - mean_[action]; }

  std::vector<double> theta(Action action) const;

 private:
  Options options_;
  double fresh_;               // share of the new draw in an AR(1) step, sqrt(1 - rho^2)
  double error_ = 0.0;         // of the last step, in units of the noise
  bool started_ = false;       // whether there was a last step
  double best_ = 0.0;          // the largest of mean_
  std::vector<double> theta_;  // row-major, dim x actions, so that means are summed side by side
  std::vector<double> x_, mean_;
};

}  // namespace sau
