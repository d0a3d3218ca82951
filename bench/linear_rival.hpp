#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace sau::bench {

// Ridge regressions that are factorised anew for every prediction, with Eigen's Cholesky, to
// measure what a rank-one update saves. Compiled for this machine, so Eigen uses its best
// instructions.
class FreshRidge {
 public:
  FreshRidge(std::size_t actions, std::size_t dim, double lambda);
  ~FreshRidge();

  // Adds x x' and x r.
  void add(std::size_t action, std::span<const double> x, double reward);
  // Factorises Lambda and solves for theta; returns x' theta.
  double solve(std::size_t action, std::span<const double> x);
  // x' Lambda^-1 x, with the factor of the last solve().
  double form(std::size_t action, std::span<const double> x) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sau::bench
