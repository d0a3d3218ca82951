#include "sau/problem/linear.hpp"

#include <algorithm>
#include <cmath>

namespace sau {
namespace {

// For t with 2 degrees of freedom, w = t / sqrt(2 + t^2) is uniform on (-1, 1); |t| <= 5 is
// |w| <= 5 / sqrt(27).
double truncated_student(Rng& rng) noexcept {
  constexpr double kCut = 5.0;
  static const double kReach = kCut / std::sqrt(2.0 + kCut * kCut);
  const double w = kReach * (2.0 * rng.uniform() - 1.0);
  return std::clamp(w * std::sqrt(2.0 / (1.0 - w * w)), -kCut, kCut);
}

}  // namespace

void LinearProblemOptions::check() const {
  constexpr std::uint64_t kMaxNumbers = 100'000'000;
  if (actions * dim > kMaxNumbers) {
    throw UsageError("linear: actions=" + std::to_string(actions) +
                     " with dim=" + std::to_string(dim) + " is not allowed; expected at most " +
                     std::to_string(kMaxNumbers) + " numbers in all");
  }
}

LinearProblem::LinearProblem(const Stream& stream, Options options)
    : options_(options),
      fresh_(std::sqrt(1.0 - options.rho * options.rho)),
      theta_(options.actions * options.dim),
      x_(options.dim),
      mean_(options.actions) {
  Rng rng(stream);
  for (std::size_t a = 0; a < options.actions; ++a) {
    double square = 0.0;
    while (square == 0.0) {
      for (std::size_t i = 0; i < options.dim; ++i) {
        const double draw =
            options.theta == LinearTheta::kNormal ? rng.normal() : 2.0 * rng.uniform() - 1.0;
        theta_[i * options.actions + a] = draw;
        square += draw * draw;
      }
    }
    const double length = std::sqrt(square);
    for (std::size_t i = 0; i < options.dim; ++i) theta_[i * options.actions + a] /= length;
  }
}

Context LinearProblem::next(Rng& rng) {
  if (options_.contexts == LinearContexts::kStudent) {
    for (double& x : x_) x = truncated_student(rng);
  } else {
    for (double& x : x_) x = rng.normal();
    if (options_.contexts == LinearContexts::kAr1) {
      for (std::size_t i = 1; i < x_.size(); ++i) {
        x_[i] = options_.rho * x_[i - 1] + fresh_ * x_[i];
      }
    }
  }
  std::ranges::fill(mean_, 0.0);
  const double* theta = theta_.data();
  for (const double x : x_) {
    for (double& mean : mean_) mean += x * *theta++;
  }
  best_ = *std::ranges::max_element(mean_);
  return x_;
}

double LinearProblem::pull(Action action, Rng& rng) {
  const double draw = rng.normal();
  const bool correlated = options_.errors == LinearErrors::kAr1 && started_;
  error_ = correlated ? options_.rho * error_ + fresh_ * draw : draw;
  started_ = true;
  return mean_[action] + options_.noise * error_;
}

std::vector<double> LinearProblem::theta(Action action) const {
  std::vector<double> result;
  for (std::size_t i = 0; i < x_.size(); ++i) result.push_back(theta_[i * mean_.size() + action]);
  return result;
}

}  // namespace sau
