#pragma once

#include <cmath>
#include <limits>
#include <span>

namespace sau {

// Distribution of one action's index. Every number is finite.

struct NormalMarginal {
  double mean = 0.0;
  double spread = 1.0;  // standard deviation, >= 0; 0 is an atom at the mean
  bool operator==(const NormalMarginal&) const = default;
};

struct BetaMarginal {
  double alpha = 1.0;  // > 0
  double beta = 1.0;   // > 0
  bool operator==(const BetaMarginal&) const = default;
};

// mean + scale * T, where T has Student's t distribution.
struct StudentMarginal {
  double mean = 0.0;
  double scale = 1.0;  // >= 0; 0 is an atom at the mean
  double dof = 1.0;    // > 0, degrees of freedom
  bool operator==(const StudentMarginal&) const = default;
};

// The standard deviation; infinite if there is none.
inline double spread_of(const NormalMarginal& m) noexcept { return m.spread; }
inline double spread_of(const BetaMarginal& m) noexcept {
  const double sum = m.alpha + m.beta;
  return std::sqrt(m.alpha * m.beta / (sum + 1.0)) / sum;
}
inline double spread_of(const StudentMarginal& m) noexcept {
  if (m.scale == 0.0) return 0.0;
  if (m.dof <= 2.0) return std::numeric_limits<double>::infinity();
  return m.scale * std::sqrt(m.dof / (m.dof - 2.0));
}

// out[a] = P(the draw of action a is the largest of the independent draws), that is
//     integral of  f_a(z) * product over b != a of F_b(z)  dz,
// by quadrature, to an absolute error below 1e-9. Among equal atoms the lowest action wins. The
// result is >= 0 and sums to 1 up to rounding. `out` has the length of `marginals`. Allocates if
// there are more than about twenty actions. Thread-safe.
//
// Spreads of very different sizes may be mixed: only one some 300 orders of magnitude below the
// largest number among the marginals counts as an atom. The error bound was tested for dof >= 0.5
// and for alpha and beta from 0.01 to 1e6.
void argmax_probabilities(std::span<const NormalMarginal> marginals, std::span<double> out);
void argmax_probabilities(std::span<const BetaMarginal> marginals, std::span<double> out);
void argmax_probabilities(std::span<const StudentMarginal> marginals, std::span<double> out);

}  // namespace sau
