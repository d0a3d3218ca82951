#include "sau/run/choice_log.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "sau/run/experiment.hpp"
#include "sau/run/runner.hpp"

namespace sau {
namespace {

struct Played {
  double reward = 0.0;
  std::vector<nlohmann::json> lines;
};

Played logged(const char* problem, const char* agent, std::uint64_t steps) {
  const std::vector<std::string> problems = {problem}, agents = {agent};
  const std::vector<Cell> cells = make_cells(problems, agents, steps, 1);
  Played played;
  log_trial(cells[0], 3, 0, [&](const std::string& line) {
    played.lines.push_back(nlohmann::json::parse(line));
    played.reward += played.lines.back()["reward"].get<double>();
  });
  TrialRecord record;
  run_trial(cells[0], 3, 0, curve_points(steps), nullptr, record);
  EXPECT_NEAR(played.reward, record.reward, 1e-9) << problem;
  return played;
}

// The same choices as in a run, with chances that add up to 1.
TEST(ChoiceLog, HasTheChoicesOfARun) {
  for (const auto& [problem, agent] : {std::pair("bernoulli(actions=4)", "sau_sampling"),
                                       {"wheel", "epsilon_greedy"},
                                       {"clicks", "hashed_linear+sau_sampling"}}) {
    const Played played = logged(problem, agent, 300);
    ASSERT_EQ(played.lines.size(), 300U);
    for (const nlohmann::json& line : played.lines) {
      double sum = 0.0;
      bool found = false;
      for (const auto& action : line["actions"]) {
        sum += action["probability"].get<double>();
        if (action["id"] != line["rewardActionId"]) continue;
        found = true;
        EXPECT_GT(action["probability"].get<double>(), 0.0);
      }
      EXPECT_TRUE(found);
      EXPECT_NEAR(sum, 1.0, 1e-9);
      EXPECT_EQ(line["request"]["actions"].size(), line["actions"].size());
    }
  }
}

}  // namespace
}  // namespace sau
