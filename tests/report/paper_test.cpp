#include "sau/report/paper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "report/paper_order.hpp"
#include "report/read_paper.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using detail::read_paper;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kHeader = "table,problem,algorithm,mean,sem\n";

const Paper& built_in() { return papers().at(0); }

// A second paper, as somebody would add it.
Paper second() {
  return read_paper("second", R"({
    "citation": "Somebody 2030", "report_title": "Second",
    "sections": [{"family": "linear", "id": "lines", "title": "Lines", "text": "Straight."}],
    "problems": [{"name": "linear-5-5", "steps": 100, "title": "Five"},
                 {"name": "mushroom", "steps": 10},
                 {"name": "drawn", "title": "No numbers", "note": "Only a figure."}],
    "differences": [{"id": "slow", "title": "T", "text": "X",
                     "cells": [{"tables": ["time"], "problems": ["lin*"]},
                               {"algorithms": ["*UCB", "Own"]}]}],
    "notes": [{"algorithms": ["Own"], "text": "Own is ours."}],
    "styles": [{"name": "Own", "colour": "#123456", "dark_colour": "#654321", "shape": "cross"}]})",
                    std::string(kHeader) +
                        "regret,linear-5-5,Own,12.5,0.5\n"
                        "regret,linear-5-5,Uniform,50,1\n"
                        "time,mushroom,Own,3,0.25\n");
}

TEST(Paper, HasTheNumbersAsPrinted) {
  const auto value = built_in().value(TableKind::kRegret, "mushroom", "Neural-SAU-S");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->mean, 5381.1);
  EXPECT_EQ(value->sem, 131.0);
  EXPECT_EQ(built_in().value(TableKind::kNormalised, "wheel-0.50", "Uniform")->sem, 28.43);
  EXPECT_EQ(built_in().value(TableKind::kTime, "census", "NeuralLinear")->mean, 784.2);
  EXPECT_FALSE(built_in().value(TableKind::kTime, "wheel-0.50", "Uniform"));
  EXPECT_FALSE(built_in().value(TableKind::kRegret, "mushroom", "TS"));
  EXPECT_THAT(built_in().numbers, SizeIs(108 + 108 + 63));
  EXPECT_THAT(built_in().algorithms, SizeIs(9));
  EXPECT_EQ(built_in().algorithms.back(), "Uniform");
  EXPECT_EQ(built_in().find_problem("adult")->steps, 45222U);
  EXPECT_EQ(built_in().find_problem("mushroom-fresh"), nullptr) << "no numbers";
}

// "Normalised" in the paper means: mean and standard error divided by Uniform's mean. Both tables
// are rounded, so the last digits of the regrets have a small effect.
TEST(Paper, TheNormalisedTableIsRegretOverUniformsMean) {
  for (const PaperProblem& problem : built_in().problems) {
    if (problem.steps == 0) continue;
    const double uniform = built_in().value(TableKind::kRegret, problem.name, "Uniform")->mean;
    for (const std::string& algorithm : built_in().algorithms) {
      const auto regret = built_in().value(TableKind::kRegret, problem.name, algorithm);
      const auto norm = built_in().value(TableKind::kNormalised, problem.name, algorithm);
      ASSERT_TRUE(regret && norm) << problem.name << algorithm;
      EXPECT_NEAR(norm->mean, 100.0 * regret->mean / uniform, 0.0065) << problem.name << algorithm;
      EXPECT_NEAR(norm->sem, 100.0 * regret->sem / uniform, 0.0065) << problem.name << algorithm;
    }
  }
}

TEST(Paper, EveryNameIsThereOnce) {
  for (const Paper& paper : papers()) {
    std::set<std::string> problems, ids;
    for (const PaperProblem& problem : paper.problems) problems.insert(problem.name);
    EXPECT_EQ(problems.size(), paper.problems.size());
    for (const Difference& difference : paper.differences) ids.insert(difference.id);
    EXPECT_EQ(ids.size(), paper.differences.size());
  }
}

// Two papers have numbers for the same problem; one of them prints no standard error.
TEST(Paper, SeveralPapersMayHaveNumbersForAProblem) {
  const Paper third = read_paper("third", R"({"citation": "C", "report_title": "R",
                                              "problems": [{"name": "linear-5-5", "steps": 100}]})",
                                 std::string(kHeader) +
                                     "regret,linear-5-5,Own,13,-\n"
                                     "regret,linear-5-5,Other,14,-\n");
  const std::vector<Paper> all = {second(), third};
  const auto own = detail::printed(TableKind::kRegret, "linear-5-5", 100, "Own", all);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->paper, &all[0]);
  EXPECT_TRUE(own->value.has_error());
  const auto other = detail::printed(TableKind::kRegret, "linear-5-5", 100, "Other", all);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->paper, &all[1]);
  EXPECT_EQ(other->value.mean, 14.0);
  EXPECT_FALSE(other->value.has_error());
  EXPECT_FALSE(detail::printed(TableKind::kRegret, "linear-5-5", 99, "Own", all));
}

