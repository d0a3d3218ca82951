#pragma once

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "sau/run/results.hpp"

namespace sau::testing {

// A cell with these total regrets, one per trial; NaN is a failed trial. Curves rise evenly.
struct MadeCell {
  std::string problem, problem_spec, agent, agent_spec;
  std::vector<double> regret;
  std::uint64_t steps = 10;
  std::uint64_t asked = 0;  // 0: as many as there are
  std::string data = {};
  double seconds = 0.25;  // of a trial
};

inline MadeCell bernoulli(const std::string& agent, std::vector<double> regret) {
  return {"bernoulli-10-0.1", "bernoulli(best=0)", agent, "spec of " + agent, std::move(regret)};
}

// Writes the folder as a run would, without playing.
inline void write_results(const std::filesystem::path& path, const std::vector<MadeCell>& cells,
                          std::uint64_t seed = 1) {
  Experiment experiment{.seed = seed, .cells = {}};
  for (const MadeCell& cell : cells) {
    experiment.cells.push_back({.problem = cell.problem,
                                .agent = cell.agent,
                                .problem_spec = cell.problem_spec,
                                .agent_spec = cell.agent_spec,
                                .steps = cell.steps,
                                .trials = cell.asked == 0 ? cell.regret.size() : cell.asked,
                                .data = cell.data});
  }
  ResultFolder folder(path, experiment);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto points = curve_points(cells[i].steps);
    for (const double regret : cells[i].regret) {
      TrialRecord record;
      if (std::isnan(regret)) {
        record.failure = "broke down";
      } else {
        record.regret = regret;
        for (const std::uint64_t point : points) {
          record.curve.push_back(regret * static_cast<double>(point) /
                                 static_cast<double>(cells[i].steps));
        }
      }
      folder.append(i, record, cells[i].seconds);
      ++count;
    }
  }
  folder.note_session(1, count);
}

}  // namespace sau::testing
