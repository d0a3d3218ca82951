#include "sau/run/tune.hpp"

#include <algorithm>
#include <optional>

#include "sau/core/error.hpp"
#include "sau/core/sweep.hpp"
#include "sau/stats/summary.hpp"

namespace sau {
namespace {

std::string tuned_name(const NamedSpec& agent) {
  return (agent.name.empty() ? without_alternatives(agent.spec) : agent.name) + " (tuned)";
}

// The mean regret of the cell's trials; nothing if none counts.
std::optional<double> mean_regret(const RunResults& results, const Cell& cell) {
  for (const CellResults& have : results.cells) {
    if (!have.cell.same_as(cell)) continue;
    std::vector<double> regret;
    const std::size_t count = std::min<std::size_t>(cell.trials, have.trials.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (!have.trials[i].failed()) regret.push_back(have.trials[i].regret);
    }
    if (!regret.empty()) return summarise(regret).mean;
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t tuning_seed(std::uint64_t seed) { return seed + 1'000'000; }

std::vector<Cell> tuning_cells(const ExperimentText& experiment) {
  std::vector<NamedSpec> swept;
  for (const NamedSpec& agent : experiment.agents) {
    if (expand_named(agent).size() == 1) continue;
    for (const NamedSpec& other : swept) {
      if (tuned_name(other) != tuned_name(agent)) continue;
      throw UsageError("tune: two agents would be called '" + tuned_name(agent) +
                       "'; give them names, as in 'mine=" + agent.spec + "'");
    }
    swept.push_back(agent);
  }
  if (swept.empty()) {
    throw UsageError(
        "tune: no agent has alternatives; write them as in --agent 'sau_ucb(alpha=0.1|1|10)'");
  }
  return make_cells(experiment.problems, swept, experiment.steps, experiment.trials);
}

Tuned choose_tuned(const ExperimentText& experiment, const RunResults& results) {
  Tuned tuned;
  for (const NamedSpec& given : experiment.problems) {
    for (const NamedSpec& problem : expand_named(given)) {
      for (const NamedSpec& agent : experiment.agents) {
        const std::vector<NamedSpec> all = expand_named(agent);
        if (all.size() == 1) {
          add_cells(tuned.cells, {make_cell(problem, agent, experiment.steps, experiment.trials)});
          continue;
        }
        const std::string name = tuned_name(agent);
        std::optional<Cell> best;
        TuneChoice choice{.alternatives = all.size()};
        for (const NamedSpec& one : all) {
          Cell cell = make_cell(problem, {name, one.spec}, experiment.steps, experiment.trials);
          const auto regret = mean_regret(results, cell);
          if (!regret || (best && *regret >= choice.regret)) continue;
          choice.regret = *regret;
          best = std::move(cell);
        }
        if (!best) throw Error("tune: no trial of " + name + " on " + problem.spec + " counts");
        choice.problem = best->problem;
        choice.agent = best->agent;
        choice.chosen = best->agent_spec;
        tuned.choices.push_back(std::move(choice));
        add_cells(tuned.cells, {std::move(*best)});
      }
    }
  }
  return tuned;
}

}  // namespace sau
