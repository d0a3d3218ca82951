#pragma once

#include <cstddef>

#include "sau/kernel/instruction_set.hpp"

namespace sau {

// Kernels of recursive least squares in double precision. The inverse of a symmetric positive
// definite matrix is held as
//     P = W' D W,   W unit lower triangular, D diagonal and positive
// (Bierman 1976, whose U is W'), which stays symmetric and positive definite whatever the rounding.
//
// Lengths are padded to a multiple of kRidgePad with zeros. W is stored by panels of kRidgePad
// rows: panel b has kRidgePad rows of kRidgePad * (b + 1) numbers each, the diagonal's 1 and the
// zeros to its right included, so that half of the square is stored and no row has a remainder.
// All arrays start on a multiple of 32 bytes and do not overlap.
inline constexpr std::size_t kRidgePad = 4;

constexpr std::size_t ridge_padded(std::size_t dim) noexcept {
  return (dim + kRidgePad - 1) / kRidgePad * kRidgePad;
}

// The length of W in memory for a padded dimension.
constexpr std::size_t ridge_factor_size(std::size_t padded) noexcept {
  return padded * (padded + kRidgePad) / 2;
}

// The place of W's element (row, column), column <= row.
constexpr std::size_t ridge_factor_index(std::size_t row, std::size_t column) noexcept {
  const std::size_t panel = row / kRidgePad, width = kRidgePad * (panel + 1);
  return ridge_factor_size(kRidgePad * panel) + (row % kRidgePad) * width + column;
}

// `padded` is a padded dimension; `count` is the number of regressions, whose arrays lie one after
// the other: theta and scale with `padded` numbers each, factor with ridge_factor_size(padded).
struct RidgeKernel {
  // out[a] = theta_a' x
  void (*products)(const double* theta, std::size_t count, std::size_t padded, const double* x,
                   double* out) noexcept;

  // out[a] = x' P_a x = sum_i D_i (W x)_i^2
  void (*forms)(const double* factor, const double* scale, std::size_t count, std::size_t padded,
                const double* x, double* out) noexcept;

  // P <- (P^-1 + x x')^-1 and, with the old P, gain <- P x, in one pass over W. Returns
  // alpha = 1 + x' P x, also with the old P.
  double (*update)(double* factor, double* scale, std::size_t padded, const double* x,
                   double* gain) noexcept;

  // y <- y + factor * x
  void (*add)(double factor, const double* x, std::size_t padded, double* y) noexcept;
};

// Lives as long as the program. The set must be one that this processor has.
const RidgeKernel& ridge_kernel(InstructionSet set) noexcept;

}  // namespace sau
