#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sau {

// The confidence sequence that Vowpal Wabbit prints, to compare ours with: the polynomial stitched
// boundary of Howard, Ramdas, McAuliffe & Sekhon (2021, "Time-uniform, nonparametric, nonasymptotic
// confidence sequences", theorem 1) with eta = s = 1.1, around the sum of X >= 0. The variance
// process is the sum of (X - x^)^2, where x^ is the mean so far with half an observation added.
class StitchedLowerSequence {
 public:
  void add(double x) {
    const double expected = (sum_ + 0.5) / (static_cast<double>(count_) + 1.0);
    variance_ += (x - expected) * (x - expected);
    sum_ += x;
    ++count_;
  }

  // A lower bound of the mean that holds at every moment at once, except with chance alpha.
  double bound(double alpha) const {
    constexpr double kEta = 1.1, kS = 1.1, kZetaOfS = 10.584448464950810;
    const double v = std::max(variance_, 1.0);
    const double epochs = std::log(kEta * v) / std::log(kEta) + 1.0;
    const double level = kS * std::log(epochs) + std::log(kZetaOfS / alpha);
    const double k1 = (std::pow(kEta, 0.25) + std::pow(kEta, -0.25)) / std::sqrt(2.0);
    const double k2 = (std::sqrt(kEta) + 1.0) / 2.0;
    const double margin = std::sqrt(k1 * k1 * level * v + k2 * k2 * level * level) + k2 * level;
    return std::max(0.0, (sum_ - margin) / static_cast<double>(count_));
  }

 private:
  std::uint64_t count_ = 0;
  double sum_ = 0.0, variance_ = 0.0;
};

// For the value of a policy, from weights and rewards in [0, 1].
class StitchedSequence {
 public:
  void add(double weight, double reward) {
    low_.add(weight * reward);
    high_.add(weight * (1.0 - reward));
  }
  double low(double alpha) const { return low_.bound(alpha / 2.0); }
  double high(double alpha) const { return 1.0 - high_.bound(alpha / 2.0); }

 private:
  StitchedLowerSequence low_, high_;
};

}  // namespace sau
