#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "sau/core/argmax.hpp"

namespace sau {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Action argmax_of(std::vector<double> score) { return argmax(score); }

TEST(Argmax, FindsTheLargest) {
  EXPECT_EQ(argmax_of({0.1, 0.9, 0.3}), 1U);
  EXPECT_EQ(argmax_of({0.1, 0.2, 0.3}), 2U);
}

TEST(Argmax, OneScoreWins) { EXPECT_EQ(argmax_of({-7.0}), 0U); }

TEST(Argmax, NegativeScoresAreCompared) { EXPECT_EQ(argmax_of({-3.0, -1.0, -2.0}), 1U); }

TEST(Argmax, TiesGoToTheLowestAction) {
  EXPECT_EQ(argmax_of({0.0, 0.0, 0.0}), 0U);
  EXPECT_EQ(argmax_of({0.0, 2.0, 2.0}), 1U);
  EXPECT_EQ(argmax_of({0.0, kInfinity, kInfinity}), 1U);
  EXPECT_EQ(argmax_of({0.0, -0.0}), 0U);
}

TEST(Argmax, NanNeverWins) {
  EXPECT_EQ(argmax_of({kNan, -5.0, kNan}), 1U);
  EXPECT_EQ(argmax_of({1.0, kNan, 2.0}), 2U);
}

TEST(Argmax, AllNanIsTheFirst) { EXPECT_EQ(argmax_of({kNan, kNan}), 0U); }

TEST(Argmax, MinusInfinityLosesToAnyNumber) {
  EXPECT_EQ(argmax_of({-kInfinity, -1e308}), 1U);
  EXPECT_EQ(argmax_of({-kInfinity, -kInfinity}), 0U);
}

}  // namespace
}  // namespace sau
