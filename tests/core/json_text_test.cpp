#include "core/json_text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "sau/core/rng.hpp"

namespace sau {
namespace {

template <class T>
std::string json_of(T value) {
  std::string out;
  detail::append_json(out, value);
  return out;
}

TEST(JsonText, NumbersHaveTheUsualForm) {
  for (const double number :
       {0.0, -0.0, 1.0, -2.5, 0.1, 1e-4, 1e-5, 1.25e-7, 1e9, 123456.0, 999999999999999.0, 1e15,
        1e16, 1.5e15, 1e21, -1e300, 5e-324, std::numeric_limits<double>::max()}) {
    EXPECT_EQ(json_of(number), nlohmann::json(number).dump());
  }
  EXPECT_EQ(json_of(0.0), "0.0");
  EXPECT_EQ(json_of(1e-5), "1e-05");
  EXPECT_EQ(json_of(1e15), "1e+15");
  EXPECT_EQ(json_of(std::nan("")), "null");
  EXPECT_EQ(json_of(-std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(json_of(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

// nlohmann's numbers are not always the shortest (Grisu2 is not exact); ours are.
TEST(JsonText, NumbersReadBackAndAreNoLongerThanNeeded) {
  Rng rng(Stream{.seed = 1, .role = Role::kProblem});
  int same = 0;
  constexpr int kNumbers = 20'000;
  for (int i = 0; i < kNumbers; ++i) {
    const double number = i % 2 == 0 ? rng.uniform() : std::bit_cast<double>(rng.bits());
    if (!std::isfinite(number)) continue;
    const std::string ours = json_of(number), theirs = nlohmann::json(number).dump();
    EXPECT_EQ(nlohmann::json::parse(ours).get<double>(), number) << ours;
    EXPECT_LE(ours.size(), theirs.size()) << ours << " " << theirs;
    same += ours == theirs ? 1 : 0;
  }
  EXPECT_GT(same, kNumbers * 98 / 100);
}

TEST(JsonText, TextIsEscapedAsNeeded) {
  std::string all;
  for (char c = 0; c < 0x7f; ++c) all += c;
  all += "\x7f\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  EXPECT_EQ(json_of(std::string_view(all)), nlohmann::json(all).dump());
  EXPECT_EQ(json_of(std::string_view("\n")), "\"\\n\"");
  EXPECT_EQ(json_of(std::string_view("a\xC3")), "\"a\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace sau