TEST(Paper, ASecondPaperCanBeAdded) {
  const Paper paper = second();
  EXPECT_THAT(paper.algorithms, ElementsAre("Own", "Uniform"));
  EXPECT_EQ(paper.problems.at(2).note, "Only a figure.");
  EXPECT_EQ(paper.styles.at(0).dark_colour, "#654321");
  const std::vector<Paper> both = {built_in(), paper};
  // Its problems and algorithms follow those of the first, and Uniform is last.
  EXPECT_LT(detail::problem_rank("wheel-0.99", both), detail::problem_rank("linear-5-5", both));
  EXPECT_LT(detail::problem_rank("linear-5-5", both), detail::problem_rank("unknown", both));
  EXPECT_EQ(detail::problem_rank("drawn", both), detail::problem_rank("unknown", both));
  EXPECT_LT(detail::algorithm_rank("Neural-SAU-UCB", both), detail::algorithm_rank("Own", both));
  EXPECT_LT(detail::algorithm_rank("Own", both), detail::algorithm_rank("unknown", both));
  EXPECT_LT(detail::algorithm_rank("unknown", both), detail::algorithm_rank("Uniform", both));
  // The number of steps decides which paper's numbers are shown.
  EXPECT_EQ(detail::paper_beside("mushroom", 50000, both), &both[0]);
  EXPECT_EQ(detail::paper_beside("mushroom", 10, both), &both[1]);
  EXPECT_EQ(detail::paper_beside("mushroom", 11, both), nullptr);
  EXPECT_EQ(detail::paper_with("linear-5-5", both), &both[1]);
  EXPECT_EQ(detail::paper_with("drawn", both), nullptr);
  const auto differences = detail::known_differences(both);
  EXPECT_EQ(differences.at(differences.size() - 2).id, "slow");
  EXPECT_EQ(differences.back().id, "not-explained");
}

TEST(Paper, DifferencesBelongToCells) {
  const Paper paper = second();
  const auto ids = [&](TableKind table, const char* problem, const char* algorithm, double z) {
    return detail::differences_of(paper, table, problem, algorithm, z);
  };
  EXPECT_THAT(ids(TableKind::kTime, "linear-5-5", "any", 0.0), ElementsAre("slow"));
  EXPECT_THAT(ids(TableKind::kRegret, "linear-5-5", "any", 0.0), IsEmpty());
  EXPECT_THAT(ids(TableKind::kRegret, "mushroom", "SAU-UCB", 9.0), ElementsAre("slow"));
  EXPECT_THAT(ids(TableKind::kRegret, "mushroom", "Own", 0.0), ElementsAre("slow"));
  EXPECT_THAT(ids(TableKind::kRegret, "mushroom", "Own too", -3.1), ElementsAre("not-explained"));
}

TEST(ReadPaper, ErrorsNameTheMistakeAndItsPlace) {
  const std::string good = R"({"citation": "C", "report_title": "T",
                               "problems": [{"name": "p", "steps": 1}, {"name": "q"}]})";
  const auto csv = [&](const std::string& line) {
    return error_of([&] { read_paper("x", good, std::string(kHeader) + line); });
  };
  EXPECT_THAT(error_of([] { read_paper("x", "{}", kHeader); }),
              HasSubstr("experiments/papers/x.json: "));
  EXPECT_THAT(error_of([&] { read_paper("x", good, "a,b\n"); }),
              HasSubstr("experiments/papers/x.csv:1: expected the header table,problem"));
  EXPECT_THAT(csv("regrets,p,A,1,2\n"), HasSubstr("x.csv:2: the table 'regrets' is not known"));
  EXPECT_THAT(csv("regret,q,A,1,2\n"), HasSubstr("x.csv:2: the problem q has no steps"));
  EXPECT_THAT(csv("regret,p,A,1\n"), HasSubstr("x.csv:2: expected table,problem"));
  EXPECT_THAT(csv("regret,p,A,1,2x\n"), HasSubstr("x.csv:2: '2x' is not a number"));
  EXPECT_THAT(csv("regret,p,A,1,2\nregret,p,A,1,2\n"),
              HasSubstr("x.csv:3: this cell appears twice"));
}

}  // namespace
}  // namespace sau
