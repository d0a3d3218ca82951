#include "sau/core/spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"

namespace sau {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Setting = std::pair<std::string, std::string>;

enum class Colour { kRed, kBlue, kGreen };
constexpr std::array<std::string_view, 3> enum_names(Colour) { return {"red", "blue", "green"}; }

struct AllKinds {
  double number = 0.5;
  std::uint64_t count = 3;
  bool flag = false;
  std::string title = "plain";
  std::vector<double> list;
  Colour colour = Colour::kRed;
  double open = 0.5;
  double free = 0.0;
  void fields(auto&& field) {
    field("number", number, "a number", Bounds{.min = -1.0, .max = 1.0});
    field("count", count, "a count", Bounds{.min = 1.0, .max = 1e6});
    field("flag", flag, "a switch");
    field("title", title, "a text");
    field("list", list, "a list", Bounds{.min = 0.0, .max = 1.0});
    field("colour", colour, "a choice");
    field("open", open, "ends excluded", Bounds{.min = 0.0, .max = 1.0, .open = true});
    field("free", free, "anything");
  }
};

struct Wide {
  std::uint64_t count = 0;
  void fields(auto&& field) { field("count", count, "a count", Bounds{.min = 0.0}); }
};

AllKinds read(const std::string& spec) {
  return read_options<AllKinds>("thing", parse_spec(spec).params);
}
std::string refusal(const std::string& spec) {
  return error_of<UsageError>([&] { read(spec); });
}
std::string parse_error(std::string_view text) {
  return error_of<UsageError>([&] { parse_spec(text); });
}

TEST(ParseSpec, NameAloneHasNoSettings) {
  const Spec spec = parse_spec("sau_ucb");
  EXPECT_EQ(spec.name, "sau_ucb");
  EXPECT_THAT(spec.params, IsEmpty());
}

TEST(ParseSpec, EmptyParenthesesAreNoSettings) {
  EXPECT_EQ(parse_spec("greedy()").name, "greedy");
  EXPECT_THAT(parse_spec("greedy( )").params, IsEmpty());
}

TEST(ParseSpec, SettingsKeepTheirOrder) {
  EXPECT_THAT(parse_spec("a(z=1,b=two,c=-0.5)").params,
              ElementsAre(Setting{"z", "1"}, Setting{"b", "two"}, Setting{"c", "-0.5"}));
}

TEST(ParseSpec, BlanksBetweenTokensAreIgnored) {
  const Spec spec = parse_spec(" \tname ( a = 1 ,\n b = 2 )\r\n");
  EXPECT_EQ(spec.name, "name");
  EXPECT_THAT(spec.params, ElementsAre(Setting{"a", "1"}, Setting{"b", "2"}));
}

TEST(ParseSpec, QuotedTextMayHoldAnything) {
  EXPECT_THAT(parse_spec(R"(f(p="a, b) = (c",q=""))").params,
              ElementsAre(Setting{"p", "a, b) = (c"}, Setting{"q", ""}));
}

TEST(ParseSpec, BackslashEscapesQuoteAndBackslash) {
  EXPECT_THAT(parse_spec(R"(f(p="say \"hi\" \\ bye"))").params,
              ElementsAre(Setting{"p", R"(say "hi" \ bye)"}));
}

TEST(ParseSpec, ErrorsNameTheTextAndThePlace) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "at character 1: expected a name"},
      {"   ", "at character 4: expected a name"},
      {"(a=1)", "at character 1: expected a name"},
      {"f(a", "at character 3: 'a' is a value without a name; write setting=a"},
      {"epsilon_greedy(0.1)", "'0.1' is a value without a name; write setting=0.1"},
      {"csv(d/u.csv)", "'d/u.csv' is a value without a name; write file=d/u.csv"},
      {"csv(file=u.csv,ignore=a,b)", "a list needs quotes: ignore=\"a,b\""},
      {"mlp(hidden=50,60)", "numbers of a list are joined by x: hidden=50x60"},
      {"csv(file=my file.csv)", "expected ',' or ')'; text with blanks needs quotes"},
      {"f(=1)", "at character 3: expected a setting's name"},
      {"f(a=)", "at character 5: expected a value"},
      {"f(a=1", "at character 6: expected ',' or ')'"},
      {"f(a=1,)", "at character 7: expected a setting's name"},
      {"f(a=1 2)", "at character 7: expected ',' or ')'"},
      {"f(a=1)x", "at character 7: unexpected text after the spec"},
      {"f g", "at character 3: unexpected text after the spec"},
      {"f(a=\"open)", "at character 11: the quote is not closed"},
      {"f(a=\"open\\\")", "the quote is not closed"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_THAT(parse_error(text), HasSubstr("'" + text + "'"));
    EXPECT_THAT(parse_error(text), HasSubstr(expected)) << text;
  }
}

