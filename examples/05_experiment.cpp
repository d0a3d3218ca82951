// The laboratory from C++: cells, a result folder, a run that is continued, and its summary.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "sau/report/cell_summary.hpp"
#include "sau/run/experiment.hpp"
#include "sau/run/results.hpp"
#include "sau/run/runner.hpp"

namespace {

// Runs the missing trials and returns how many there were.
std::uint64_t run_in(const std::filesystem::path& folder, const sau::Experiment& experiment) {
  sau::ResultFolder results(folder, experiment);  // locks the folder while it lives
  sau::RunOptions options;
  options.threads = 2;
  const sau::RunOutcome outcome = sau::run(experiment, results, options);
  for (const std::string& failure : outcome.failures) std::printf("%s\n", failure.c_str());
  return outcome.new_trials;
}

}  // namespace

int main() {
  const auto folder =
      std::filesystem::temp_directory_path() / ("sau-example-05-" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);

  const std::vector<std::string> problems = {"bernoulli(actions=5,gap=0.2)"};
  const std::vector<std::string> agents = {"SAU-UCB", "UCB1", "epsilon_greedy(epsilon=0.05)"};
  sau::Experiment experiment{.seed = 1, .cells = sau::make_cells(problems, agents, 5000, 10)};
  const std::uint64_t first = run_in(folder, experiment);

  // More trials of the same cells: only the missing ones run.
  for (sau::Cell& cell : experiment.cells) cell.trials = 20;
  const std::uint64_t second = run_in(folder, experiment);
  std::printf("trials run: %llu, then %llu\n\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(second));

  const sau::RunResults results = sau::read_results(folder, sau::Curves::kRead);
  const auto summaries = sau::summarise(results, experiment.cells);
  std::printf("%s", sau::summary_table(summaries).c_str());
  const sau::CellResults& cell = results.cells.front();
  std::printf("\nfirst curve: %zu points, regret %.2f at step %llu\n", cell.points.size(),
              cell.trials.front().curve.back(),
              static_cast<unsigned long long>(cell.points.back()));
  std::filesystem::remove_all(folder);

  const bool good = first == 30 && second == 30 && summaries.size() == 3 &&
                    summaries[0].regret.median < summaries[1].regret.median;
  return good ? 0 : 1;
}
