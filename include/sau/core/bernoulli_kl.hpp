#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace sau {

// kl(p, q), the divergence of a coin with chance q from one with chance p. Both lie in [0, 1].
inline double bernoulli_kl(double p, double q) noexcept {
  const auto part = [](double a, double b) {
    if (a <= 0.0) return 0.0;
    return b <= 0.0 ? std::numeric_limits<double>::infinity() : a * std::log(a / b);
  };
  return part(p, q) + part(1.0 - p, 1.0 - q);
}

// The largest q in [p, 1] with kl(p, q) <= d, for d >= 0.
//
// kl is convex in q and grows on [p, 1], so Newton's steps from above stay above the answer and
// come down to it. Two bounds from above are known: q <= p + sqrt(d / 2) (Pinsker), and, since
// p ln q <= 0, 1 - q >= (1 - p) exp((p ln p - d) / (1 - p)). The second is the answer if p = 0.
inline double bernoulli_kl_bound(double p, double d) noexcept {
  p = std::clamp(p, 0.0, 1.0);
  const double rest = 1.0 - p;
  if (rest <= 0.0 || !(d < std::numeric_limits<double>::infinity())) return 1.0;
  const double entropy = p > 0.0 ? p * std::log(p) : 0.0;
  const double from_top = 1.0 - rest * std::exp((entropy - d) / rest);
  double q = std::min(p + std::sqrt(0.5 * d), from_top);
  for (int i = 0; i < 50 && q > p && q < 1.0; ++i) {
    const double next = q - (bernoulli_kl(p, q) - d) * q * (1.0 - q) / (q - p);
    if (!(next < q)) break;
    q = std::max(next, p);
  }
  return q;
}

}  // namespace sau
