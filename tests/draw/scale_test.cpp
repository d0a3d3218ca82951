#include "draw/scale.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "draw/labels.hpp"
#include "draw/plot.hpp"
#include "sau/core/time_text.hpp"

namespace sau::detail {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<std::string> labels_of(const Scale& scale, int wanted, Unit unit = Unit::kNumber) {
  return tick_labels(tick_values(scale, wanted), unit);
}

TEST(Range, SeesFiniteNumbersOnly) {
  Range range;
  EXPECT_TRUE(range.empty());
  for (const double value : {kNan, 3.0, kInf, -2.0, -kInf}) range.add(value);
  EXPECT_EQ(range.low, -2.0);
  EXPECT_EQ(range.high, 3.0);
}

TEST(Scale, LinearPlacesAreProportional) {
  const Scale scale = Scale::linear({0.0, 10.0}).onto(100.0, 300.0);
  EXPECT_EQ(scale(0.0), 100.0);
  EXPECT_EQ(scale(2.5), 150.0);
  EXPECT_EQ(scale(11.0), 320.0);
  EXPECT_EQ(scale.clamped(11.0), 300.0);
  EXPECT_TRUE(std::isnan(scale(kNan)));
  EXPECT_TRUE(std::isnan(scale(kInf)));
}

TEST(Scale, AShortAxisHasTwoNumbersAtLeast) {
  for (const int wanted : {0, 1, 2}) {
    EXPECT_GE(tick_values(Scale::linear({0.0, 1500.0}), wanted).size(), 2U) << wanted;
    EXPECT_GE(tick_values(Scale::linear({0.9, 2.1}), wanted).size(), 2U) << wanted;
  }
}

TEST(Scale, LogarithmicPlacesAreProportionalToRatios) {
  const Scale scale = Scale::logarithmic({1.0, 10'000.0}).onto(400.0, 0.0);
  EXPECT_NEAR(scale(1.0), 400.0, 1e-9);
  EXPECT_NEAR(scale(100.0), 200.0, 1e-9);
  EXPECT_NEAR(scale(1000.0 / std::sqrt(10.0)), 150.0, 1e-9);
  EXPECT_TRUE(std::isnan(scale(0.0)));
  EXPECT_TRUE(std::isnan(scale(-5.0)));
  EXPECT_NEAR(scale.clamped(-5.0), 400.0, 1e-9);
}

TEST(Scale, SymmetricIsOddLinearNearZeroAndLogarithmicFarOut) {
  const Scale scale = Scale::symmetric({-1e6, 1e6}, 1.0).onto(-1.0, 1.0);
  EXPECT_NEAR(scale(0.0), 0.0, 1e-12);
  EXPECT_NEAR(scale(-50.0), -scale(50.0), 1e-12);
  EXPECT_NEAR(scale(0.002), 2.0 * scale(0.001), 1e-8);
  EXPECT_NEAR(scale(1e5) - scale(1e4), scale(1e6) - scale(1e5), 1e-8);
}

TEST(Scale, WidenedAddsRoomAtBothEnds) {
  const Scale scale = Scale::linear({0.0, 100.0}).widened(0.1, 0.2);
  EXPECT_DOUBLE_EQ(scale.low(), -10.0);
  EXPECT_DOUBLE_EQ(scale.high(), 120.0);
  const Scale log = Scale::logarithmic({1.0, 100.0}).widened(0.5, 0.5);
  EXPECT_NEAR(log.low(), 0.1, 1e-12);
  EXPECT_NEAR(log.high(), 1000.0, 1e-9);
}

TEST(Ticks, LinearOnesAreMultiplesOf125) {
  EXPECT_THAT(tick_values(Scale::linear({0.0, 100.0}), 5), ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_THAT(tick_values(Scale::linear({0.0, 1500.0}), 4), ElementsAre(0, 500, 1000, 1500));
  EXPECT_THAT(tick_values(Scale::linear({0.13, 0.87}), 4), ElementsAre(0.2, 0.4, 0.6, 0.8));
  EXPECT_THAT(tick_values(Scale::linear({0.0, 0.3}), 3), ElementsAre(0.0, 0.1, 0.2, 0.3));
  EXPECT_THAT(tick_values(Scale::linear({-3.2, 3.2}), 6), ElementsAre(-3, -2, -1, 0, 1, 2, 3));
  for (const double value : tick_values(Scale::linear({-1.0, 1.0}), 4)) {
    EXPECT_FALSE(value == 0.0 && std::signbit(value));
  }
}

TEST(Ticks, LogarithmicOnesAreDecadesOr125IfThereAreFewDecades) {
  EXPECT_THAT(tick_values(Scale::logarithmic({1.0, 1e5}), 5),
              ElementsAre(1, 10, 100, 1000, 10'000, 100'000));
  EXPECT_THAT(tick_values(Scale::logarithmic({1000.0, 60'000.0}), 5),
              ElementsAre(1000, 2000, 5000, 10'000, 20'000, 50'000));
  EXPECT_THAT(tick_values(Scale::logarithmic({0.004, 0.3}), 5),
              ElementsAre(0.005, 0.01, 0.02, 0.05, 0.1, 0.2));
  EXPECT_THAT(tick_values(Scale::logarithmic({200.0, 300.0}), 2), ElementsAre(200, 250, 300));
  EXPECT_THAT(tick_values(Scale::logarithmic({1.0, 1e12}), 3), ElementsAre(1, 1e3, 1e6, 1e9, 1e12));
}

TEST(Ticks, MinorOnesFillTheDecades) {
  EXPECT_THAT(minor_tick_values(Scale::logarithmic({5.0, 35.0})),
              ElementsAre(5, 6, 7, 8, 9, 20, 30));
  EXPECT_THAT(minor_tick_values(Scale::linear({5.0, 35.0})), IsEmpty());
}

TEST(Ticks, SymmetricOnesAreZeroAndDecadesOnBothSides) {
  EXPECT_THAT(tick_values(Scale::symmetric({-150.0, 2000.0}, 10.0), 5),
              ElementsAre(-100, -10, 0, 10, 100, 1000));
}

TEST(Ticks, LabelsOfAnAxisShareTheirUnitAndDigits) {
  EXPECT_THAT(labels_of(Scale::linear({0.0, 40'000.0}), 4),
              ElementsAre("0", "10k", "20k", "30k", "40k"));
  EXPECT_THAT(labels_of(Scale::linear({0.0, 2e6}), 4),
              ElementsAre("0", "0.5M", "1.0M", "1.5M", "2.0M"));
  EXPECT_THAT(labels_of(Scale::linear({0.0, 1.0}), 2), ElementsAre("0", "0.5", "1.0"));
  EXPECT_THAT(labels_of(Scale::linear({-1000.0, 2000.0}), 3),
              ElementsAre("\u22121000", "0", "1000", "2000"));
  EXPECT_THAT(labels_of(Scale::linear({0.0, 2e-5}), 2), ElementsAre("0", "1e-5", "2e-5"));
}

TEST(Ticks, EachLogarithmicLabelIsShort) {
  EXPECT_THAT(labels_of(Scale::logarithmic({0.01, 1e6}), 9),
              ElementsAre("0.01", "0.1", "1", "10", "100", "1k", "10k", "100k", "1M"));
  EXPECT_THAT(labels_of(Scale::logarithmic({100.0, 9000.0}), 5),
              ElementsAre("100", "200", "500", "1000", "2000", "5000"));
  EXPECT_THAT(labels_of(Scale::logarithmic({2e-7, 20.0}), 9, Unit::kSeconds),
              ElementsAre("1 \u00b5s", "10 \u00b5s", "100 \u00b5s", "1 ms", "10 ms", "100 ms",
                          "1 s", "10 s"));
}

TEST(Ticks, EveryRangeHasAnAxis) {
  const Range ranges[] = {{},
                          {0.0, 0.0},
                          {7.0, 7.0},
                          {-7.0, -7.0},
                          {1e300, 1e300},
                          {1e20, 1e20 * (1.0 + 1e-15)},
                          {-1e-300, 1e-300},
                          {-1e308, 1e307}};
  for (const Range& range : ranges) {
    for (const Scale& scale :
         {Scale::linear(range), Scale::logarithmic(range), Scale::symmetric(range, 1.0)}) {
      EXPECT_LT(scale.low(), scale.high()) << range.low;
      const auto values = tick_values(scale, 5);
      EXPECT_LE(values.size(), 20U);
      EXPECT_THAT(tick_labels(values), SizeIs(values.size()));
    }
  }
}

TEST(ShortNumber, HasThreeDigits) {
  EXPECT_EQ(short_number(0.0), "0");
  EXPECT_EQ(short_number(0.012345), "0.0123");
  EXPECT_EQ(short_number(-1.5), "\u22121.5");
  EXPECT_EQ(short_number(1234.0), "1230");
  EXPECT_EQ(short_number(37'345.0), "37.3k");
  EXPECT_EQ(short_number(100'000.0), "100k");
  EXPECT_EQ(short_number(kNan), "\u2013");
}

TEST(SpreadOut, LeavesLabelsWithEnoughRoomAlone) {
  EXPECT_THAT(spread_out({50.0, 10.0, 30.0}, 15.0, 0.0, 100.0), ElementsAre(50, 10, 30));
}

TEST(SpreadOut, MovesApartAroundTheMiddle) {
  EXPECT_THAT(spread_out({50.0, 52.0}, 10.0, 0.0, 100.0), ElementsAre(46, 56));
  // Three that touch, then a fourth that is pushed into them: mean of 20, 20, 20, 36 is 24.
  EXPECT_THAT(spread_out({20.0, 20.0, 20.0, 36.0}, 10.0, 0.0, 100.0), ElementsAre(9, 19, 29, 39));
}

TEST(SpreadOut, StaysWithinTheEnds) {
  EXPECT_THAT(spread_out({1.0, 2.0, 99.0}, 10.0, 0.0, 100.0), ElementsAre(0, 10, 99));
  EXPECT_THAT(spread_out({100.0, 100.0}, 10.0, 0.0, 100.0), ElementsAre(90, 100));
  EXPECT_THAT(spread_out({}, 10.0, 0.0, 100.0), IsEmpty());
}

std::vector<std::string> time_labels(const char* first, const char* last) {
  return time_axis({static_cast<double>(parse_time(first).value()),
                    static_cast<double>(parse_time(last).value())})
      .labels;
}

TEST(TimeAxis, HasTicksAtWholeTimes) {
  EXPECT_THAT(
      time_labels("2024-02-27T13:00:00Z", "2024-03-01T01:00:00Z"),
      ElementsAre("02-28 00:00", "02-28 12:00", "02-29 00:00", "02-29 12:00", "03-01 00:00"));
  EXPECT_THAT(time_labels("2024-02-27T13:00:00Z", "2024-03-02T01:00:00Z"),
              ElementsAre("2024-02-28", "2024-02-29", "2024-03-01", "2024-03-02"));
  EXPECT_THAT(time_labels("2024-02-27T13:00:01Z", "2024-02-27T13:00:05Z"),
              ElementsAre("13:00:01", "13:00:02", "13:00:03", "13:00:04", "13:00:05"));
  EXPECT_THAT(time_labels("2024-02-27T13:00:01.2Z", "2024-02-27T13:00:01.4Z"),
              ElementsAre("13:00:01"));
  // However long, there are some and not too many.
  double length = 2000.0;
  for (int i = 0; i < 60; ++i, length *= 1.5) {
    const std::size_t ticks = time_axis({1.7e12, 1.7e12 + length}).values.size();
    EXPECT_TRUE(ticks >= 1 && ticks <= 6) << length << " " << ticks;
    if (length > 1e14) break;
  }
}

}  // namespace
}  // namespace sau::detail