TEST(ParseSpec, ABadNameIsReportedWhereItStarts) {
  EXPECT_THAT(parse_error("$ucb(a=1)"), HasSubstr("at character 1: expected a name"));
  EXPECT_THAT(parse_error("f(al;pha=1)"), HasSubstr("at character 3: expected a setting's name"));
}

TEST(ParseSpec, ANulByteIsNotTheEndOfTheText) {
  EXPECT_THAT(parse_error(std::string_view("f(a=1)\0g", 8)), HasSubstr("unexpected text"));
}

TEST(SplitSpecs, SplitsOutsideParenthesesAndQuotes) {
  EXPECT_THAT(split_specs("linear(lambda=1e+2)+sau_ucb", '+'),
              ElementsAre("linear(lambda=1e+2)", "sau_ucb"));
  EXPECT_THAT(split_specs(R"(a(p="+)\"+")+b)", '+'), ElementsAre(R"(a(p="+)\"+"))", "b"));
  EXPECT_THAT(split_specs(R"(a(p="\\")+b)", '+'), ElementsAre(R"(a(p="\\"))", "b"));
}

TEST(SplitSpecs, KeepsEmptyPartsAndSingleText) {
  EXPECT_THAT(split_specs("alone", '+'), ElementsAre("alone"));
  EXPECT_THAT(split_specs("", '+'), ElementsAre(""));
  EXPECT_THAT(split_specs("+b+", '+'), ElementsAre("", "b", ""));
}

TEST(ReadOptions, SettingsThatAreNotGivenKeepTheirDefaults) {
  const AllKinds options = read("thing(number=0.25)");
  EXPECT_EQ(options.number, 0.25);
  EXPECT_EQ(options.count, 3U);
  EXPECT_EQ(options.title, "plain");
}

TEST(ReadOptions, EveryKindIsRead) {
  const AllKinds options =
      read(R"(thing(colour=green,count=12,flag=true,list=0.2x0.5,number=-1,title="a b"))");
  EXPECT_EQ(options.number, -1.0);
  EXPECT_EQ(options.count, 12U);
  EXPECT_TRUE(options.flag);
  EXPECT_EQ(options.title, "a b");
  EXPECT_THAT(options.list, ElementsAre(0.2, 0.5));
  EXPECT_EQ(options.colour, Colour::kGreen);
}

