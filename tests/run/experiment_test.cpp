#include "sau/run/experiment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/paper_file.hpp"
#include "run/run_support.hpp"

namespace sau {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::string usage_error(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("\n")));
    return error.what();
  }
  ADD_FAILURE() << "no UsageError";
  return "";
}

TEST(MakeCell, HasThePapersNamesAndCanonicalSpecs) {
  const Cell cell = make_cell("bernoulli( actions = 50 , gap=0.10,best=0 )", "sau-ucb", 7, 3);
  EXPECT_EQ(cell.problem, "bernoulli-50-0.1");
  EXPECT_EQ(cell.agent, "SAU-UCB");
  EXPECT_EQ(cell.problem_spec, "bernoulli(actions=50,best=0)");
  EXPECT_EQ(cell.agent_spec, "sample_mean+sau_ucb");
  EXPECT_EQ(cell.steps, 7U);
  EXPECT_EQ(cell.trials, 3U);
}

TEST(MakeCell, ASpecThatIsNotUtf8IsRefused) {
  for (const std::string bad :
       {"\xFF", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
    EXPECT_THAT(usage_error([&] { make_cell("csv(file=" + bad + ".csv)", "ts", 7, 3); }),
                ::testing::MatchesRegex("the spec csv\\(file=[?]+\\.csv\\) is not UTF-8"));
  }
  EXPECT_THROW(
      make_cell("csv(file=\"/nowhere/\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80.csv\")", "ts", 7, 3),
      Error);
}

TEST(MakeCell, WithoutANameInThePaperTheNameIsTheCanonicalSpec) {
  const Cell cell = make_cell("bernoulli(actions=3)", "sau_ucb(alpha=0.50)", 7, 3);
  EXPECT_EQ(cell.problem, "bernoulli(actions=3)");
  EXPECT_EQ(cell.agent, "sample_mean+sau_ucb(alpha=0.5)");
}

TEST(MakeCell, ZeroStepsIsTheProblemsHorizon) {
  EXPECT_EQ(make_cell("bernoulli", "ucb1", 0, 1).steps, 100'000U);
}

TEST(MakeCell, PairsThatFitAreAccepted) {
  EXPECT_EQ(make_cell("bernoulli", "beta_bernoulli+sau_sampling", 10, 1).agent_spec,
            "beta_bernoulli+sau_sampling");
  EXPECT_EQ(make_cell("bernoulli(rewards=uniform)", "ts", 10, 1).agent, "TS");
}

TEST(MakeCell, PairsThatDoNotFitAreRefused) {
  const auto refused = [](const char* problem, const char* agent) {
    return usage_error([&] { make_cell(problem, agent, 10, 1); });
  };
  EXPECT_THAT(refused("bernoulli", "sample_mean+thompson"), HasSubstr("posterior"));
  EXPECT_THAT(refused("bernoulli", "beta_bernoulli"), HasSubstr("beta_bernoulli+strategy"));
  EXPECT_THAT(refused("bernoulli", "sample_mean+sau_ucb+ts"), HasSubstr("3 parts"));
  EXPECT_THAT(refused("bernoulli(best=10)", "ts"), HasSubstr("best=10"));
  EXPECT_THAT(refused("bernoulli(gap=0.6)", "ts"), HasSubstr("gap=0.6"));
  EXPECT_THAT(refused("bernoulli(actions=0)", "ts"), HasSubstr("actions=0"));
  EXPECT_THAT(refused("bernoulli", "sau_ucb(alpha=-1)"), HasSubstr("alpha=-1"));
  EXPECT_THAT(refused("bernouli", "ts"), HasSubstr("did you mean 'bernoulli'"));
}

TEST(MakeCells, EveryProblemWithEveryAgentProblemByProblem) {
  const std::vector<std::string> problems = {"bernoulli-10-0.1", "bernoulli(actions=3)"};
  const std::vector<std::string> agents = {"ts", "ucb1"};
  const auto cells = make_cells(problems, agents, 10, 2);
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[0].problem + " " + cells[0].agent, "bernoulli-10-0.1 TS");
  EXPECT_EQ(cells[1].problem + " " + cells[1].agent, "bernoulli-10-0.1 UCB1");
  EXPECT_EQ(cells[2].problem + " " + cells[2].agent, "bernoulli(actions=3) TS");
  EXPECT_EQ(cells[3].problem + " " + cells[3].agent, "bernoulli(actions=3) UCB1");
}

TEST(MakeCells, ACellNamedTwiceIsKeptOnce) {
  const std::vector<std::string> problems = {"bernoulli(best=0)", "bernoulli-10-0.1",
                                             "bernoulli(gap=0.1,best=0,actions=10)"};
  const std::vector<std::string> agents = {"TS", "thompson", "beta_bernoulli+thompson",
                                           "beta_bernoulli(alpha=1)+thompson"};
  EXPECT_EQ(make_cells(problems, agents, 10, 2).size(), 1U);
}

TEST(PaperPart, MultiArmedIsAppendixA3) {
  EXPECT_THAT(paper_parts(), Contains("multi-armed"));
  const PaperPart part = paper_part("multi-armed", 0);
  EXPECT_EQ(part.name, "multi-armed");
  EXPECT_FALSE(part.title.empty());
  ASSERT_EQ(part.cells.size(), 16U);
  std::vector<std::string> problems, agents;
  for (const Cell& cell : part.cells) {
    problems.push_back(cell.problem);
    agents.push_back(cell.agent);
    EXPECT_EQ(cell.steps, 100'000U);
    EXPECT_EQ(cell.trials, 500U);
  }
  for (const char* name :
       {"bernoulli-10-0.1", "bernoulli-50-0.1", "bernoulli-10-0.02", "uniform-10-0.1"}) {
    EXPECT_EQ(std::ranges::count(problems, name), 4) << name;
  }
  for (const char* name : {"SAU-UCB", "SAU-Sampling", "UCB1", "TS"}) {
    EXPECT_EQ(std::ranges::count(agents, name), 4) << name;
  }
}

TEST(PaperPart, EveryPartCanBeMadeAndShortened) {
  for (const std::string& name : paper_parts()) {
    const PaperPart part = paper_part(name, 3);
    EXPECT_EQ(part.cells.empty() && part.left_out.empty(), part.checks) << name;
    EXPECT_EQ(part.trials, 3U) << name;
    for (const Cell& cell : part.cells) EXPECT_EQ(cell.trials, 3U) << name;
  }
}

// What is not in the paper does not run unless somebody asks for it.
TEST(PaperPart, PartsOfOurOwnOnlyRunByName) {
  EXPECT_THAT(paper_parts(), Contains("committee"));
  const std::vector<std::string> usual = usual_paper_parts();
  EXPECT_THAT(
      usual, ::testing::UnorderedElementsAre("multi-armed", "linear", "wheel", "tables", "theory"));
  EXPECT_TRUE(detail::only_by_name("x", R"({"only_by_name": true})"));
  EXPECT_FALSE(detail::only_by_name("x", "{}"));
}

TEST(PaperPart, GroupsHaveTheirOwnAgentsAndStepsOrTheProblemsHorizon) {
  const PaperPart part = detail::read_paper_part("x", R"({
    "title": "t", "trials": 7,
    "groups": [
      {"problems": ["wheel-0.50", "linear-5-5"],
       "agents": ["Uniform", {"name": "LinearPosterior", "spec": "linear_posterior(a0=30)+thompson"}]},
      {"problems": ["bernoulli"], "agents": ["Uniform"], "steps": 9},
      {"problems": ["bernoulli"], "agents": ["Uniform", "TS"], "steps": 9}
    ]})",
                                                 0);
  ASSERT_EQ(part.cells.size(), 6U);  // a cell that is in two groups appears once
  EXPECT_EQ(part.trials, 7U);
  EXPECT_EQ(part.cells[0].steps, 2000U);
  EXPECT_EQ(part.cells[1].agent, "LinearPosterior");
  EXPECT_EQ(part.cells[1].agent_spec, "linear_posterior(a0=30)+thompson");
  EXPECT_EQ(part.cells[3].steps, 20'000U);
  EXPECT_EQ(part.cells[5].agent, "TS");
  EXPECT_EQ(part.cells[5].steps, 9U);
  EXPECT_EQ(part.cells[5].trials, 7U);
}

TEST(PaperPart, ADamagedFileIsNamed) {
  for (const char* text : {"{", R"({"trials": 1})", R"({"title": "t", "trials": 1})",
                           R"({"title": "t", "trials": 1, "groups": [{"problems": ["wheel"]}]})"}) {
    EXPECT_THAT([&] { detail::read_paper_part("some", text, 0); },
                ::testing::ThrowsMessage<Error>(HasSubstr("experiments/some.json")))
        << text;
  }
}

TEST(PaperPart, AProblemWithoutDataIsLeftOutOrReplacedByTheNextInItsList) {
  ::setenv("SAU_DATA_DIR", "/nonexistent/data", 1);
  const PaperPart part = detail::read_paper_part("x", R"({
    "title": "t", "trials": 7,
    "problems": ["statlog", ["census", "wheel-0.50"], ["census", "census-synthetic"]],
    "agents": ["Uniform"]})",
                                                 0);
  ASSERT_EQ(part.cells.size(), 1U);
  EXPECT_EQ(part.cells[0].problem, "wheel-0.50");
  ASSERT_EQ(part.left_out.size(), 2U);
  EXPECT_THAT(part.left_out[0], HasSubstr("statlog: /nonexistent/data/statlog/shuttle.trn is"));
  EXPECT_THAT(part.left_out[0], HasSubstr("sau data get statlog"));
  EXPECT_THAT(part.left_out[1], HasSubstr("census-synthetic: "));
}

