#include "sau/report/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/paper_order.hpp"

namespace sau {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

CellSummary summary_of(const std::string& problem, const std::string& spec,
                       const std::string& agent, double mean, double sem, std::uint64_t steps,
                       std::uint64_t trials = 50) {
  CellSummary summary;
  summary.cell = {.problem = problem,
                  .agent = agent,
                  .problem_spec = spec,
                  .agent_spec = "spec of " + agent,
                  .steps = steps,
                  .trials = trials};
  summary.trials = trials;
  summary.regret.mean = mean;
  summary.regret.sem = sem;
  summary.seconds = mean / 1000.0;
  summary.seconds_sem = sem / 1000.0;
  return summary;
}

CellSummary wheel(const std::string& agent, double mean, double sem, std::uint64_t trials = 50) {
  return summary_of("wheel-0.90", "wheel(delta=0.9)", agent, mean, sem, 2000, trials);
}

CellSummary mine(const std::string& agent, double mean, double sem, std::uint64_t trials = 50) {
  return summary_of("linear_5|5", "linear", agent, mean, sem, 10, trials);
}

const TableOptions kRegretOnly{.kinds = {TableKind::kRegret}};
const TableOptions kNormalisedOnly{.kinds = {TableKind::kNormalised}};
const TableOptions kTimeOnly{.kinds = {TableKind::kTime}};

TEST(MakeTables, RegretAndZMatchTheHandCalculation) {
  const std::vector<CellSummary> cells = {wheel("Uniform", 15000.0, 100.0),
                                          wheel("Linear-SAU-S", 8821.1, 600.0)};
  const auto tables = make_tables(cells, kRegretOnly);
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_THAT(tables[0].problems, ElementsAre("wheel-0.90"));
  EXPECT_THAT(tables[0].algorithms, ElementsAre("Linear-SAU-S", "Uniform"));  // the paper's order
  const TableCell& cell = tables[0].cell(0, 0);
  EXPECT_EQ(cell.mean, 8821.1);
  EXPECT_EQ(cell.paper->mean, 8362.1);
  // (8821.1 - 8362.1) / sqrt(600^2 + 459^2) = 459 / 755.4...
  EXPECT_NEAR(*cell.z, 459.0 / std::sqrt(600.0 * 600.0 + 459.0 * 459.0), 1e-12);
  EXPECT_EQ(cell.standing, Standing::kBest);
  EXPECT_EQ(tables[0].cell(1, 0).standing, Standing::kOther);
}

TEST(MakeTables, CellsHaveSettingsIntervalAndDifferences) {
  CellSummary cell = wheel("LinearGreedy", 15316.0, 524.0);
  cell.regret.median = 15000.0;
  cell.stuck = 0.5;
  const Table table =
      make_tables(std::vector{cell, wheel("Neural-SAU-UCB", 4000.0, 10.0)}, kRegretOnly).at(0);
  EXPECT_THAT(table.problem_specs, ElementsAre("wheel(delta=0.9)"));
  EXPECT_THAT(table.steps, ElementsAre(2000));
  const TableCell& greedy = table.cell(0, 0);
  EXPECT_EQ(greedy.agent_spec, "spec of LinearGreedy");
  EXPECT_NEAR(*greedy.high - greedy.mean, 2.009575237129237 * 524.0, 1e-6);  // t, 49 degrees
  EXPECT_NEAR(greedy.mean - *greedy.low, 2.009575237129237 * 524.0, 1e-6);
  EXPECT_EQ(*greedy.median, 15000.0);
  EXPECT_EQ(greedy.stuck, 0.5);
  EXPECT_THAT(greedy.differs, ElementsAre("rare-updates", "opening-rounds"));
  EXPECT_THAT(table.cell(1, 0).differs, ElementsAre("not-explained")) << "ten standard errors away";
  for (const TableCell& each : table.cells) {
    for (const std::string& id : each.differs) {
      EXPECT_THAT(detail::known_differences(), Contains(::testing::Field(&Difference::id, id)));
    }
  }
}

TEST(MakeTables, ValuesAndErrorsAreNormalisedByUniformsMean) {
  const std::vector<CellSummary> cells = {wheel("Uniform", 16000.0, 160.0),
                                          wheel("Linear-SAU-S", 8000.0, 400.0)};
  const Table table = make_tables(cells, kNormalisedOnly).at(0);
  EXPECT_DOUBLE_EQ(table.cell(0, 0).mean, 50.0);
  EXPECT_DOUBLE_EQ(*table.cell(0, 0).sem, 2.5);
  EXPECT_DOUBLE_EQ(*table.cell(0, 0).z, (50.0 - 54.88) / std::hypot(2.5, 3.01));
  EXPECT_DOUBLE_EQ(table.cell(1, 0).mean, 100.0);
  EXPECT_DOUBLE_EQ(*table.cell(1, 0).sem, 1.0);
  EXPECT_FALSE(table.cell(1, 0).z) << "100 against 100 says nothing";
}

TEST(MakeTables, WithoutUniformThereIsANote) {
  const std::vector<CellSummary> cells = {mine("TS", 10.0, 1.0), mine("TS", 10.0, 1.0)};
  const Table table = make_tables(cells, kNormalisedOnly).at(0);
  EXPECT_THAT(table.cells, IsEmpty());
  EXPECT_THAT(table.notes, ElementsAre("Not normalised, because Uniform has no result there: "
                                       "linear_5|5."));
  for (const TableFormat& format : table_formats()) {
    EXPECT_EQ(format.write({&table, 1}).find("Uniform has no result") != std::string::npos,
              format.name != "csv");
  }
}

TEST(MakeTables, AnAgentWithStuckTrialsIsNotMarked) {
  CellSummary stuck = mine("stuck", 5.0, 1.0);
  stuck.stuck = 0.02;
  const Table table =
      make_tables(std::vector{stuck, mine("a", 10.0, 3.0), mine("b", 11.0, 3.0)}, kRegretOnly)
          .at(0);
  EXPECT_EQ(table.cell(0, 0).standing, Standing::kOther);
  EXPECT_EQ(table.cell(1, 0).standing, Standing::kBest);
  EXPECT_EQ(table.cell(2, 0).standing, Standing::kNear);
  EXPECT_THAT(table_text({&table, 1}), HasSubstr("stuck (rounded up), so the mean is not marked"));
  EXPECT_THAT(table_csv({&table, 1}), HasSubstr("stuck,50,5,1,,,,,0,0.02,0\n"));
}

TEST(MakeTables, MarksTheLowestMeanAndThoseWithinTwoErrorsOfIt) {
  // 3 and 4: combined error 5. 20 is exactly two errors above 10, 20.1 is not.
  const Table table = make_tables(std::vector{mine("a", 10.0, 3.0), mine("b", 20.0, 4.0),
                                              mine("c", 20.1, 4.0), mine("d", 10.0, 9.0),
                                              mine("one", 10.5, 0.0, 1), mine("none", 0.0, 0.0, 0)},
                                  kRegretOnly)
                          .at(0);
  EXPECT_EQ(table.cell(0, 0).standing, Standing::kBest);
  EXPECT_EQ(table.cell(1, 0).standing, Standing::kNear);
  EXPECT_EQ(table.cell(2, 0).standing, Standing::kOther);
  EXPECT_EQ(table.cell(3, 0).standing, Standing::kBest) << "equal means are both lowest";
  EXPECT_EQ(table.cell(4, 0).standing, Standing::kOther)
      << "it has no standard error to compare with";
  EXPECT_FALSE(table.cell(4, 0).sem);
  EXPECT_EQ(table.cell(5, 0).trials, 0U);
  EXPECT_EQ(table.cell(5, 0).standing, Standing::kOther) << "an empty cell is not the best";
}

TEST(MakeTables, ShowsThePapersNumbersOnlyForItsStepsAndRealData) {
  const std::string frozen = "dataset(name=mushroom)", fake = "dataset(name=census,synthetic=true)";
  const Table table =
      make_tables(std::vector{summary_of("census", fake, "Uniform", 20000.0, 9.0, 25000),
                              summary_of("census-synthetic", "dataset(name=x)", "Uniform", 20000.0,
                                         9.0, 25000),
                              summary_of("mushroom-fresh", "dataset(name=mushroom,outcomes=fresh)",
                                         "Uniform", 244000.0, 600.0, 50000),
                              summary_of("mushroom", frozen, "Uniform", 244000.0, 600.0, 50000),
                              summary_of("mushroom", frozen, "Uniform", 2440.0, 6.0, 500)},
                  kRegretOnly)
          .at(0);
  EXPECT_THAT(table.problems,
              ElementsAre("mushroom (50000 steps)", "mushroom (500 steps)", "mushroom-fresh",
                          "census (synthetic)", "census-synthetic"));
  EXPECT_TRUE(table.cell(0, 0).paper);
  for (std::size_t c = 1; c < 5; ++c) EXPECT_FALSE(table.cell(0, c).paper) << c;
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("mushroom: 500 steps here, 50000 in the paper"),
                                       HasSubstr("census (synthetic): synthetic data"),
                                       HasSubstr("census-synthetic: synthetic data")));
}

