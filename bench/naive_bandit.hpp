#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace sau::bench {

// The algorithms as one would first write them: with the standard library's generator and
// distributions, and with every action's bonus or spread computed anew at every step. The baseline
// of the benchmarks, and an oracle for what they compute.
class NaiveBandit {
 public:
  enum class Kind { kSauUcb, kSauSampling };

  NaiveBandit(Kind kind, std::size_t actions, double gap, std::uint64_t seed)
      : kind_(kind), mean_(actions, 0.5 - gap), generator_(seed) {
    mean_[0] = 0.5;
  }

  // Plays a trial and returns its regret.
  double play(std::uint64_t steps) {
    const std::size_t actions = mean_.size();
    std::vector<double> value(actions, 0.0), square(actions, 1.0), pulls(actions, 0.0);
    double regret = 0.0;
    for (std::uint64_t n = 1; n <= steps; ++n) {
      std::size_t action = 0;
      double best = -INFINITY;
      for (std::size_t a = 0; a < actions; ++a) {
        const double tau2 = square[a] / pulls[a];
        const double index = kind_ == Kind::kSauUcb
                                 ? value[a] + std::sqrt(tau2 * std::log(double(n)) / pulls[a])
                                 : value[a] + std::sqrt(tau2 / pulls[a]) * normal_(generator_);
        if (index > best) {
          best = index;
          action = a;
        }
      }
      if (n <= actions) action = n - 1;
      const double reward = std::bernoulli_distribution(mean_[action])(generator_) ? 1.0 : 0.0;
      const double residual = reward - value[action];
      pulls[action] += 1.0;
      square[action] += residual * residual;
      value[action] += residual / pulls[action];
      regret += mean_[0] - mean_[action];
    }
    return regret;
  }

 private:
  Kind kind_;
  std::vector<double> mean_;
  std::mt19937_64 generator_;
  std::normal_distribution<double> normal_;
};

}  // namespace sau::bench
