#pragma once

// The few distributions behind intervals and tests.
namespace sau::detail {

double normal_cdf(double z) noexcept;
// 0 < p < 1.
double normal_quantile(double p) noexcept;
// Student's t with dof >= 1 degrees of freedom.
double student_cdf(double t, double dof) noexcept;
// 0 < p < 1.
double student_quantile(double p, double dof) noexcept;
// The chance that chi-square with dof >= 1 degrees of freedom is above x.
double chi_square_tail(double x, double dof) noexcept;

}  // namespace sau::detail
