#include "core/normal_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "support/normal_cdf.hpp"

namespace sau::detail {
namespace {

double exact_density(double t) {
  return std::exp(-0.5 * t * t) / std::sqrt(2.0 * std::numbers::pi);
}

TEST(NormalTable, AgreesWithTheMathematicalLibrary) {
  for (double t = NormalTable::kBottom; t < NormalTable::kTop; t += 0.00137) {
    const auto value = kNormalTable.at(t);
    ASSERT_NEAR(value.cdf, sau::testing::normal_cdf(t), 2e-15) << t;
    ASSERT_NEAR(value.density, exact_density(t), 2e-15) << t;
  }
}

TEST(NormalTable, IsExactlyZeroAndOneOutside) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double t : {NormalTable::kBottom, -9.0, -1e300, -kInfinity}) {
    EXPECT_EQ(kNormalTable.at(t).cdf, 0.0);
    EXPECT_EQ(kNormalTable.at(t).density, 0.0);
  }
  for (const double t : {NormalTable::kTop, 9.0, 1e300, kInfinity}) {
    EXPECT_EQ(kNormalTable.at(t).cdf, 1.0);
    EXPECT_EQ(kNormalTable.at(t).density, 0.0);
  }
}

TEST(NormalTable, ABatchGivesTheSameValues) {
  const std::array<double, 6> x{-1.0, -0.7, -0.1, 0.0, 0.4, 1.0};
  for (const double middle : {-20.0, -8.0, -1.3, 0.0, 5.1, 7.9, 1e9}) {
    for (const double half : {1e-9, 0.5, 3.0, 40.0}) {
      std::array<double, 6> cdf{}, density{};
      kNormalTable.at_all(middle, half, x, cdf.data(), density.data());
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_EQ(cdf[i], kNormalTable.at(middle + half * x[i]).cdf);
        EXPECT_EQ(density[i], kNormalTable.at(middle + half * x[i]).density);
      }
    }
  }
}

}  // namespace
}  // namespace sau::detail