TEST(MakeTables, HasOneTablePerFamilyAndOneRowPerAgent) {
  CellSummary other = wheel("Uniform", 3.0, 1.0);
  other.cell.agent_spec = "other";
  const auto tables = make_tables(
      std::vector{wheel("Uniform", 2.0, 1.0), mine("TS", 1.0, 0.1), other}, kRegretOnly);
  ASSERT_THAT(tables, SizeIs(2));
  EXPECT_THAT(tables[0].algorithms, ElementsAre("other", "Uniform"));
  EXPECT_FALSE(tables[0].cell(0, 0).paper);
  EXPECT_THAT(tables[1].algorithms, ElementsAre("TS"));
}

TEST(MakeTables, TimeHasThePapersNumbersButNoZAndNoBest) {
  CellSummary cell =
      summary_of("statlog", "dataset(name=statlog)", "Uniform", 13000.0, 100.0, 43500);
  cell.failures.assign(3, {});
  CellSummary untimed = cell;
  untimed.cell.agent = "TS";
  untimed.seconds = 0.0;
  const Table table = make_tables(std::vector{cell, untimed}, kTimeOnly).at(0);
  EXPECT_EQ(table.cell(0, 0).trials, 0U);
  EXPECT_DOUBLE_EQ(table.cell(1, 0).mean, 13.0);
  EXPECT_EQ(table.cell(1, 0).paper->mean, 13.5);
  EXPECT_FALSE(table.cell(1, 0).z);
  EXPECT_EQ(table.cell(1, 0).standing, Standing::kOther);
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("statlog with Uniform: 3 of 50 trials failed"),
                                       HasSubstr("its machine")));
}

