#include "sau/run/named_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/paper_file.hpp"
#include "run/run_support.hpp"
#include "sau/run/tune.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using test::run_into;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

std::vector<std::string> expanded(std::string_view text) {
  std::vector<std::string> all;
  for (const NamedSpec& one : expand_named(text)) all.push_back(one.name + ": " + one.spec);
  return all;
}

TEST(NamedSpecs, AreNameAndSpec) {
  EXPECT_EQ(read_named_spec("mine = linear(lambda=5)+sau_ucb").name, "mine");
  EXPECT_EQ(read_named_spec("mine = linear(lambda=5)+sau_ucb").spec, "linear(lambda=5)+sau_ucb");
  EXPECT_EQ(read_named_spec("sau_ucb(alpha=2)").name, "");
  EXPECT_EQ(read_named_spec("sau_ucb(alpha=2)").spec, "sau_ucb(alpha=2)");
  EXPECT_EQ(read_named_spec("TS").spec, "TS");
  EXPECT_THAT(error_of<UsageError>([] { read_named_spec("=ts"); }), HasSubstr("expected a name"));
  EXPECT_THAT(error_of<UsageError>([] { read_named_spec("x= "); }), HasSubstr("such as x=sau_ucb"));
  EXPECT_NE(error_of<UsageError>([] { read_named_spec(std::string(81, 'x') + "=ts"); }), "");
  EXPECT_NE(error_of<UsageError>([] { read_named_spec("a\nb=ts"); }), "");
}

TEST(NamedSpecs, OfASweepHaveTheSettingsThatDiffer) {
  EXPECT_THAT(expanded("sau_ucb(alpha=1|2)"),
              ElementsAre(": sau_ucb(alpha=1)", ": sau_ucb(alpha=2)"));
  EXPECT_THAT(
      expanded("a b=linear(lambda=1|2,intercept=true)+sau_ucb(alpha=3|4)"),
      ElementsAre("a b(lambda=1,alpha=3): linear(lambda=1,intercept=true)+sau_ucb(alpha=3)",
                  "a b(lambda=1,alpha=4): linear(lambda=1,intercept=true)+sau_ucb(alpha=4)",
                  "a b(lambda=2,alpha=3): linear(lambda=2,intercept=true)+sau_ucb(alpha=3)",
                  "a b(lambda=2,alpha=4): linear(lambda=2,intercept=true)+sau_ucb(alpha=4)"));
  EXPECT_THAT(expanded("d=csv(file=a.csv|b.csv,label=u|v)"),
              ElementsAre("d(label=u): csv(file=a.csv|b.csv,label=u)",
                          "d(label=v): csv(file=a.csv|b.csv,label=v)"));
  EXPECT_THAT(expanded("d=csv(file=a.csv|b.csv)"), ElementsAre("d: csv(file=a.csv|b.csv)"));
}

TEST(NamedSpecs, MayHoldCharactersOfSpecs) {
  for (const char* name : {"a\"b", "\"", "a(b", "a,b=c|d)", "\\", "Größe 10 %"}) {
    const auto all = expand_named(NamedSpec{name, "sau_ucb(alpha=1|2)"});
    ASSERT_EQ(all.size(), 2U) << name;
    EXPECT_EQ(all[0].name, std::string(name) + "(alpha=1)");
    EXPECT_EQ(all[1].name, std::string(name) + "(alpha=2)");
    EXPECT_EQ(all[1].spec, "sau_ucb(alpha=2)");
  }
}

TEST(NamedSpecs, CountCharactersNotBytes) {
  std::string name;
  for (int n = 0; n < 80; ++n) name += "ü";
  EXPECT_EQ(read_named_spec(name + "=ts").name, name);
  EXPECT_THROW(read_named_spec(name + "ü=ts"), UsageError);
}

TEST(NamedCells, HaveTheGivenNamesAndTheSameNumbers) {
  const std::vector<std::string> problems = {"arms=bernoulli(actions=3)"};
  const std::vector<std::string> agents = {"mine=sau_ucb(alpha=0.5|2)", "TS"};
  const auto cells = make_cells(problems, agents, 20, 2);
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells[0].problem, "arms");
  EXPECT_EQ(cells[0].problem_spec, "bernoulli(actions=3)");
  EXPECT_EQ(cells[1].agent, "mine(alpha=2)");
  EXPECT_EQ(cells[1].agent_spec, "sample_mean+sau_ucb(alpha=2)");
  EXPECT_EQ(cells[2].agent, "TS");
  EXPECT_TRUE(cells[1].same_as(make_cell("bernoulli(actions=3)", "sau_ucb(alpha=2)", 20, 9)));
}

