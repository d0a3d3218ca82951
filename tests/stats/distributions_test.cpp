#include "stats/distributions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace sau {
namespace {

TEST(Distributions, NormalQuantilesMatchTheTables) {
  EXPECT_NEAR(detail::normal_quantile(0.975), 1.959963984540054, 1e-13);
  EXPECT_NEAR(detail::normal_quantile(0.9), 1.2815515655446004, 1e-13);
  EXPECT_NEAR(detail::normal_quantile(1e-10), -6.361340902404056, 1e-11);
  EXPECT_NEAR(detail::normal_quantile(0.5), 0.0, 1e-16);
}

// P(|T| <= t) for whole degrees of freedom, a finite sum (Abramowitz & Stegun 26.7.3 and 26.7.4).
double student_within(double t, int dof) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(dof)));
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const bool odd = dof % 2 == 1;
  double term = odd ? cosine : 1.0, sum = dof == 1 ? 0.0 : term;
  for (int k = odd ? 3 : 2; k <= dof - 2; k += 2) {
    term *= (k - 1.0) / k * cosine * cosine;
    sum += term;
  }
  return odd ? 2.0 / std::numbers::pi * (angle + sine * sum) : sine * sum;
}

TEST(Distributions, StudentsQuantilesInvertTheClosedForm) {
  for (const int dof : {1, 2, 3, 4, 10, 49, 99, 500, 9999}) {
    for (const double p : {0.51, 0.8, 0.975, 0.9999}) {
      const double t = detail::student_quantile(p, dof);
      EXPECT_NEAR(student_within(t, dof), 2.0 * p - 1.0, 1e-12) << dof << " " << p;
      EXPECT_EQ(detail::student_quantile(1.0 - p, dof), -t) << dof << " " << p;
    }
  }
  EXPECT_NEAR(detail::student_quantile(0.975, 1e9), 1.959963984540054, 1e-8);
}

// Known answers from mpmath with 50 digits.
TEST(Distributions, StudentsFunctionsAreRightForAllDegreesOfFreedom) {
  struct Known {
    double argument, dof, value;
  };
  constexpr Known kCdf[] = {{-1.0, 1.0, 0.25},
                            {-2.0, 3.0, 0.069662984279421588},
                            {1.5, 7.0, 0.91135075650501498},
                            {-3.0, 49.0, 0.0021179481150722923},
                            {-1.0, 999.0, 0.15877633008820619},
                            {2.0, 1e5, 0.97724851827124677},
                            {-1.0, 1e6, 0.15865537491678906}};
  for (const auto& [t, dof, value] : kCdf) {
    EXPECT_NEAR(detail::student_cdf(t, dof), value, 1e-12) << t << " " << dof;
  }
  constexpr Known kQuantile[] = {
      {0.975, 1.0, 12.706204736174693},  {0.975, 4.0, 2.7764451051977935},
      {0.995, 19.0, 2.8609346064649788}, {0.9, 49.0, 1.2990687847477499},
      {0.025, 999.0, -1.96234146113345}, {0.975, 1e5, 1.9599877075346093},
      {0.975, 1e6, 1.9599663568141067},  {0.001, 7.0, -4.785289628638334}};
  for (const auto& [p, dof, value] : kQuantile) {
    EXPECT_NEAR(detail::student_quantile(p, dof), value, 1e-12 * std::abs(value))
        << p << " " << dof;
  }
}

// std::lgamma sets signgam, so two threads that compute intervals would race.
TEST(Distributions, NoGlobalIsWritten) {
  ::signgam = 7;
  detail::student_quantile(0.975, 19.0);
  detail::student_cdf(1.5, 4.0);
  detail::normal_quantile(0.975);
  EXPECT_EQ(::signgam, 7);
}

}  // namespace
}  // namespace sau
