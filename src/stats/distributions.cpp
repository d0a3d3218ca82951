#include "stats/distributions.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace sau::detail {
namespace {

// Only double arithmetic, so that every processor gives the same digits. No exceptions. Unlike
// std::lgamma, these functions write no global variable, so they are thread-safe.
using Quiet = boost::math::policies::policy<
    boost::math::policies::promote_double<false>,
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::pole_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::rounding_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>,
    boost::math::policies::indeterminate_result_error<boost::math::policies::ignore_error>>;
using Normal = boost::math::normal_distribution<double, Quiet>;
using ChiSquared = boost::math::chi_squared_distribution<double, Quiet>;
using Student = boost::math::students_t_distribution<double, Quiet>;

}  // namespace

double normal_cdf(double z) noexcept { return boost::math::cdf(Normal(), z); }

double normal_quantile(double p) noexcept { return boost::math::quantile(Normal(), p); }

double student_cdf(double t, double dof) noexcept { return boost::math::cdf(Student(dof), t); }

double student_quantile(double p, double dof) noexcept {
  // Always from the lower tail, so that an interval is exactly symmetric.
  if (p > 0.5) return -student_quantile(1.0 - p, dof);
  return boost::math::quantile(Student(dof), p);
}

double chi_square_tail(double x, double dof) noexcept {
  return boost::math::cdf(boost::math::complement(ChiSquared(dof), x));
}

}  // namespace sau::detail
