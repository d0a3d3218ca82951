#include "tune.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "progress.hpp"
#include "sau/core/error.hpp"
#include "sau/run/results.hpp"
#include "sau/run/runner.hpp"
#include "sau/run/tune.hpp"
#include "stop.hpp"

namespace sau::cli {
namespace {

Addition describe_choices(const Tuned& tuned, const Experiment& tuning) {
  const std::uint64_t trials = tuning.cells.front().trials;
  Addition told{.key = "tuning", .json = {}, .text = {}};
  told.text = fmt::format(
      "Tuned by the lowest mean regret in {} trial{} of seed {}; the results above are from other "
      "trials:\n",
      trials, trials == 1 ? "" : "s", tuning.seed);
  auto choices = nlohmann::ordered_json::array();
  for (const TuneChoice& choice : tuned.choices) {
    told.text += fmt::format("  {} on {}: {}, of {} alternatives\n", choice.agent, choice.problem,
                             choice.chosen, choice.alternatives);
    choices.push_back({{"problem", choice.problem},
                       {"agent", choice.agent},
                       {"chosen", choice.chosen},
                       {"alternatives", choice.alternatives},
                       {"regret", choice.regret}});
  }
  told.json =
      nlohmann::ordered_json{{"seed", tuning.seed}, {"trials", trials}, {"choices", choices}}
          .dump();
  return told;
}

}  // namespace

int tune_agents(const ExperimentText& experiment, const std::filesystem::path& folder,
                const LaboratoryFlags& flags, std::vector<Cell>& cells, Addition& told) {
  const Experiment tuning{.seed = tuning_seed(experiment.seed), .cells = tuning_cells(experiment)};
  const std::filesystem::path place = folder.string() + "-tuning";
  {
    const std::atomic<bool>& stop = stop_on_signals();
    ResultFolder results(place, tuning);
    ProgressPrinter printer(flags.quiet);
    const RunOutcome outcome = run(tuning, results, run_options(flags, stop, printer));
    printer.finish();
    if (!outcome.failures.empty()) throw Error(outcome.failures.front());
    if (!outcome.complete) return exit_code_when_stopped();
  }
  const Tuned tuned = choose_tuned(experiment, read_results(place, Curves::kSkip));
  cells = tuned.cells;
  told = describe_choices(tuned, tuning);
  return 0;
}

}  // namespace sau::cli