TEST(MakeTables, ACellWhoseTrialsAllFailedHasNoNumbers) {
  CellSummary cell =
      summary_of("statlog", "dataset(name=statlog)", "Neural-SAU-S", 0.0, 0.0, 43500);
  cell.failures.assign(cell.trials, {});
  const CellSummary uniform =
      summary_of("statlog", "dataset(name=statlog)", "Uniform", 37000.0, 10.0, 43500);
  const Table table = make_tables(std::vector{cell, uniform}, kRegretOnly).at(0);
  EXPECT_EQ(table.cell(0, 0).trials, 0U);
  EXPECT_EQ(table.cell(0, 0).failed, cell.trials);
  EXPECT_FALSE(table.cell(0, 0).sem);
  EXPECT_FALSE(table.cell(0, 0).z);
  EXPECT_THAT(table.notes, Contains(HasSubstr("Neural-SAU-S: 50 of 50 trials failed.")));
}

TEST(MakeTables, LeavesOutThePaperOnRequest) {
  TableOptions options = kRegretOnly;
  options.paper = false;
  const auto tables = make_tables(std::vector{wheel("Uniform", 15000.0, 100.0)}, options);
  EXPECT_FALSE(has_paper(tables));
  EXPECT_THAT(table_text(tables), Not(HasSubstr("paper")));
}

class TableFormats : public ::testing::Test {
 protected:
  const std::vector<Table> tables_ =
      make_tables(std::vector{wheel("Uniform", 15000.0, 100.0), wheel("NeuralLinear", 7000.4, 30.0),
                              wheel("my_agent(a=1,b=2)", 7050.0, 41.7),
                              wheel("one", 9999.5, 0.0, 1), wheel("none", 0.0, 0.0, 0)},
                  kRegretOnly);
};

TEST_F(TableFormats, Text) {
  EXPECT_EQ(table_text(tables_),
            "Cumulative regret: wheel, 2000 steps, 0 to 50 trials\n"
            "  algorithm                  wheel-0.90\n"
            "  NeuralLinear       here     7000 ± 30*\n"
            "                     paper   6929 ± 443\n"
            "                     z             +0.2\n"
            "  my_agent(a=1,b=2)  here     7050 ± 42~\n"
            "  one                here         10000\n"
            "  none               here             -\n"
            "  Uniform            here   15000 ± 100\n"
            "                     paper  15238 ± 131\n"
            "                     z             -1.4\n"
            "  *: lowest mean of the problem. ~: at most two combined standard errors above it. "
            "Behind ±: the standard\n"
            "  error of the mean. z: (here - paper) in combined standard errors.\n");
}

