#include "sau/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "made_results.hpp"
#include "sau/core/file.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

using ::testing::AllOf;
using testing::bernoulli;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MadeCell;
using ::testing::SizeIs;
using testing::TemporaryFolder;
using testing::write_results;

namespace fs = std::filesystem;
constexpr double kFailed = std::numeric_limits<double>::quiet_NaN();

Report report_of(const std::vector<fs::path>& folders, const ReportOptions& options = {}) {
  return make_report(folders, options);
}

Report report_of(const std::vector<MadeCell>& cells, const ReportOptions& options = {}) {
  const TemporaryFolder folder;
  write_results(folder / "r", cells);
  return report_of({folder / "r"}, options);
}

std::vector<std::string> ids_of(const Report& report) {
  std::vector<std::string> ids;
  for (const ReportSection& section : report.sections) ids.push_back(section.id);
  return ids;
}

TEST(MakeReport, SeriesMatchTheHandCalculation) {
  const Report report = report_of({bernoulli("a", {10, 40, 20})});
  const ProblemFigure& figure = report.sections.at(0).problems.at(0);
  EXPECT_THAT(figure.points, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  const Series& series = figure.series.at(0);
  EXPECT_NEAR(series.mean.at(4), 35.0 / 3.0, 1e-12);
  EXPECT_EQ(series.median.at(4), 10.0);
  // Of 5, 10 and 20: variance 175 / 3; Student's t with 2 degrees of freedom: 4.302652...
  const double wide = 4.302652729749464 * std::sqrt(175.0 / 3.0 / 3.0);
  EXPECT_NEAR(series.high.at(4) - series.mean.at(4), wide, 1e-9);
  EXPECT_NEAR(series.mean.at(4) - series.low.at(4), wide, 1e-9);
  EXPECT_EQ(series.final_median, 20.0);
  EXPECT_EQ(series.q25, 15.0);
  EXPECT_EQ(series.q75, 30.0);
  EXPECT_EQ(series.whisker_low, 10.0);
  EXPECT_EQ(series.whisker_high, 40.0);
  EXPECT_THAT(series.points, ElementsAre(10, 20, 40));
  EXPECT_THAT(series.sample_trials, ElementsAre(0, 1, 2));
  EXPECT_EQ(series.sample.at(1).at(4), 20.0);
  EXPECT_EQ(series.seconds, 0.25);
  EXPECT_TRUE(series.all_points);
}

TEST(MakeReport, WhiskersEndAtTheLastTrialWithinThreeHalvesOfTheBox) {
  const Report report = report_of({bernoulli("a", {0, 10, 11, 12, 13, 14, 30})});
  const Series& series = report.sections.at(0).problems.at(0).series.at(0);
  EXPECT_EQ(series.q25, 10.5);
  EXPECT_EQ(series.q75, 13.5);  // the whiskers may reach 4.5 beyond the box: 6 to 18
  EXPECT_EQ(series.whisker_low, 10.0);
  EXPECT_EQ(series.whisker_high, 14.0);
  EXPECT_EQ(series.minimum, 0.0);
  EXPECT_EQ(series.maximum, 30.0);
}

TEST(MakeReport, ASingleTrialHasNoInterval) {
  const Report report = report_of({bernoulli("a", {10}), bernoulli("b", {12})});
  const ProblemFigure& figure = report.sections.at(0).problems.at(0);
  EXPECT_THAT(figure.series.at(0).low, IsEmpty());
  EXPECT_FALSE(figure.series.at(0).final_mean.has_interval());
  EXPECT_FALSE(figure.comparison.pairs.at(0).mean.has_interval());
  EXPECT_THAT(report_json(report), HasSubstr("\"low\":null"));
}

TEST(MakeReport, ManyTrialsAreThinnedAndTheEndsKept) {
  std::vector<double> regret;
  for (int i = 0; i < 5000; ++i) regret.push_back((i * 7919) % 5000);
  const Report report = report_of({bernoulli("a", regret)});
  const Series& series = report.sections.at(0).problems.at(0).series.at(0);
  EXPECT_FALSE(series.all_points);
  EXPECT_LE(series.points.size(), 220U);
  EXPECT_THAT(series.points,
              AllOf(Contains(0.0), Contains(1.0), Contains(4998.0), Contains(4999.0)));
  EXPECT_NEAR(series.points[series.points.size() / 2], 2500.0, 60.0) << "evenly";
  EXPECT_THAT(series.sample, SizeIs(20));
  EXPECT_EQ(series.sample_trials.front(), 0U);
  EXPECT_EQ(series.sample_trials.back(), 4999U);
  EXPECT_LT(report_json(report).size(), 60'000U);
}

TEST(MakeReport, FailedTrialsAreNotCountedAndTheNotesSaySo) {
  const Report report = report_of({bernoulli("a", {10, kFailed, 30}), bernoulli("b", {5, 6, 7}),
                                   bernoulli("gone", {kFailed, kFailed})});
  const ProblemFigure& figure = report.sections.at(0).problems.at(0);
  ASSERT_THAT(figure.series, SizeIs(2)) << "the third has nothing to draw";
  EXPECT_EQ(figure.series[0].final_mean.value, 20.0);
  EXPECT_EQ(figure.series[0].failed, 1U);
  EXPECT_THAT(figure.series[0].sample_trials, ElementsAre(0, 2));
  EXPECT_EQ(figure.comparison.pairs.at(0).trials, 2U);
  EXPECT_THAT(report.notes, Contains(HasSubstr("a on bernoulli-10-0.1 (1 of 3)")));
  EXPECT_THAT(report.notes,
              Contains(HasSubstr("All trials failed, so not in any figure: gone on")));
  EXPECT_THAT(report.notes, Contains(HasSubstr("compared on the trials that both have")));
}

TEST(MakeReport, TheNotesNameUnfinishedCells) {
  MadeCell half = bernoulli("half", {1, 2}), none = bernoulli("none", {});
  half.asked = none.asked = 4;
  const Report report = report_of({half, none, bernoulli("whole", {1, 2, 3, 4})});
  EXPECT_THAT(report.notes, Contains(HasSubstr("half on bernoulli-10-0.1 (2 of 4)")));
  EXPECT_THAT(report.notes, Contains(HasSubstr("No trial yet, so not in any figure: none on")));
  EXPECT_EQ(report.runs.at(0).trials, 6U);
  EXPECT_EQ(report.runs.at(0).asked, 12U);
}

TEST(MakeReport, TheNotesNameHeavyTails) {
  std::vector<double> regret(30, 10.0);
  for (std::size_t i = 0; i < regret.size(); ++i) regret[i] += static_cast<double>(i % 5);
  std::vector<double> stuck = regret;
  stuck[3] = 9000.0;
  const Report report = report_of({bernoulli("calm", regret), bernoulli("wild", stuck)});
  EXPECT_THAT(report.sections.at(0).problems.at(0).comparison.heavy, ElementsAre("wild"));
  EXPECT_THAT(report.notes, Contains(HasSubstr("bernoulli-10-0.1 (wild)")));
}

// "quick" always has less regret than "slow" and "cheap"; it takes as long as "slow" (4 % more is
// equal) and longer than "cheap". "even" has less in half of the trials.
TEST(MakeReport, SaysWhichAlgorithmsHaveLessRegretAtNoMoreCost) {
  std::vector<MadeCell> cells = {
      bernoulli("quick", {10, 11, 12, 13, 14, 15}), bernoulli("slow", {20, 22, 24, 26, 28, 30}),
      bernoulli("cheap", {30, 33, 36, 39, 42, 45}), bernoulli("even", {9, 12, 11, 14, 13, 15})};
  cells[0].seconds = 1.04;
  cells[1].seconds = 1.0;
  cells[2].seconds = 0.5;
  cells[3].seconds = 1.0;
  const Report report = report_of(cells);
  const ProblemFigure& figure = report.sections.at(0).problems.at(0);
  EXPECT_EQ(figure.costs, "Less regret at no more processor time than slow: quick and even.");
  EXPECT_THAT(report_json(report), HasSubstr(figure.costs));
  EXPECT_THAT(report_markdown(report), HasSubstr(figure.costs));
  EXPECT_THAT(report_latex(report), HasSubstr(figure.costs));
  cells.erase(cells.begin() + 1);
  EXPECT_EQ(report_of(cells).sections.at(0).problems.at(0).costs, "");
}

TEST(MakeReport, SectionsAreInThePapersOrderAndOtherFamiliesFollow) {
  const Report report = report_of({{"mine", "csv(path=x)", "a", "a", {1}},
                                   {"adult", "dataset(name=adult)", "a", "a", {1}},
                                   {"statlog", "dataset(name=statlog)", "a", "a", {1}},
                                   {"wheel-0.50", "wheel", "a", "a", {1}},
                                   {"gaussian(actions=3)", "gaussian(actions=3)", "a", "a", {1}},
                                   {"linear-5-5", "linear", "a", "a", {1}},
                                   bernoulli("a", {1})});
  EXPECT_THAT(ids_of(report), ElementsAre("multi-armed", "linear", "wheel", "tables", "csv",
                                          "gaussian", "overview"));
  EXPECT_EQ(report.sections[3].problems.at(0).problem, "statlog") << "the paper's order";
  EXPECT_EQ(report.sections[5].title, "Problems: gaussian");
  EXPECT_FALSE(report.paper);
}

TEST(MakeReport, LateRewardsStayInTheSectionOfTheirProblem) {
  const std::vector<MadeCell> cells = {
      {"clicks+late(delay=9)", "clicks+late(delay=9)", "a", "a", {1}},
      {"clicks", "clicks", "a", "a", {1}},
      {"wheel-0.95", "wheel(delta=0.95)", "a", "a", {1}},
      {"wheel-0.50+late(delay=9)", "wheel+late(delay=9)", "a", "a", {1}},
      {"wheel-0.50", "wheel", "a", "a", {1}},
      {"mine", "csv(path=a+b)+late(delay=9)", "a", "a", {1}}};
  const Report report = report_of(cells);
  EXPECT_THAT(ids_of(report), ElementsAre("wheel", "csv", "clicks", "overview"));
  std::vector<std::string> wheels;
  for (const ProblemFigure& figure : report.sections[0].problems) wheels.push_back(figure.problem);
  EXPECT_THAT(wheels, ElementsAre("wheel-0.50", "wheel-0.50+late(delay=9)", "wheel-0.95"));
  EXPECT_THAT(report.sections[2].problems, SizeIs(2));
  EXPECT_THAT(ids_of(report_of(cells, {.only = {"clicks"}})), ElementsAre("clicks"));
}

TEST(MakeReport, OneProblemWithTwoHorizonsIsTwoFigures) {
  MadeCell longer = bernoulli("a", {1});
  longer.steps = 20;
  const Report report = report_of({bernoulli("a", {1}), longer});
  const auto& problems = report.sections.at(0).problems;
  ASSERT_THAT(problems, SizeIs(2));
  EXPECT_EQ(problems[0].id, "bernoulli-10-0.1");
  EXPECT_EQ(problems[1].id, "bernoulli-10-0.1-2");
}

TEST(MakeReport, TwoAgentsWithTheSameNameAreTwoSeries) {
  MadeCell other = bernoulli("TS", {3});
  other.agent_spec = "other";
  const Report report = report_of({bernoulli("TS", {1}), other});
  const auto& series = report.sections.at(0).problems.at(0).series;
  ASSERT_THAT(series, SizeIs(2));
  EXPECT_EQ(series[0].algorithm, "TS");
  EXPECT_EQ(series[1].algorithm, "other");
  EXPECT_THAT(report.algorithms, SizeIs(2));
}

MadeCell wheel(const std::string& name, const std::string& spec, const std::string& agent,
               double regret) {
  return {name, spec, agent, "spec of " + agent, {regret, regret + 10.0}, 2000};
}

TEST(MakeReport, OnlyThePapersProblemsHaveItsNumbers) {
  const std::vector<MadeCell> cells = {
      wheel("wheel-0.90", "wheel(delta=0.9)", "Linear-SAU-S", 8000),
      wheel("wheel-0.90", "wheel(delta=0.9)", "Uniform", 15000)};
  const Report report = report_of(cells);
  EXPECT_TRUE(report.paper);
  const Table& table = report.sections.at(0).tables.at(0);
  EXPECT_EQ(table.cell(0, 0).paper->mean, 8362.1);
  EXPECT_THAT(table.cell(0, 0).differs, ElementsAre("rare-updates"));
  EXPECT_EQ(table.cell(0, 0).agent_spec, "spec of Linear-SAU-S");
  EXPECT_THAT(table.problem_specs, ElementsAre("wheel(delta=0.9)"));
  ASSERT_THAT(report.differences, SizeIs(1));
  EXPECT_EQ(report.differences[0].id, "rare-updates");
  const Report without = report_of(cells, {.paper = false});
  EXPECT_FALSE(without.paper);
  EXPECT_FALSE(without.sections.at(0).tables.at(0).cell(0, 0).paper);
  EXPECT_THAT(without.differences, IsEmpty());
}

// The paper's title is only for a page that repeats the paper and shows nothing else.
TEST(MakeReport, TheTitleSaysWhatWasRun) {
  const MadeCell uniform = wheel("wheel-0.90", "wheel(delta=0.9,best=0)", "Uniform", 15000);
  const MadeCell linear = wheel("wheel-0.90", "wheel(delta=0.9,best=0)", "Linear-SAU-S", 8000);
  EXPECT_THAT(report_of({uniform, linear}).title, HasSubstr("repeated"));
  EXPECT_EQ(report_of({uniform, linear}, {.paper = false}).title, "2 algorithms on wheel-0.90");
  const MadeCell own = wheel("wheel-0.90", "wheel(delta=0.9,best=0)", "mine", 8000);
  EXPECT_EQ(report_of({uniform, linear, own}).title, "3 algorithms on wheel-0.90");
  const MadeCell other = wheel("my wheel", "wheel(delta=0.8)", "Uniform", 15000);
  EXPECT_EQ(report_of({uniform, linear, other}).title, "2 algorithms on 2 problems");
  EXPECT_EQ(report_of({uniform, own, other}, {.only = {"overview"}}).title,
            "2 algorithms on 2 problems");
  EXPECT_EQ(report_of({own}).title, "1 algorithm on wheel-0.90");
}

TEST(MakeReport, SyntheticAndFreshDataAreMarked) {
  const Report report = report_of(
      {{"census-synthetic", "dataset(name=census_synthetic)", "Uniform", "u", {1, 2}, 25000},
       {"mushroom-fresh", "dataset(name=mushroom,outcomes=fresh)", "Uniform", "u", {1, 2}, 50000}});
  const auto& problems = report.sections.at(0).problems;
  EXPECT_THAT(problems.at(0).title, HasSubstr("anew"));
  EXPECT_THAT(problems.at(0).note, HasSubstr("Mushroom again"));
  EXPECT_THAT(problems.at(1).title, HasSubstr("synthetic"));
  EXPECT_THAT(problems.at(1).note, HasSubstr("Synthetic rows"));
  EXPECT_FALSE(report.paper);
}

TEST(MakeReport, AParameterWithThreeOrMoreValuesIsAFigure) {
  std::vector<MadeCell> cells;
  for (const char* agent : {"NeuralLinear", "Uniform"}) {
    cells.push_back(wheel("wheel-0.90", "wheel(delta=0.9)", agent, 300));
    cells.push_back(wheel("wheel-0.50", "wheel", agent, 100));
  }
  EXPECT_THAT(report_of(cells).sections.at(0).parameters, IsEmpty());
  cells.push_back(wheel("wheel(delta=0.8)", "wheel(delta=0.8)", "Uniform", 200));
  const Report report = report_of(cells);
  const auto& figures = report.sections.at(0).parameters;
  ASSERT_THAT(figures, SizeIs(2));
  EXPECT_EQ(figures[0].parameter, "delta");
  EXPECT_THAT(figures[0].values, ElementsAre(0.5, 0.8, 0.9));
  const auto& line = figures[0].lines.at(0);
  EXPECT_EQ(line.algorithm, "NeuralLinear");
  EXPECT_EQ(line.regret.at(0).value, 105.0);
  EXPECT_TRUE(std::isnan(line.regret.at(1).value)) << "not run there";
  EXPECT_EQ(line.paper.at(2).mean, 6929.1);
  EXPECT_TRUE(std::isnan(line.paper.at(1).mean));
  EXPECT_EQ(figures[1].lines.at(1).regret.at(0).value, 100.0) << "Uniform in percent of Uniform";
}

TEST(MakeReport, RanksAndTimesOverAllProblems) {
  const Report report = report_of({bernoulli("a", {1, 2}),
                                   bernoulli("b", {3, 4}),
                                   {"linear-5-5", "linear", "a", "a", {50, 60}},
                                   {"linear-5-5", "linear", "b", "b", {10, 20}},
                                   {"linear-5-5", "linear", "c", "c", {9, 9}}});
  const ReportSection& overview = report.sections.back();
  ASSERT_THAT(overview.ranks, SizeIs(1)) << "the algorithms that both problems have";
  EXPECT_THAT(overview.ranks[0].ranks.problems, ElementsAre("bernoulli-10-0.1", "linear-5-5"));
  EXPECT_EQ(overview.ranks[0].ranks.algorithms.at(0).rank.value, 1.5);
  ASSERT_THAT(overview.times, SizeIs(1));
  EXPECT_THAT(overview.times[0].axis, HasSubstr("highest"));
  EXPECT_THAT(overview.times[0].points, SizeIs(5));
  EXPECT_NEAR(overview.times[0].points[0].regret, 100.0 * 1.5 / 3.5, 1e-9);
}

TEST(MakeReport, ComparisonsCanBeLeftOutAndSectionsChosen) {
  const std::vector<MadeCell> cells = {
      bernoulli("a", {1, 2}), bernoulli("b", {3, 4}), {"linear-5-5", "linear", "a", "a", {50, 60}}};
  const Report report =
      report_of(cells, {.title = "Mine", .compare = false, .only = {"multi-armed"}});
  EXPECT_THAT(ids_of(report), ElementsAre("multi-armed"));
  EXPECT_THAT(report.sections[0].problems.at(0).comparison.pairs, IsEmpty());
  EXPECT_EQ(report.title, "Mine");
  EXPECT_THAT(error_of<UsageError>([&] { report_of(cells, {.only = {"linera"}}); }),
              HasSubstr("did you mean 'linear'?"));
}

TEST(MakeReport, NothingToShowIsAnError) {
  MadeCell none = bernoulli("none", {});
  none.asked = 4;
  EXPECT_THAT(error_of([&] { report_of({none}); }), HasSubstr("no finished trials"));
}

TEST(MakeReport, ReadsTheChecksOfTheTheory) {
  const TemporaryFolder folder;
  write_results(folder / "r", {bernoulli("x", {1})});
  write_file(folder / "r" / "theory.json",
             R"({"format":"sau-theory","version":1,"checks":[{"id":"i","where":"w","statement":"s",
                 "statistic":"t","value":null,"relation":"at most","expected":1.5,"tolerance":0.1,
                 "reason":"r","verdict":"fails","note":"n"}]})");
  const Report report = report_of({folder / "r"});
  ASSERT_THAT(report.theory, SizeIs(1));
  EXPECT_EQ(report.theory[0].relation, Relation::kAtMost);
  EXPECT_EQ(report.theory[0].verdict, Verdict::kFails);
  EXPECT_TRUE(std::isnan(report.theory[0].value));
  EXPECT_EQ(report.theory[0].expected, 1.5);
}

TEST(MakeReport, DoesNotDependOnTheOrderOfCells) {
  const Report one = report_of({bernoulli("Uniform", {1, 2, 5}), bernoulli("TS", {3, 4, 4})});
  const Report two = report_of({bernoulli("TS", {3, 4, 4}), bernoulli("Uniform", {1, 2, 5})});
  const auto pair = [](const Report& report) {
    return report.sections.at(0).problems.at(0).comparison.pairs.at(0);
  };
  EXPECT_EQ(pair(one).mean.low, pair(two).mean.low);
  EXPECT_EQ(pair(one).median.high, pair(two).median.high);
}

}  // namespace
}  // namespace sau