TEST(ReadOptions, AnIntegerMayBeWrittenWithAnExponent) {
  EXPECT_EQ(read("thing(count=1e5)").count, 100'000U);
  EXPECT_EQ(read("thing(count=2.5e3)").count, 2500U);
  EXPECT_EQ(read("thing(count=7.0)").count, 7U);
}

TEST(ReadOptions, AnIntegerIsWholeAndNotNegative) {
  for (const std::string text : {"1.5", "-1", "1e-1", "0x10", "12a", "nan", "inf", "1e300",
                                 "18446744073709551616", "\"\"", "\" 3\"", "+3"}) {
    EXPECT_THAT(refusal("thing(count=" + text + ")"), HasSubstr("expected a whole number")) << text;
  }
}

TEST(ReadOptions, LargeIntegersAreExact) {
  const auto wide = read_options<Wide>("wide", parse_spec("wide(count=9007199254740993)").params);
  EXPECT_EQ(wide.count, 9007199254740993U);  // 2^53 + 1 is not a double
  const Params most = parse_spec("wide(count=18446744073709551615)").params;
  EXPECT_EQ(read_options<Wide>("wide", most).count, ~std::uint64_t{0});
}

TEST(ReadOptions, NumbersAreFiniteDecimal) {
  for (const std::string text :
       {"nan", "-nan", "inf", "-inf", "infinity", "0x1p3", "0x10", "1e999", "1,5x", "one", "1.0.0",
        "--1", "+1", "1e", "\"\"", "\" 1\"", "\"1 \""}) {
    EXPECT_NE(refusal("thing(free=" + text + ")"), "") << text;
  }
  EXPECT_EQ(read("thing(free=-1.5e-3)").free, -0.0015);
}

TEST(ReadOptions, ClosedBoundsIncludeTheirEnds) {
  EXPECT_EQ(read("thing(number=1)").number, 1.0);
  EXPECT_EQ(read("thing(number=-1)").number, -1.0);
  EXPECT_THAT(refusal("thing(number=1.0000001)"),
              HasSubstr("thing: number=1.0000001 is not allowed; expected a number, from -1 to 1"));
}

TEST(ReadOptions, OpenBoundsExcludeTheirEnds) {
  EXPECT_EQ(read("thing(open=0.999)").open, 0.999);
  EXPECT_THAT(refusal("thing(open=0)"), HasSubstr("between 0 and 1, ends excluded"));
  EXPECT_THAT(refusal("thing(open=1)"), HasSubstr("open=1 is not allowed"));
}

TEST(ReadOptions, IntegersObeyTheirBounds) {
  EXPECT_THAT(refusal("thing(count=0)"), HasSubstr("from 1 to 1000000"));
  EXPECT_THAT(refusal("thing(count=1000001)"), HasSubstr("from 1 to 1000000"));
}

TEST(ReadOptions, ListsAreNumbersJoinedByX) {
  EXPECT_THAT(read("thing(list=0.2x0.5x1)").list, ElementsAre(0.2, 0.5, 1.0));
  EXPECT_THAT(read("thing(list=0.2)").list, ElementsAre(0.2));
  EXPECT_THAT(read("thing(list=\"\")").list, IsEmpty());
}

TEST(ReadOptions, MalformedListsAreRefused) {
  for (const std::string text :
       {"x", "0.2x", "x0.2", "0.2xx0.5", "0.2;0.5", "0.2x2", "nan", "-1", "0.1xinf"}) {
    EXPECT_THAT(refusal("thing(list=" + text + ")"),
                HasSubstr("expected numbers joined by x, from 0 to 1"))
        << text;
  }
}

TEST(ReadOptions, ChoicesAreListed) {
  EXPECT_THAT(refusal("thing(colour=pink)"),
              HasSubstr("colour=pink is not allowed; expected red, blue or green"));
  EXPECT_THAT(refusal("thing(flag=yes)"), HasSubstr("expected false or true"));
  EXPECT_THAT(refusal("thing(flag=True)"), HasSubstr("expected false or true"));
}

TEST(ReadOptions, UnknownSettingsAreRefusedWithASuggestion) {
  EXPECT_THAT(refusal("thing(nubmer=1)"),
              HasSubstr("thing: unknown setting 'nubmer'; did you mean 'number'? known: number, "));
}

TEST(ReadOptions, ASettingGivenTwiceIsRefused) {
  EXPECT_THAT(refusal("thing(count=1,count=1)"), HasSubstr("setting 'count' is given twice"));
}

TEST(ReadOptions, NoOptionsRefusesAnySetting) {
  const std::string error = error_of<UsageError>(
      [] { read_options<NoOptions>("greedy", parse_spec("greedy(a=1)").params); });
  EXPECT_THAT(error, HasSubstr("greedy: unknown setting 'a'"));
}

TEST(WriteSpec, LeavesOutDefaults) {
  EXPECT_EQ(write_spec("thing", AllKinds{}), "thing");
  AllKinds options;
  options.list = {0.5, 0.25};
  options.count = 100'000;
  EXPECT_EQ(write_spec("thing", options), "thing(count=100000,list=0.5x0.25)");
}

TEST(WriteSpec, QuotesTextThatNeedsIt) {
  AllKinds options;
  options.title = R"(a "b" \)";
  EXPECT_EQ(write_spec("thing", options), R"(thing(title="a \"b\" \\"))");
  options.title = "";
  EXPECT_EQ(write_spec("thing", options), "thing(title=\"\")");
}

TEST(DescribeOptions, TellsTypeDefaultRangeAndChoices) {
  const auto infos = describe_options<AllKinds>();
  ASSERT_EQ(infos.size(), 8U);
  EXPECT_EQ(infos[0].type, "number");
  EXPECT_EQ(infos[0].default_value, "0.5");
  EXPECT_EQ(infos[0].range, "from -1 to 1");
  EXPECT_EQ(infos[1].type, "integer");
  EXPECT_EQ(infos[2].type, "switch");
  EXPECT_EQ(infos[3].type, "text");
  EXPECT_EQ(infos[4].type, "list");
  EXPECT_EQ(infos[5].type, "choice");
  EXPECT_THAT(infos[5].choices, ElementsAre("red", "blue", "green"));
  EXPECT_EQ(infos[7].range, "");
  EXPECT_EQ(infos[7].help, "anything");
}

TEST(DescribeBounds, OneSidedBoundsReadAsSentences) {
  EXPECT_EQ(detail::describe_bounds({.min = 0.0}), "at least 0");
  EXPECT_EQ(detail::describe_bounds({.max = 2.5}), "at most 2.5");
  EXPECT_EQ(detail::describe_bounds({.min = 0.0, .open = true}), "above 0");
  EXPECT_EQ(detail::describe_bounds({.max = 1.0, .open = true}), "below 1");
}

}  // namespace
}  // namespace sau