TEST_F(TableFormats, Markdown) {
  EXPECT_EQ(table_markdown(tables_),
            "### Cumulative regret: wheel, 2000 steps, 0 to 50 trials\n\n"
            "| algorithm | | wheel-0.90 |\n"
            "|---|---|---:|\n"
            "| NeuralLinear | here | **7000 ± 30** |\n"
            "| | paper | 6929 ± 443 |\n"
            "| | z | +0.2 |\n"
            "| my\\_agent(a=1,b=2) | here | *7050 ± 42* |\n"
            "| one | here | 10000 |\n"
            "| none | here | - |\n"
            "| Uniform | here | 15000 ± 100 |\n"
            "| | paper | 15238 ± 131 |\n"
            "| | z | -1.4 |\n\n"
            "Bold: lowest mean of the problem. Italic: at most two combined standard errors above "
            "it. Behind ±: the standard error of the mean. z: (here - paper) in combined standard "
            "errors.\n");
}

TEST_F(TableFormats, Csv) {
  const std::string text = table_csv(tables_);
  EXPECT_THAT(text,
              ::testing::StartsWith("table,problem,algorithm,trials,mean,sem,paper_mean,"
                                    "paper_sem,z,best,failed,stuck,two_groups\n"
                                    "regret,wheel-0.90,NeuralLinear,50,7000.4,30,6929.1,443.4,"
                                    "0.16"));
  EXPECT_THAT(text, HasSubstr(",best,0,0,0\n"
                              "regret,wheel-0.90,\"my_agent(a=1,b=2)\",50,7050,41.7,,,,near,0,0,0\n"
                              "regret,wheel-0.90,one,1,9999.5,,,,,,0,0,0\n"
                              "regret,wheel-0.90,Uniform,50,15000,100,15238.1,130.8,-1.4"));
  EXPECT_THAT(text, Not(HasSubstr("none")));
}

TEST_F(TableFormats, Latex) {
  EXPECT_EQ(table_latex(tables_),
            "% Needs \\usepackage{array,booktabs}.\n\n"
            "\\begin{table}[ht]\n  \\centering\n"
            "  \\caption{Cumulative regret: wheel, 2000 steps, 0 to 50 trials. Bold: lowest mean "
            "of the problem. Italic: at most two combined standard errors above it. Behind "
            "$\\pm$: the standard error of the mean. z: (here - paper) in combined standard "
            "errors.}\n"
            "  \\smallskip\\footnotesize\n  \\setlength{\\tabcolsep}{3pt}\n"
            "  \\begin{tabular}{llr}\n"
            "    \\toprule\n    Algorithm & & wheel-0.90 \\\\\n    \\midrule\n"
            "    NeuralLinear & here & $\\mathbf{7000} \\pm \\mathbf{30}$ \\\\\n"
            "     & paper & $6929 \\pm 443$ \\\\\n"
            "     & $z$ & $+0.2$ \\\\\n"
            "    my\\_agent(a=1,b=2) & here & $\\mathit{7050} \\pm \\mathit{42}$ \\\\\n"
            "    one & here & $10000$ \\\\\n"
            "    none & here & -- \\\\\n"
            "    Uniform & here & $15000 \\pm 100$ \\\\\n"
            "     & paper & $15238 \\pm 131$ \\\\\n"
            "     & $z$ & $-1.4$ \\\\\n"
            "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n");
}

TEST(TableEscapes, NamesCannotBreakAFormat) {
  const auto tables = make_tables(std::vector{mine("a_b*c|<d>\\%&#$~^{}", 1.0, 0.1)}, kRegretOnly);
  EXPECT_THAT(table_markdown(tables),
              HasSubstr("| a\\_b\\*c\\|\\<d\\>\\\\%&#$~^{} | 1.00 ± 0.10 |"));
  EXPECT_THAT(table_markdown(tables), HasSubstr("| linear\\_5\\|5 |"));
  EXPECT_THAT(table_latex(tables),
              HasSubstr("a\\_b*c|<d>\\textbackslash{}\\%\\&\\#\\$\\textasciitilde{}"
                        "\\textasciicircum{}\\{\\} & $1.00 \\pm 0.10$"));
}

// Seven problems, as in table 1: blocks of columns, each within a terminal's width.
TEST(TableText, WideTablesAreCutIntoBlocks) {
  std::vector<CellSummary> cells;
  for (std::size_t i = 0; i < 7; ++i) {
    const Paper& paper = papers().front();
    const PaperProblem& problem = paper.problems[i];
    for (const std::string& name : paper.algorithms) {
      const auto value = paper.value(TableKind::kRegret, problem.name, name);
      cells.push_back(summary_of(problem.name, "dataset(name=" + problem.name + ")", name,
                                 value->mean, value->sem, problem.steps));
    }
  }
  const std::string text = table_text(make_tables(cells, kRegretOnly));
  std::size_t headers = 0, longest = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    const std::string line = text.substr(start, end - start);
    if (line.starts_with("  algorithm")) ++headers;
    std::size_t columns = 0;
    for (const char c : line) columns += (c & 0xC0) != 0x80 ? 1 : 0;
    longest = std::max(longest, columns);
    start = end + 1;
  }
  EXPECT_EQ(headers, 2U) << text;
  EXPECT_LE(longest, 110U) << text;
  EXPECT_THAT(text, HasSubstr("NeuralGreedy: the paper's numbers come from code"));
}

