#include "data/text_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "data/libsvm.hpp"
#include "support/errors.hpp"

namespace sau::detail {
namespace {

using sau::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A table as plain vectors.
struct Read {
  std::vector<std::vector<double>> x;
  std::vector<Action> label;
  std::vector<std::vector<double>> rewards;
  Action actions = 0;
};

Read read(const TableBuilder& builder) {
  const std::string image = builder.image("");
  const Table table(image, "", nullptr);
  Read result;
  result.actions = table.actions();
  std::vector<double> x = table.start();
  std::vector<std::uint32_t> hot;
  for (std::uint64_t row = 0; row < table.rows(); ++row) {
    table.expand(row, x, hot);
    result.x.push_back(x);
    if (table.actions() > 0) result.label.push_back(table.label(row));
    result.rewards.emplace_back(table.actions());
    table.rewards(row, result.rewards.back());
  }
  return result;
}

Read csv(std::string_view text, TextPlan plan = {}) {
  plan.file = "f.csv";
  plan.format.scale = Scale::kNone;
  return read(read_text_table(text, plan));
}

std::string csv_error(std::string_view text, const TextPlan& plan = {}) {
  return error_of([&] { csv(text, plan); });
}

TEST(TextTable, QuotesLineEndsBlanksAndMarksDoNotMatter) {
  const auto plain = csv("x,word,y\n1,a b,no\n2.5,c,yes\n-3e1,a b,no\n");
  EXPECT_THAT(plain.x,
              ElementsAre(ElementsAre(1, 1, 0), ElementsAre(2.5, 0, 1), ElementsAre(-30, 1, 0)));
  EXPECT_THAT(plain.label, ElementsAre(0, 1, 0));
  for (const std::string_view same : {
           "\xEF\xBB\xBFx,word,y\r\n1,a b,no\r\n2.5,c,yes\r\n-3e1,a b,no",
           "\n\nx,word,y\n\n \t\n+1,a b,no\n2.5,c,yes\n-30.0,a b,no\n\n",
           "\"x\", \"word\" ,y\n 1 ,\"a b\",\"no\"\n2.5,  c ,yes\n\"-3e1\", a b,no\n",
           "x;word;y\r1;a b;no\r2.5;c;yes\r-30;a b;no\r",
           "x\tword\ty\n1\ta b\tno\n2.5\tc\tyes\n-30\ta b\tno\n",
           "x|word|y\n1|a b|no\n2.5|c|yes\n-30|a b|no\n",
           "x  word y\n 1 \"a b\" no\n2.5\tc yes \n-30 \"a b\"   no\n",
       }) {
    const auto other = csv(same);
    EXPECT_EQ(other.x, plain.x) << same;
    EXPECT_EQ(other.label, plain.label) << same;
  }
}

TEST(TextTable, QuotedFieldsMayHoldAnything) {
  // Sorted as text: `say "hi"` after the word with a line end.
  const auto table = csv("a,y\n\"one,\ntwo\",1\n\"say \"\"hi\"\"\",0\n\"one,\ntwo\",1\n",
                         {.format = {.header = Header::kYes}});
  EXPECT_THAT(table.x, ElementsAre(ElementsAre(1, 0), ElementsAre(0, 1), ElementsAre(1, 0)));
}

TEST(TextTable, HeadersAreRecognised) {
  EXPECT_EQ(csv("a,b,c\n1,2,3\n4,5,6\n").x.size(), 2U);
  EXPECT_EQ(csv("1,2,3\n4,5,6\n").x.size(), 2U);
  EXPECT_EQ(csv("p,x,e\nq,x,p\np,y,e\n").x.size(), 3U) << "words that repeat are not names";
  EXPECT_EQ(csv("kind,shape,y\np,x,e\nq,x,p\np,y,e\n").x.size(), 3U);
  EXPECT_EQ(csv("p,x,e\nq,x,p\np,y,e\n", {.label = "e"}).x.size(), 2U)
      << "the label is in the first row";
  std::string years;
  for (int i = 0; i < 12; ++i) years += std::to_string(i) + ",7," + (i % 2 == 0 ? "a\n" : "b\n");
  const struct {
    std::string text;
    std::size_t rows;
    Action classes;
  } cases[] = {
      {"0,1,target\n1.5,2,a\n3,4,b\n2,2,a\n", 3, 2},
      {"0,1,2\n1.5,2,3\n3,4,5\n", 2, 2},
      {",0,1,Kind\n0,1.5,2,a\n1,3,4,b\n2,2,2,a\n", 3, 2},
      {"2019,2020,kind\n" + years, 12, 2},
      {"2019,2020,kind\n1,2,0\n3,4,1\n", 2, 2},
      {"7,kind,0\nx,y,0\nz,y,1\nx,x,0\n", 4, 2},
      // Rows without a header, although the first has words or small numbers.
      {years, 12, 2},
      {"0,1,2\n0,1,2\n0,1,1\n", 3, 2},
      {"1,?,0\n2,3,1\n4,5,0\n", 3, 2},
      {"1.5,3,y\n2,4,n\n2,2,y\n", 3, 2},
  };
  for (const auto& [text, rows, classes] : cases) {
    const auto table = csv(text);
    EXPECT_EQ(table.x.size(), rows) << text;
    EXPECT_EQ(table.actions, classes) << text;
  }
  EXPECT_EQ(csv_error("1.5,lost,0\n2,3,1\n4,5,0\n"),
            "f.csv:1: column 2: found 'lost', expected a number as in most of the column "
            "(categorical=2 makes it a column of words, header=yes makes this a name)");
}

TEST(TextTable, TheSeparatorIsTheOneWithMostFields) {
  EXPECT_THAT(csv("x;y,z;class\n1;2;a\n3;4;b\n").x,
              ElementsAre(ElementsAre(1, 2), ElementsAre(3, 4)));
  EXPECT_THAT(csv("the big one,1,a\nthe old one,2,b\nthe big one,3,a\n").x[1], ElementsAre(0, 1, 2))
      << "blanks separate only if nothing else does";
  const std::string_view point =
      ", expected a number with a decimal point and no other mark "
      "(categorical=1 makes it a word)";
  EXPECT_EQ(csv_error("1,50;2,30;a\n1,75;2,10;b\n"),
            "f.csv:1: column 1: found '1,50'" + std::string(point));
  EXPECT_EQ(csv_error("a;class\n1;x\n-2,5;y\n"),
            "f.csv:3: column 1 (a): found '-2,5'" + std::string(point));
  EXPECT_EQ(csv_error("1,50 2,30 a\n1,75 2,10 b\n"),
            "f.csv:1: column 1: found '1,50'" + std::string(point));
  EXPECT_EQ(csv("a,class\n\"1,000\",x\n\"2,000\",y\n", {.format = {.categorical = "a"}}).x.size(),
            2U);
}

TEST(TextTable, EmptyColumnsWithoutANameAreIgnored) {
  for (const std::string_view text : {"a,kind,\n1,u,\n2,v,\n", "1,u,\n2,v,\n"}) {
    const auto table = csv(text, {.format = {.missing = Missing::kDrop}});
    EXPECT_THAT(table.x, ElementsAre(ElementsAre(1), ElementsAre(2))) << text;
    EXPECT_THAT(table.label, ElementsAre(0, 1)) << text;
  }
}

TEST(TextTable, TheNoteSaysHowTheFileWasRead) {
  const auto understood = [](std::string_view text, TextPlan plan = {}) {
    std::string line;
    plan.file = "f.csv";
    read_text_table(text, plan, &line);
    return line;
  };
  EXPECT_EQ(understood("a,b,c,kind\n1,2,u,x\n3,4,v,y\n"),
            "f.csv: 2 rows, header, label kind (2 classes), 2 numbers, 1 word");
  EXPECT_EQ(understood("1,2,0\n3,4,1.0\n3,4,1\n", {.format = {.ignore = "1"}}),
            "f.csv: 3 rows, no header, label column 3 (2 classes), 1 number, 1 left out");
  EXPECT_EQ(understood("a,l,r\n1,2,0\n", {.goal = TextPlan::Goal::kRewards, .actions = "l,r"}),
            "f.csv: 1 row, header, 2 actions, 1 number, 1 constant column");
  EXPECT_EQ(understood("a,b,w,y\n1,2,u,0\n,2,u,1\n3,2,,1\n4,2,u,1\n"),
            "f.csv: 4 rows, header, label y (2 classes), 2 numbers, 1 word, 2 missing values, 1 "
            "constant column");
}

TEST(TextTable, TheLabelIsGivenByNameOrNumberOrGuessed) {
  const std::string_view text = "class,a,b\n10,1,2\n9,3,4\n10,5,6\n";
  EXPECT_THAT(csv(text).label, ElementsAre(1, 0, 1)) << "sorted as numbers";
  EXPECT_THAT(csv(text, {.label = "b"}).label, ElementsAre(0, 1, 2));
  EXPECT_THAT(csv(text, {.label = "2"}).label, ElementsAre(0, 1, 2));
  EXPECT_THAT(csv("1,x\n2,10\n3,9\n", {.format = {.header = Header::kNo}}).label,
              ElementsAre(2, 0, 1))
      << "the last column, sorted as text";
  EXPECT_THAT(csv("1,1\n2,1.0\n3,2\n").label, ElementsAre(0, 0, 1)) << "equal numbers, one class";
  EXPECT_THAT(csv("Target,a\nx,1\ny,2\n").label, ElementsAre(0, 1)) << "in any letter case";
  EXPECT_THAT(csv("a,kind,id\n1,u,7\n2,v,8\n", {.format = {.ignore = "id"}}).label,
              ElementsAre(0, 1))
      << "the last that is not ignored";
}

TEST(TextTable, AMeasurementIsNotTakenForAClass) {
  std::string prices = "a,price\n", names = "a,name\n";
  for (int i = 0; i < 200; ++i) {
    prices += "1," + std::to_string(i % 60) + ".25\n2,7.5\n";
    names += "1,n" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(csv_error(prices),
            "f.csv: column 2 (price): found 61 different labels in 400 rows: looks like a "
            "measurement, not a class; name the label with label=...");
  EXPECT_EQ(csv_error(names),
            "f.csv: column 2 (name): found 200 different labels in 200 rows: looks like a number "
            "or name of the row, not a class; name the label with label=...");
  EXPECT_EQ(csv(prices, {.label = "price"}).actions, 61U) << "the user said so";
}

TEST(TextTable, MissingValuesAreACategoryDroppedOrRefused) {
  const std::string_view text = "a,b,y\n1,u,0\n,v,1\n5,?,1\n";
  // A missing number becomes the mean, 3, and has an extra column for "missing". A missing word is
  // a category, which sorts first.
  EXPECT_THAT(csv(text).x, ElementsAre(ElementsAre(1, 0, 0, 1, 0), ElementsAre(3, 1, 0, 0, 1),
                                       ElementsAre(5, 0, 1, 0, 0)));
  EXPECT_EQ(csv(std::string(text) + "7,v,1\n", {.format = {.missing = Missing::kDrop}}).x.size(),
            2U);
  EXPECT_EQ(csv_error(text, {.format = {.missing = Missing::kRefuse}}),
            "f.csv:3: column 1 (a): found nothing, expected a value (missing=category or drop "
            "allows it)");
  EXPECT_EQ(
      csv_error("a,y\n1,0\n2,NA\n"),
      "f.csv:3: column 2 (y): found 'NA', expected a label (missing=drop leaves the row out)");
  EXPECT_EQ(csv("a,b,y\n1,,0\n2,,1\n").x[0].size(), 1U) << "an empty column is left out";
  for (const std::string word : {"nan", "NaN", "None", "NULL", "na", "n/A", "#N/A", "NaT", "?"}) {
    EXPECT_THAT(csv("a,y\n1,0\n" + word + ",1\n3,1\n").x[1], ElementsAre(2, 1)) << word;
  }
}

TEST(TextTable, NumbersAreStandardised) {
  TextPlan plan{.file = "f.csv"};
  const auto table = read(read_text_table("a,b,y\n1,7,0\n2,7,1\n6,7,1\n", plan));
  // Mean 3, population standard deviation sqrt((4 + 1 + 9) / 3); a constant becomes 0.
  const double deviation = std::sqrt(14.0 / 3.0);
  for (std::size_t row = 0; row < 3; ++row) {
    const double raw[] = {1.0, 2.0, 6.0};
    EXPECT_DOUBLE_EQ(table.x[row][0], (raw[row] - 3.0) / deviation);
    EXPECT_EQ(table.x[row][1], 0.0);
  }
}

TEST(TextTable, ColumnsAreCategoriesOrLeftOutOnRequest) {
  const std::string_view text = "id,code,a,y\n1,10,5,0\n2,9,6,1\n3,10,7,1\n";
  const auto table = csv(text, {.format = {.categorical = "code", .ignore = "id"}});
  EXPECT_THAT(table.x,
              ElementsAre(ElementsAre(1, 0, 5), ElementsAre(0, 1, 6), ElementsAre(1, 0, 7)))
      << "10 before 9, as text";
}

TEST(TextTable, RewardsAreTakenInTheirOrder) {
  const std::string_view text = "a,b,r1,r2,r3\n1,2,0.5,1,2\n3,4,-1,0,1\n";
  const TextPlan::Goal goal = TextPlan::Goal::kRewards;
  const auto all = csv(text, {.goal = goal, .actions = "r1..r3"});
  EXPECT_THAT(all.x, ElementsAre(ElementsAre(1, 2), ElementsAre(3, 4)));
  EXPECT_THAT(all.rewards, ElementsAre(ElementsAre(0.5, 1, 2), ElementsAre(-1, 0, 1)));
  const auto some = csv(text, {.goal = goal, .context = "b", .actions = "5, 3-4"});
  EXPECT_THAT(some.x, ElementsAre(ElementsAre(2), ElementsAre(4)));
  EXPECT_THAT(some.rewards[0], ElementsAre(2, 0.5, 1));
  EXPECT_EQ(csv_error(text, {.goal = goal, .context = "1-3", .actions = "3-5"}),
            "actions: column 3 (r1) is part of the context as well");
  EXPECT_EQ(csv_error("a,r\n1,2\n3,lost\n", {.goal = goal, .actions = "r"}),
            "f.csv:3: column 2 (r): found 'lost', expected a reward");
}

TEST(TextTable, ErrorsNameFileLineAndColumn) {
  const struct {
    std::string_view text;
    TextPlan plan;
    std::string_view error;
  } cases[] = {
      {"", {}, "f.csv: found no rows"},
      {"a,b,c\n", {.format = {.header = Header::kYes}}, "f.csv: found no rows below the header"},
      {"a,b\n1,0\n1,2,3\n", {}, "f.csv:3: found 3 fields, expected 2 as in line 1"},
      {"a,y\n1,0\n2,1\n3,0\nx7,1\n",
       {},
       "f.csv:5: column 1 (a): found 'x7', expected a number as in most of the column "
       "(categorical=1 makes it a column of words)"},
      {"a,y\n1,0\nInfinity,1\n",
       {},
       "f.csv:3: column 1 (a): found 'Infinity', expected a finite number, at most 1e100 in size"},
      {"a,y\n1,0\n-inf,1\n",
       {},
       "f.csv:3: column 1 (a): found '-inf', expected a finite number, at most 1e100 in size"},
      {"a,y\n1,0\n1e400,1\n",
       {},
       "f.csv:3: column 1 (a): found '1e400', expected a finite number, at most 1e100 in size"},
      {"a,y\n1,0\n\n\"2,1\n", {}, "f.csv:4: column 1: the quote is not closed"},
      {"a,y\n\"1\"2,0\n",
       {},
       "f.csv:2: column 1: found text after the closing quote, expected a separator"},
      {"a,y\n1,0\n2,0\n",
       {},
       "f.csv: column 2 (y): found one label only, expected at least two classes"},
      {"y\n1\n2\n", {}, "f.csv: found no column for the context"},
      {"a,y\n1,0\n2,1\n",
       {.label = "z"},
       "label=z: f.csv has an unknown column 'z'; did you mean 'a'? known: a, y; or a number from "
       "1 to 2"},
      {"1,0\n2,1\n",
       {.label = "3"},
       "label=3: f.csv has 2 columns and no header; expected a number from 1 to 2"},
      {"a,y\n1,0\n2,1\n",
       {.format = {.ignore = "2-1"}},
       "ignore=2-1: the range ends before it starts"},
      {"\xFF\xFE"
       "a",
       {},
       "f.csv: found UTF-16 text, expected UTF-8"},
      {std::string_view("a,y\n1,\0\n", 8), {}, "f.csv:2: found a zero byte, expected text"},
  };
  for (const auto& [text, plan, error] : cases) EXPECT_EQ(csv_error(text, plan), error);
}

TEST(TextTable, TooManyWordsOrLabelsAreRefused) {
  std::string words = "name,a,y\n", labels = "a,y\n";
  for (int i = 0; i < 1200; ++i) {
    words += "n" + std::to_string(i) + ",1," + std::to_string(i % 2) + "\n";
    labels += "1," + std::to_string(i) + ".5\n";
  }
  EXPECT_THAT(csv_error(words),
              HasSubstr("f.csv:1002: column 1 (name): found more than 1000 different words"));
  EXPECT_THAT(csv_error(labels),
              HasSubstr("f.csv:1002: column 2 (y): found more than 1000 different labels"));
  EXPECT_EQ(csv(words, {.format = {.categorical = "name"}}).x[0].size(), 1201U);
  EXPECT_EQ(csv(words, {.format = {.ignore = "name"}}).x[0].size(), 1U);
}

TableBuilder read_libsvm(std::string_view text, const std::string& file, bool standardise) {
  const TextSource only{file, text};
  return detail::read_libsvm(std::span(&only, 1), {.standardise = standardise});
}

TEST(Libsvm, SparseRowsAreExpanded) {
  const auto table =
      read(read_libsvm("# made by hand\n+1 1:0.5 4:-2 # first\n-1 2:1e2\r\n\n2\n", "f", false));
  EXPECT_THAT(table.x, ElementsAre(ElementsAre(0.5, 0, 0, -2), ElementsAre(0, 100, 0, 0),
                                   ElementsAre(0, 0, 0, 0)));
  EXPECT_THAT(table.label, ElementsAre(1, 0, 2));
  EXPECT_THAT(read(read_libsvm("0 0:1\n1 1:1\n", "f", false)).x[0], ElementsAre(1, 0))
      << "places from 0";
  // Column 1 is 3, 0, 0: mean 1, standard deviation sqrt(2).
  const auto scaled = read(read_libsvm("0 1:3\n1 2:1\n1 2:1\n", "f", true));
  EXPECT_DOUBLE_EQ(scaled.x[0][0], 2.0 / std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(scaled.x[1][0], -1.0 / std::sqrt(2.0));
}

TEST(Libsvm, ErrorsNameFileLineAndField) {
  const auto error = [](std::string_view text) {
    return error_of([&] { read_libsvm(text, "f", false); });
  };
  EXPECT_EQ(error("1 1:2\nx 1:2\n"),
            "f:2: field 1: found 'x', expected a label that is a finite number");
  EXPECT_EQ(error("1 1:2 3\n"),
            "f:1: field 3: found '3', expected place:value with a place of at most 10000000");
  EXPECT_EQ(error("1 1:nan\n"),
            "f:1: field 2: found '1:nan', expected place:value with a finite number, at most 1e100 "
            "in size");
  EXPECT_EQ(error("1 7:1 7:2\n"), "f:1: found the place 7 twice, expected every place once");
  EXPECT_EQ(error("\n"), "f: found no rows");
  EXPECT_EQ(error("1 1:2\n1 1:3\n"), "f: found one label only, expected at least two classes");
  EXPECT_EQ(error("1 1:2\n24.5 1:3\n"),
            "f:2: field 1: found '24.5', expected a class, which is a whole number; a measurement "
            "is not a class");
  EXPECT_EQ(error("1 qid:3 1:2\n"),
            "f:1: field 2: found 'qid:3', expected place:value: rows in groups (qid) are for "
            "ranking, not for classes");
  std::string prices;
  for (int i = 0; i < 30; ++i) prices += std::to_string(i) + " 1:1\n";
  EXPECT_THAT(error(prices), HasSubstr("30 different labels in 30 rows"));
}

TEST(Libsvm, FilesAreJoined) {
  const TextSource files[] = {{"a", "0 1:1\n1 2:1\n"}, {"b", "1 3:1\n"}};
  const auto table = read(detail::read_libsvm(files, {.intercept = true}));
  EXPECT_THAT(table.x, ElementsAre(ElementsAre(1, 0, 0, 1), ElementsAre(0, 1, 0, 1),
                                   ElementsAre(0, 0, 1, 1)));
  const TextSource wrong[] = {{"a", "0 1:1\n1 2:1\n"}, {"b", "1 3\n"}};
  EXPECT_THAT(error_of([&] { detail::read_libsvm(wrong, {}); }), HasSubstr("b:1: field 2"));
}

TEST(TextTable, FilesAreJoined) {
  const TextSource files[] = {{"a.csv", "x,y\n1,u\n2,v\n"}, {"b.csv", "x,y\n7,u\n"}};
  std::string line;
  const auto table =
      read(read_text_table(files, {.format = {.scale = Scale::kNone}, .intercept = true}, &line));
  EXPECT_THAT(table.x, ElementsAre(ElementsAre(1, 1), ElementsAre(2, 1), ElementsAre(7, 1)));
  EXPECT_THAT(table.label, ElementsAre(0, 1, 0));
  EXPECT_EQ(line, "a.csv and 1 more: 3 rows, header, label y (2 classes), 1 number");
}

TEST(TextTable, JoinedFilesHaveTheSameColumns) {
  const auto error = [](std::string_view second) {
    const TextSource files[] = {{"a.csv", "x,y\n1,u\n2,v\n"}, {"b.csv", second}};
    return error_of([&] { read_text_table(files, {}); });
  };
  EXPECT_EQ(error("x,z\n7,u\n"),
            "b.csv:1: found another header than in a.csv, expected files with the same columns");
  EXPECT_EQ(error("x,y\n7,u,3\n"), "b.csv:2: found 3 fields, expected 2 as in a.csv:1");
  EXPECT_EQ(error("x,y\nq,u\n"),
            "b.csv:2: column 1 (x): found 'q', expected a number as in most of the column "
            "(categorical=1 makes it a column of words)");
}

TEST(TextTable, TextThatIsNotUtf8IsRefused) {
  EXPECT_THAT(csv_error("name,y\nM\xfcller,1\nMeier,0\n"),
              HasSubstr("f.csv:2: found text that is not UTF-8"));
}

}  // namespace
}  // namespace sau::detail
