#include <fmt/format.h>

#include "commands.hpp"
#include "flags.hpp"
#include "laboratory.hpp"
#include "theory_files.hpp"

namespace sau::cli {
namespace {

struct PaperFlags : LaboratoryFlags {
  std::vector<std::string> only;
  std::uint64_t trials = 0;
  void fields(auto&& field) {
    field("only", only, "a part of the paper, see below; repeatable; without it, all parts");
    field("trials", trials,
          "trials of every cell; 0 is the paper's own number; also scales the theory's draws");
    LaboratoryFlags::fields(field);
  }
};

}  // namespace

Deed describe_paper(CLI::App& app) {
  app.description(
      "Runs the experiments of Zhu & Rigotti, 'Deep Bandits Show-Off' (2021), with the paper's\n"
      "problems, agents, steps and trial counts, and checks its theory by numbers.");
  std::string footer = "Parts:\n";
  for (const std::string& name : paper_parts()) {
    footer += fmt::format("  {:<14} {}\n", name, paper_part(name, 0).title);
  }
  app.footer(footer +
             "Examples:\n"
             "  sau paper --only multi-armed --trials 20\n"
             "  sau paper --only multi-armed --json > multi-armed.json\n"
             "  sau paper --only theory\n"
             "Without --out the folder is results/paper; a run that was stopped goes on there.");
  const auto flags = add_flags<PaperFlags>(app);
  return [flags] {
    Experiment experiment{.seed = flags->seed, .cells = {}};
    Adds theory;
    for (const std::string& name : flags->only.empty() ? paper_parts() : flags->only) {
      PaperPart part = paper_part(name, flags->trials);
      if (part.checks) theory = theory_adds(flags->seed, part.trials);
      add_cells(experiment.cells, std::move(part.cells));
    }
    const std::string standard =
        flags->seed == 1 ? "results/paper" : fmt::format("results/paper-seed{}", flags->seed);
    return run_laboratory(experiment, flags->out.empty() ? standard : flags->out, *flags, theory);
  };
}

}  // namespace sau::cli
