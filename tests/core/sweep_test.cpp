#include "sau/core/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sau/core/error.hpp"
#include "sau/core/spec.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

std::vector<std::string> settings_of(std::string_view text) {
  std::vector<std::string> all;
  for (const Alternative& one : alternatives_of(text)) all.push_back(one.settings);
  return all;
}

TEST(Sweeps, MakeAllCombinations) {
  EXPECT_THAT(expand_sweep("sau_ucb"), ElementsAre("sau_ucb"));
  EXPECT_THAT(expand_sweep("sau_ucb(alpha=0.1|1)"),
              ElementsAre("sau_ucb(alpha=0.1)", "sau_ucb(alpha=1)"));
  EXPECT_THAT(expand_sweep("m(a=1|2,b=3)+s(c=x|y|z)"),
              ElementsAre("m(a=1,b=3)+s(c=x)", "m(a=1,b=3)+s(c=y)", "m(a=1,b=3)+s(c=z)",
                          "m(a=2,b=3)+s(c=x)", "m(a=2,b=3)+s(c=y)", "m(a=2,b=3)+s(c=z)"));
  EXPECT_THAT(settings_of("m(a=1|2,b=3)+s(c=x|y)"),
              ElementsAre("a=1,c=x", "a=1,c=y", "a=2,c=x", "a=2,c=y"));
  EXPECT_THAT(settings_of("m(a=1)"), ElementsAre(""));
}

TEST(Sweeps, IgnoreBlanksBetweenTheParts) {
  EXPECT_THAT(expand_sweep("m( a = 1 | 2 )"), ElementsAre("m( a=1 )", "m( a=2 )"));
  EXPECT_THAT(settings_of("m( a = 1 | 2 )"), ElementsAre("a=1", "a=2"));
}

TEST(Sweeps, LeaveQuotesAndFilesAlone) {
  EXPECT_THAT(expand_sweep(R"(m(file="a|b"))"), ElementsAre(R"(m(file="a|b"))"));
  EXPECT_THAT(expand_sweep(R"(m(a="x\"|,(=y"|"z"))"),
              ElementsAre(R"(m(a="x\"|,(=y"))", R"(m(a="z"))"));
  EXPECT_THAT(expand_sweep("csv(file=a|b)"), ElementsAre("csv(file=a|b)")) << "| joins files";
  EXPECT_THAT(expand_sweep("csv( file = a|b, label=x|y)"),
              ElementsAre("csv( file = a|b, label=x)", "csv( file = a|b, label=y)"));
}

TEST(Sweeps, LeaveTextThatIsNoSpecAsItIs) {
  for (const char* text : {"", "a|b", "a=1|2", "m(a=1|2", "m(\"a=1|2)", "m(1|2)", ")", "(", "\\"}) {
    EXPECT_THAT(expand_sweep(text), ElementsAre(text));
    EXPECT_EQ(without_alternatives(text), text);
  }
}

TEST(Sweeps, HaveALimit) {
  std::string text = "m(";
  for (const char key : {'a', 'b', 'c', 'd', 'e'}) {
    text += std::string(key == 'a' ? "" : ",") + key + "=0|1|2|3|4|5|6|7|8|9";
  }
  EXPECT_THAT(error_of<UsageError>([&] { alternatives_of(text + ")"); }),
              HasSubstr("more than 10000"));
}

TEST(Sweeps, LeaveARestThatIsASpec) {
  EXPECT_EQ(without_alternatives("linear(lambda=1|2)+sau_ucb"), "linear+sau_ucb");
  EXPECT_EQ(without_alternatives("m(a=1|2,b=3)+s(a=4)"), "m(b=3)+s(a=4)");
  EXPECT_EQ(without_alternatives("m(b=3,a=1|2)"), "m(b=3)");
  EXPECT_EQ(without_alternatives("m(b=3,a=1|2,c=4)"), "m(b=3,c=4)");
  EXPECT_EQ(without_alternatives("m( a = 1|2 , b = 3|4 )"), "m");
  EXPECT_EQ(without_alternatives(R"(m(a="x|y",b=1|2))"), R"(m(a="x|y"))");
  EXPECT_EQ(without_alternatives("csv(file=a|b)"), "csv(file=a|b)");
}

}  // namespace
}  // namespace sau