TEST(MakeTables, TogetherAllFamiliesShareOneTable) {
  const std::vector<CellSummary> cells = {wheel("A", 2.0, 0.1), mine("A", 1.0, 0.1),
                                          mine("B", 3.0, 0.1)};
  EXPECT_THAT(make_tables(cells, kRegretOnly), SizeIs(2));
  const auto tables =
      make_tables(cells, {.kinds = {TableKind::kRegret}, .paper = false, .together = true});
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_THAT(tables[0].title, HasSubstr("all problems"));
  EXPECT_THAT(tables[0].problems, SizeIs(2));
  EXPECT_THAT(tables[0].algorithms, ElementsAre("A", "B"));
  EXPECT_EQ(tables[0].cell(1, tables[0].problems[0] == "wheel-0.90" ? 0 : 1).trials, 0U);
}

TEST(MakeTables, StuckTrialsAndTwoGroupsStandBehindTheNumber) {
  std::vector<CellSummary> cells = {mine("A", 30.0, 1.0), mine("B", 40.0, 1.0)};
  cells[0].stuck = 0.031;
  cells[1].groups = TwoGroups{.low = 10.0, .high = 300.0, .share = 0.1};
  const auto tables = make_tables(cells, kRegretOnly);
  const std::string text = table_text(tables);
  EXPECT_THAT(text, HasSubstr("30.0 ± 1.0 †4 %"));
  EXPECT_THAT(text, HasSubstr("40.0 ± 1.0 ‡"));
  EXPECT_THAT(text, HasSubstr("†"));
  EXPECT_THAT(text, HasSubstr("Behind ±: the standard error of the mean."));
  EXPECT_THAT(table_markdown(tables), HasSubstr("30.0 ± 1.0 †4 %"));
  EXPECT_THAT(table_latex(tables), HasSubstr("$30.0 \\pm 1.0$ $\\dagger$4 \\%"));
  EXPECT_THAT(table_text(make_tables(cells, kTimeOnly)), Not(HasSubstr("†")));
}

TEST(TableLatex, EveryCharacterIsOneThatPdflatexKnows) {
  const auto written = [](const char* name) {
    return table_latex(make_tables(
        std::vector<CellSummary>{mine(name, 30.0, 1.0), mine("B", 4.0, 1.0)}, kRegretOnly));
  };
  EXPECT_THAT(written("ε-greedy ²"), HasSubstr("$\\epsilon$-greedy $^2$ &"));
  EXPECT_THAT(written("Größe – 3"), HasSubstr("Größe – 3 &"));
  EXPECT_THAT(written("日 \U0001F600"), HasSubstr("U+65E5 U+1F600 &"));
  EXPECT_THAT(written("a_b\\c^~"),
              HasSubstr("a\\_b\\textbackslash{}c\\textasciicircum{}\\textasciitilde{} &"));
  EXPECT_THAT(written("\xFF!"), HasSubstr("?! &"));
}

TEST(TableLatex, LongNamesMayBreak) {
  const std::string name = "linear(lambda=0.5,intercept=true)+sau_sampling(alpha=2)";
  const std::string text = table_latex(make_tables(
      std::vector<CellSummary>{mine(name, 30.0, 1.0), mine("B", 40.0, 1.0)}, kRegretOnly));
  EXPECT_THAT(text, HasSubstr("\\begin{tabular}{>{\\raggedright\\arraybackslash}p{3.6cm}r}"));
  EXPECT_THAT(text, HasSubstr("linear(\\allowbreak{}lambda=0.5,\\allowbreak{}"));
  EXPECT_THAT(text, HasSubstr("sau\\_\\allowbreak{}sampling("));
  // A setting keeps its value, and words of a caption may break too.
  EXPECT_THAT(text, Not(HasSubstr("=\\allowbreak")));
  const std::string short_names =
      table_latex(make_tables(std::vector<CellSummary>{mine("A", 30.0, 1.0)}, kRegretOnly));
  EXPECT_THAT(short_names, HasSubstr("\\begin{tabular}{lr}"));
}

}  // namespace
}  // namespace sau
