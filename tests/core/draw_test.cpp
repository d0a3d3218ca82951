#include "sau/core/draw.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sau {
namespace {

const double kLargestUniform = std::nextafter(1.0, 0.0);  // the largest result of Rng::uniform()

TEST(Draw, IsTheIndexWhereTheSumPassesTheNumber) {
  const std::vector<double> chance = {0.25, 0.5, 0.25};
  EXPECT_EQ(draw_from(chance, 0.0), 0U);
  EXPECT_EQ(draw_from(chance, std::nextafter(0.25, 0.0)), 0U);
  EXPECT_EQ(draw_from(chance, 0.25), 1U);
  EXPECT_EQ(draw_from(chance, std::nextafter(0.75, 0.0)), 1U);
  EXPECT_EQ(draw_from(chance, 0.75), 2U);
  EXPECT_EQ(draw_from(chance, kLargestUniform), 2U);
}

TEST(Draw, NeverDrawsAnItemWithoutAChance) {
  const std::vector<double> chance = {0.0, 0.5, 0.0, 0.5, 0.0};
  EXPECT_EQ(draw_from(chance, 0.0), 1U);
  EXPECT_EQ(draw_from(chance, 0.5), 3U);
  EXPECT_EQ(draw_from(chance, kLargestUniform), 3U);
}

// Ten times 0.1 is less than 1 in doubles: the sum never passes the largest number.
TEST(Draw, ASumRoundedBelowOneGivesTheLastItemWithAChance) {
  std::vector<double> chance(10, 0.1);
  chance.insert(chance.end(), 3, 0.0);
  double sum = 0.0;
  for (const double p : chance) sum += p;
  ASSERT_LE(sum, kLargestUniform);
  EXPECT_EQ(draw_from(chance, kLargestUniform), 9U);
}

TEST(Draw, TakesTheProbabilityFromAMember) {
  struct Item {
    int name;
    double chance;
  };
  const std::vector<Item> items = {{7, 0.0}, {8, 1.0}};
  EXPECT_EQ(draw_from(items, 0.3, &Item::chance), 1U);
}

}  // namespace
}  // namespace sau
