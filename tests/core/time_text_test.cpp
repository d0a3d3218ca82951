#include "sau/core/time_text.hpp"

#include <gtest/gtest.h>

#include <locale>

namespace sau {
namespace {

TEST(Duration, IsReadAndWritten) {
  EXPECT_EQ(parse_duration("PT10M"), 600'000);
  EXPECT_EQ(parse_duration("P1DT2H3M4.5S"), 93'784'500);
  EXPECT_EQ(parse_duration("P2W"), 14LL * 86'400'000);
  EXPECT_EQ(parse_duration("PT0S"), 0);
  for (const Milliseconds time : {0LL, 1LL, 1000LL, 600'000LL, 86'400'000LL, 93'784'500LL}) {
    EXPECT_EQ(parse_duration(write_duration(time)), time) << write_duration(time);
  }
}

TEST(Duration, OtherTextIsRefused) {
  for (const char* text : {"", "P", "PT", "10M", "PT10", "PT-1M", "P1H", "PT1D", "PT1S1M", "PT1M1M",
                           "PTM", "PTnanS", "PT1e3S", "P10001D", "PT1M "}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Time, IsIso8601InUtc) {
  EXPECT_EQ(write_time(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(write_time(1'000'000'000'123), "2001-09-09T01:46:40.123Z");
  EXPECT_EQ(write_time(951'827'696'789), "2000-02-29T12:34:56.789Z");
  EXPECT_EQ(write_time(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(write_time(253'402'300'799'999), "9999-12-31T23:59:59.999Z");
}

TEST(Time, IsReadBack) {
  for (const Milliseconds time :
       {Milliseconds{0}, Milliseconds{1'000'000'000'123}, Milliseconds{951'827'696'789},
        Milliseconds{-1}, Milliseconds{253'402'300'799'999}}) {
    EXPECT_EQ(parse_time(write_time(time)), time);
  }
  EXPECT_EQ(parse_time("2021-02-04T16:31:29.2460000Z"), 1'612'456'289'246);
  EXPECT_EQ(parse_time("2021-02-04T16:31:29"), 1'612'456'289'000);
  EXPECT_EQ(parse_time("2021-02-04 18:31:29.2+02:00"), 1'612'456'289'200);
  EXPECT_EQ(parse_time("2021-02-04T11:01:29-0530"), 1'612'456'289'000);
  for (const char* text :
       {"", "2021", "2021-02-04", "2021-02-30T00:00:00Z", "2021-13-01T00:00:00Z",
        "2021-02-04T24:00:00Z", "2021-02-04T16:31", "2021-02-04T16:31:29.Z", "N/A",
        "2021-02-04T16:31:29Zx", "2021-02-04T16:31:29+2", "1612456289", "x2021-02-04T16:31:29"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

TEST(Time, InSecondsLeavesOutTheMilliseconds) {
  for (const Milliseconds time : {Milliseconds{0}, Milliseconds{1'000'000'000'123},
                                  Milliseconds{951'827'696'789}, Milliseconds{-1}}) {
    EXPECT_EQ(write_time_in_seconds(time), write_time(time).substr(0, 19) + "Z");
  }
}

TEST(Time, OfAnHttpHeader) {
  EXPECT_EQ(http_date(784'111'777'000), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(784'111'777'999), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(951'827'696'789), "Tue, 29 Feb 2000 12:34:56 GMT");
}

// Writes every part of a time as "wrong".
class WrongTimes : public std::time_put<char> {
 protected:
  iter_type do_put(iter_type out, std::ios_base&, char, const std::tm*, char, char) const override {
    for (const char c : {'w', 'r', 'o', 'n', 'g'}) *out++ = c;
    return out;
  }
};

TEST(Time, IsTheSameInEveryLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new WrongTimes));
  EXPECT_EQ(http_date(784'111'777'000), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(write_time_in_seconds(0), "1970-01-01T00:00:00Z");
  std::locale::global(before);
}

}  // namespace
}  // namespace sau
