#include "sau/core/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "sau/core/rng.hpp"

namespace sau {
namespace {

using ::testing::HasSubstr;

TEST(FormatNumber, IsWhatAPersonWouldWrite) {
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(100000.0), "100000");
  EXPECT_EQ(format_number(1e-5), "1e-05");
  EXPECT_EQ(format_number(-2.0), "-2");
  EXPECT_EQ(format_number(0.0), "0");
  EXPECT_EQ(format_number(1e300), "1e+300");
  EXPECT_EQ(format_number(999999999999999.0), "999999999999999");
}

// The shortest of the %e forms that read back to the value.
std::string shortest_scientific(double value) {
  std::array<char, 64> text{};
  for (int precision = 0; precision < 17; ++precision) {
    std::snprintf(text.data(), text.size(), "%.*e", precision, value);
    if (std::strtod(text.data(), nullptr) == value) break;
  }
  return text.data();
}

TEST(FormatNumber, IsTheShortestThatReadsBack) {
  Rng rng({.seed = 4});
  std::vector<double> values = {5e-324,
                                std::numeric_limits<double>::min(),
                                std::numeric_limits<double>::max(),
                                std::numeric_limits<double>::epsilon(),
                                1.0 / 3.0,
                                0x1p53,
                                -0x1p63,
                                1e15,
                                1e22};
  while (values.size() < 4000) {
    const auto any = std::bit_cast<double>(rng.bits());
    if (std::isfinite(any)) values.push_back(any);
    values.push_back(rng.normal());
    values.push_back(static_cast<double>(rng.below(100'000)) / 1000.0);
    values.push_back(std::floor(1e16 * rng.uniform()));
  }
  for (const double value : values) {
    const std::string text = format_number(value);
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
    // Whole numbers below 1e15 are written out on purpose.
    const bool whole = std::abs(value) < 1e15 && value == std::trunc(value);
    EXPECT_LE(text.size(), whole ? 16 : shortest_scientific(value).size()) << text;
  }
}

TEST(FormatNumber, KeepsTheSignOfZero) {
  EXPECT_TRUE(std::signbit(std::strtod(format_number(-0.0).c_str(), nullptr)));
}

TEST(UnknownName, SuggestsTheNearestName) {
  const std::vector<std::string> known = {"greedy", "sau_ucb", "ucb1"};
  EXPECT_EQ(unknown_name("agent", "sau_ucp", known),
            "unknown agent 'sau_ucp'; did you mean 'sau_ucb'? known: greedy, sau_ucb, ucb1");
  EXPECT_THAT(unknown_name("agent", "greddy", known), HasSubstr("did you mean 'greedy'?"));
  EXPECT_THAT(unknown_name("agent", "SAU_UBC", known), HasSubstr("did you mean 'sau_ucb'?"));
}

TEST(UnknownName, SuggestsNothingIfNoNameIsNear) {
  const std::vector<std::string> known = {"greedy", "sau_ucb"};
  EXPECT_EQ(unknown_name("agent", "zzzzzz", known),
            "unknown agent 'zzzzzz'; known: greedy, sau_ucb");
}

TEST(UnknownName, SaysSoWhenNothingIsKnown) {
  EXPECT_THAT(unknown_name("thing", "a", {}), HasSubstr("known: none"));
}

TEST(Slug, KeepsPlainNames) { EXPECT_EQ(slug("SAU-UCB_1.5"), "SAU-UCB_1.5"); }

TEST(Slug, RunsOfOtherCharactersBecomeOneDash) {
  EXPECT_EQ(slug("sau_ucb(alpha=0.5, floor=0.1)"), "sau_ucb-alpha-0.5-floor-0.1");
}

TEST(Slug, NeverLeavesItsFolder) {
  EXPECT_EQ(slug(".."), "x..");
  EXPECT_EQ(slug("."), "x.");
  EXPECT_EQ(slug("../etc/passwd"), "x..-etc-passwd");
  EXPECT_EQ(slug("a/b"), "a-b");
  EXPECT_EQ(slug("/a"), "a");
}

TEST(Slug, IsNeverEmpty) {
  EXPECT_EQ(slug(""), "x");
  EXPECT_EQ(slug("/"), "x");
  EXPECT_EQ(slug("é"), "x");
}

TEST(LowerCase, ChangesLettersOnly) { EXPECT_EQ(lower_case("SAU-Ucb_1É"), "sau-ucb_1É"); }

// These values must not change: every random stream, and so every published number, depends on
// them. They were computed without this code: FNV-1a of the text, then the SplitMix64 finaliser.
TEST(ScopeOf, IsStable) {
  EXPECT_EQ(scope_of("bernoulli"), 0x5c231ad7e76c052dU);
  EXPECT_EQ(scope_of("bernoulli sample_mean+sau_ucb"), 0xcf1b88eea0588de8U);
  EXPECT_EQ(scope_of(""), 0xf52a15e9a9b5e89bU);
}

TEST(ScopeOf, SimilarTextsGiveVeryDifferentScopes) {
  const int bits =
      std::popcount(scope_of("bernoulli(actions=10)") ^ scope_of("bernoulli(actions=11)"));
  EXPECT_GT(bits, 16);
  EXPECT_LT(bits, 48);
}

TEST(Trimmed, TakesBlanksAndLineEndsOffBothEnds) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n "), "");
  EXPECT_EQ(trimmed(""), "");
}

}  // namespace
}  // namespace sau