TEST(NamedCells, OneNameForTwoIsRefused) {
  const auto refused = [](std::vector<std::string> problems, std::vector<std::string> agents) {
    return error_of<UsageError>([&] { make_cells(problems, agents, 20, 2); });
  };
  EXPECT_THAT(refused({"bernoulli"}, {"a=ts", "a=ucb1"}), HasSubstr("two agents are called 'a'"));
  EXPECT_THAT(refused({"a=bernoulli", "a=wheel"}, {"uniform"}),
              HasSubstr("two problems are called 'a'"));
  EXPECT_EQ(refused({"bernoulli", "wheel"}, {"a=sau_ucb", "b=ucb1"}), "");
}

TEST(NamedCells, ANewNameReplacesTheOldOneInTheFolder) {
  const TemporaryFolder place;
  run_into(place / "r", test::experiment_of({"sau_ucb", "old=ts"}, 20, 2));
  run_into(place / "r", test::experiment_of({"mine=sau_ucb", "ts"}, 20, 2));
  const RunResults results = read_results(place / "r", Curves::kSkip);
  ASSERT_EQ(results.cells.size(), 2U);
  EXPECT_EQ(results.cells[0].cell.agent, "mine");
  EXPECT_EQ(results.cells[1].cell.agent, "old") << "no name was given the second time";
}

TEST(ExperimentFiles, ReadBackWhatWasWritten) {
  const TemporaryFolder place;
  const ExperimentText text{.title = "Mine",
                            .notes = "why",
                            .trials = 7,
                            .steps = 30,
                            .seed = 5,
                            .problems = {{"arms", "bernoulli(actions=3)"}, {"", "wheel"}},
                            .agents = {{"", "sau_ucb(alpha=1|2)"}, {"t", "ts"}}};
  write_file(place / "study.json", write_experiment_text(text));
  const PaperPart part = read_experiment_file(place / "study.json");
  EXPECT_EQ(part.name, "study");
  EXPECT_EQ(part.title, "Mine");
  EXPECT_EQ(part.notes, "why");
  EXPECT_EQ(part.seed, 5U);
  EXPECT_EQ(part.trials, 7U);
  const auto cells = make_cells(text.problems, text.agents, text.steps, text.trials);
  ASSERT_EQ(part.cells.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(part.cells[i].same_as(cells[i]));
    EXPECT_EQ(part.cells[i].agent, cells[i].agent);
    EXPECT_EQ(part.cells[i].problem, cells[i].problem);
  }
}

TEST(ExperimentFiles, ErrorsNameTheFileAndWhatIsWrong) {
  const auto error = [](const char* text) {
    return error_of([&] { detail::read_experiment_text("s.json", text, 0); });
  };
  EXPECT_THAT(error(R"({"problems": ["wheel"], "agent": ["ts"]})"),
              HasSubstr("s.json: unknown key 'agent'; did you mean 'agents'?"));
  EXPECT_THAT(error(R"({"problems": ["whel"], "agents": ["ts"]})"), HasSubstr("s.json: unknown"));
  EXPECT_THAT(error("{"), HasSubstr("s.json: parse error at line 1, column 2"));
  EXPECT_THAT(error("[]"), HasSubstr("s.json: the experiment: found [], expected an object"));
  EXPECT_THAT(error(R"({"agents": ["ts"]})"), HasSubstr("s.json: problems is missing"));
  const auto with = [&](const std::string& more) {
    return error((R"({"problems": ["wheel"], "agents": ["ts"], )" + more + "}").c_str());
  };
  for (const char* trials : {"0", "-5", "2.5", "\"x\"", "null"}) {
    EXPECT_THAT(with("\"trials\": " + std::string(trials)),
                HasSubstr("trials: found " + std::string(trials) + ", expected a whole number"));
  }
  EXPECT_THAT(with(R"("seed": -1)"), HasSubstr("seed: found -1"));
  EXPECT_THAT(with(R"("notes": 3)"), HasSubstr("notes: found 3, expected text"));
  EXPECT_THAT(error(R"({"problems": 3, "agents": []})"), HasSubstr("problems: found 3"));
  EXPECT_THAT(error(R"({"problems": ["wheel"], "agents": [{"spec": "ts"}]})"),
              HasSubstr(R"(found {"spec":"ts"}, expected text, or an object)"));
  EXPECT_THAT(error(R"({"problems": [], "agents": ["ts"]})"),
              HasSubstr("problems: found [], expected a list with at least one"));
  EXPECT_THAT(error(R"({"problems": ["wheel"], "agents": []})"), HasSubstr("agents: found []"));
  EXPECT_THAT(error(R"({"problems": [[]], "agents": ["ts"]})"), HasSubstr("at least one choice"));
  EXPECT_THAT(error(R"({"problems": ["wheel"], "agents": [{"name": "a", "spec": "ts", "x": 1}]})"),
              HasSubstr("unknown key 'x'"));
  EXPECT_THAT(error(R"({"trials": 2, "problems": ["wheel"], "agents": ["ts"], "trials": 3})"),
              HasSubstr("the key 'trials' is given twice"));
  EXPECT_THAT(error(R"({"groups": [3]})"), HasSubstr("a group: found 3, expected an object"));
  EXPECT_EQ(error(R"({"problems": ["wheel"], "agents": ["ts"]})"), "");
}

