#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "made_results.hpp"
#include "report/estimate_text.hpp"
#include "report/page.hpp"
#include "sau/report/report.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

using testing::bernoulli;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::MadeCell;
using ::testing::Not;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Report report_of(const std::vector<MadeCell>& cells) {
  const testing::TemporaryFolder folder;
  testing::write_results(folder / "r", cells);
  const std::vector<std::filesystem::path> folders = {folder / "r"};
  return make_report(folders, {.title = "A & B"});
}

Report small_report() {
  return report_of({bernoulli("a_1", {1.0 / 3.0, 2, 3}),
                    bernoulli("b", {3, 4, 5.5}),
                    {"linear-5-5", "linear", "a_1", "s", {9, 8, 7}},
                    {"linear-5-5", "linear", "b", "s2", {1, 2, 3}}});
}

TEST(ReportJson, HasTheMembersUnderTheirNames) {
  const auto json = nlohmann::json::parse(report_json(small_report()));
  EXPECT_EQ(json["format"], "sau-report");
  EXPECT_EQ(json["format_version"], 1);
  const auto& figure = json["sections"][0]["problems"][0];
  EXPECT_EQ(figure["problem"], "bernoulli-10-0.1");
  EXPECT_EQ(figure["series"][0]["algorithm"], "a_1");
  EXPECT_EQ(figure["series"][0]["minimum"], 0.333333) << "six digits";
  EXPECT_EQ(figure["series"][0]["mean"].size(), figure["points"].size());
  EXPECT_EQ(figure["comparison"]["pairs"][0]["wins"], 3);
  EXPECT_EQ(figure["comparison"]["pairs"][0]["exact"], true);
  const auto& cell = json["sections"][0]["tables"][0]["cells"][0];
  EXPECT_EQ(cell["standing"], "best");
  EXPECT_TRUE(cell["paper"].is_null());
  EXPECT_TRUE(cell["z"].is_null());
  EXPECT_EQ(cell["agent_spec"], "spec of a_1");
  EXPECT_EQ(json["sections"][0]["tables"][0]["kind"], "regret");
  EXPECT_EQ(json["sections"][2]["id"], "overview");
  EXPECT_EQ(json["sections"][2]["ranks"][0]["ranks"]["algorithms"][0]["rank"]["value"], 1.5);
  EXPECT_EQ(json["runs"][0]["seed"], 1);
}

TEST(ReportPage, TextsCannotBreakOutOfTheData) {
  const std::string place = "<script type=\"application/json\" id=\"report-data\"></script>";
  const std::string page = detail::fill_page("<p>" + place + "</p>", R"({"a":"</script><b>"})");
  EXPECT_EQ(page,
            "<p><script type=\"application/json\" id=\"report-data\">"
            "{\"a\":\"\\u003c/script>\\u003cb>\"}</script></p>");
  EXPECT_THAT(error_of([] { detail::fill_page("<p></p>", "{}"); }), HasSubstr("one place"));
  EXPECT_THAT(error_of([&] { detail::fill_page(place + place, "{}"); }), HasSubstr("one place"));
}

TEST(ReportPage, HoldsTheReport) {
  const Report report = report_of({bernoulli("<b>", {1, 2})});
  const std::string page = report_html(report);
  EXPECT_THAT(page, HasSubstr("\"algorithm\":\"\\u003cb>\""));
  EXPECT_THAT(page, Not(HasSubstr("\"algorithm\":\"<b>\"")));
}

TEST(ReportMarkdown, HasTablesComparisonsAndNotes) {
  const std::string text = report_markdown(small_report());
  EXPECT_THAT(text, HasSubstr("# A & B\n"));
  EXPECT_THAT(text, HasSubstr("### Cumulative regret: bernoulli"));
  EXPECT_THAT(text, HasSubstr("| a\\_1 | b | 3 | 3, 0, 0 |"));
  EXPECT_THAT(text, HasSubstr("> No normalised table for "));
  EXPECT_THAT(text, HasSubstr("### Mean rank of 2 algorithms over 2 problems"));
}

TEST(ReportLatex, IsADocumentWithEscapedNames) {
  const std::string text = report_latex(small_report());
  EXPECT_THAT(text, HasSubstr("\\documentclass"));
  EXPECT_THAT(text, HasSubstr("\\title{A \\& B}"));
  EXPECT_THAT(text, HasSubstr("a\\_1 & b & 3 & 3 / 0 / 0 & $"));
  EXPECT_THAT(text, HasSubstr("\\end{document}"));
}

TEST(ReportCsv, HasTheExactNumbers) {
  const auto files = report_csv(small_report());
  std::vector<std::string> names;
  for (const ReportFile& file : files) names.push_back(file.name);
  EXPECT_THAT(names, ElementsAre("notes.txt", "tables.csv", "curves.csv", "final.csv",
                                 "comparisons.csv", "ranks.csv", "times.csv"));
  EXPECT_THAT(files[2].bytes, HasSubstr("\nlinear,linear-5-5,10,a_1,10,8,"));
  EXPECT_THAT(files[3].bytes, HasSubstr("0.3333333333333333"));
  EXPECT_THAT(files[4].bytes, HasSubstr("\nmulti-armed,bernoulli-10-0.1,10,a_1,b,3,3,0,0,"));
  EXPECT_THAT(files[5].bytes, HasSubstr("\nranks-1,a_1,1.5,"));
}

TEST(EstimateText, ShowsAsManyDigitsAsTheIntervalAllows) {
  EXPECT_EQ(detail::estimate_text({-36.81, -41.96, -31.77}), "-36.8 [-42.0, -31.8]");
  EXPECT_EQ(detail::estimate_text({1252.77, 1170.1, 1290.6}), "1253 [1170, 1291]");
  EXPECT_EQ(detail::estimate_text({2.5, 2.5, 2.5}), "2.500 [2.500, 2.500]");
  EXPECT_EQ(detail::estimate_text({12.345678, kNone, kNone}), "12.35");
  EXPECT_EQ(detail::estimate_text({kNone, kNone, kNone}), "-");
  EXPECT_EQ(detail::p_text(0.00099), "< 0.001");
  EXPECT_EQ(detail::p_text(0.0412), "0.041");
}

}  // namespace
}  // namespace sau