TEST(PaperPart, TheTitleIsThePartsTitle) {
  for (const std::string& name : paper_parts()) {
    EXPECT_EQ(paper_title(name), paper_part(name, 1).title);
  }
  usage_error([] { paper_title("multiarmed"); });
}

TEST(PaperPart, AnUnknownPartNamesTheNearest) {
  const std::string message = usage_error([] { paper_part("multiarmed", 0); });
  EXPECT_THAT(message, HasSubstr("'multiarmed'"));
  EXPECT_THAT(message, HasSubstr("did you mean 'multi-armed'?"));
}

// The paper uses this name for both kinds of problems.
TEST(Cell, AnAliasDependsOnWhetherTheProblemHasContexts) {
  EXPECT_EQ(make_cell("linear-5-5", "TS", 0, 1).agent_spec, "linear_posterior+thompson");
  EXPECT_EQ(make_cell("bernoulli", "TS", 0, 1).agent_spec, "beta_bernoulli+thompson");
}

TEST(LinearExperiment, HasTheCellsOfFigureOneAndAppendixB) {
  const PaperPart part = paper_part("linear", 0);
  ASSERT_EQ(part.cells.size(), 28U);
  for (const Cell& cell : part.cells) {
    EXPECT_EQ(cell.steps, 20'000U);
    EXPECT_EQ(cell.trials, 100U);
    EXPECT_EQ(cell.problem.substr(0, 7), "linear-");
  }
  EXPECT_EQ(part.cells[8].problem_spec, "linear(dim=40)");
  EXPECT_EQ(part.cells[3].agent, "TSdiag");
}

TEST(WheelExperiment, ShowsNamesWithTheSettingsOfTheWheel) {
  const PaperPart part = paper_part("wheel", 3);
  ASSERT_EQ(part.cells.size(), 45U);
  EXPECT_EQ(part.cells[0].agent, "LinearPosterior");
  EXPECT_EQ(part.cells[0].agent_spec,
            "linear_posterior(lambda=20,a0=30,b0=35,intercept=true)+thompson(initial_pulls=2)");
  EXPECT_EQ(part.cells[0].problem, "wheel-0.50");
  EXPECT_EQ(part.cells[44].problem_spec, "wheel(delta=0.99,best=0)");
  EXPECT_EQ(part.cells[44].agent, "Uniform");
  EXPECT_EQ(part.cells[44].trials, 3U);
}

}  // namespace
}  // namespace sau