TEST(ExperimentFiles, NamesAreCheckedAndMayHoldQuotes) {
  const auto read = [](const std::string& name) {
    return detail::read_experiment_text(
        "s.json",
        R"({"problems": ["bernoulli"], "steps": 20, "agents": [{"name": ")" + name +
            R"!(", "spec": "sau_ucb(alpha=1|2)"}]})!",
        1);
  };
  EXPECT_EQ(read(R"(a \"quote)").cells.at(1).agent, R"(a "quote(alpha=2))");
  for (const std::string& name : {std::string(), std::string("  "), std::string(R"(a\nb)"),
                                  std::string(R"(\u0000)"), std::string(81, 'x')}) {
    EXPECT_THAT(error_of<UsageError>([&] { read(name); }), HasSubstr("expected a name of 1 to 80"))
        << name;
  }
}

const ExperimentText kSweep{.trials = 4,
                            .steps = 200,
                            .seed = 3,
                            .problems = {{"", "bernoulli(actions=5)"}, {"", "linear"}},
                            .agents = {{"", "epsilon_greedy(epsilon=0.05|1)"}, {"", "uniform"}}};

TEST(Tune, ChoosesOnTrialsOfAnotherSeed) {
  EXPECT_NE(tuning_seed(3), 3U);
  EXPECT_NE(tuning_seed(3), tuning_seed(4));
  const TemporaryFolder place;
  const Experiment tuning{.seed = tuning_seed(3), .cells = tuning_cells(kSweep)};
  ASSERT_EQ(tuning.cells.size(), 4U) << "only agents with alternatives";
  run_into(place / "r", tuning);
  const Tuned tuned = choose_tuned(kSweep, read_results(place / "r", Curves::kSkip));
  ASSERT_EQ(tuned.cells.size(), 4U);
  ASSERT_EQ(tuned.choices.size(), 2U);
  // Always exploring is worse than exploring once in twenty steps.
  EXPECT_EQ(tuned.choices[0].chosen, "sample_mean+epsilon_greedy(epsilon=0.05)");
  EXPECT_EQ(tuned.choices[1].chosen, "linear+epsilon_greedy(epsilon=0.05)");
  EXPECT_EQ(tuned.choices[0].alternatives, 2U);
  EXPECT_EQ(tuned.cells[0].agent, "epsilon_greedy (tuned)");
  EXPECT_EQ(tuned.cells[1].agent, "Uniform");
  EXPECT_EQ(tuned.cells[2].agent, "epsilon_greedy (tuned)");
}

TEST(Tune, RefusesTwoAgentsThatWouldHaveTheSameName) {
  ExperimentText text = kSweep;
  text.agents = {{"", "epsilon_greedy(epsilon=0.05|1)"}, {"", "epsilon_greedy(epsilon=0.1|0.5)"}};
  EXPECT_THAT(error_of<UsageError>([&] { tuning_cells(text); }),
              HasSubstr("two agents would be called 'epsilon_greedy (tuned)'"));
  text.agents[1].name = "mine";
  EXPECT_EQ(tuning_cells(text).size(), 8U);
}

// By hand: the second alternative has the lower mean, the first the lower median.
TEST(Tune, TakesTheLowestMeanOfTheTrialsThatCount) {
  ExperimentText text = kSweep;
  text.problems.pop_back();
  text.agents = {{"mine", "epsilon_greedy(epsilon=0.05|1|0.5)"}};
  RunResults results;
  results.cells.resize(3);
  const auto cells = tuning_cells(text);
  const double regret[3][4] = {{1, 1, 1, 50}, {8, 8, 8, 8}, {2, 2, 2, 2}};
  for (std::size_t i = 0; i < 3; ++i) {
    results.cells[i].cell = cells[i];
    for (const double one : regret[i]) {
      results.cells[i].trials.push_back(
          {.regret = one, .curve = {}, .failure = i == 2 ? "broke down" : ""});
    }
  }
  const Tuned tuned = choose_tuned(text, results);
  ASSERT_EQ(tuned.choices.size(), 1U);
  EXPECT_EQ(tuned.choices[0].chosen, "sample_mean+epsilon_greedy(epsilon=1)");
  EXPECT_EQ(tuned.choices[0].regret, 8.0);
  EXPECT_EQ(tuned.choices[0].agent, "mine (tuned)");
}

TEST(Tune, NeedsAlternatives) {
  ExperimentText text = kSweep;
  text.agents = {{"", "ts"}};
  EXPECT_THAT(error_of<UsageError>([&] { tuning_cells(text); }), HasSubstr("has alternatives"));
}

}  // namespace
}  // namespace sau
