#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "calibration_files.hpp"
#include "commands.hpp"
#include "dry_run.hpp"
#include "flags.hpp"
#include "laboratory.hpp"
#include "sau/core/error.hpp"
#include "sau/data/source.hpp"
#include "sau/report/paper.hpp"
#include "table_files.hpp"
#include "theory_files.hpp"

namespace sau::cli {
namespace {

constexpr const char* kTheoryTime =
    "The theory checks come on top: some seconds at 100 trials, on one core, in proportion to "
    "--trials.";

constexpr const char* kStudyTime =
    "The logs of the part evaluation come on top: about six minutes on two cores at 50 trials, in "
    "proportion to "
    "--trials.";

struct PaperFlags : LaboratoryFlags {
  std::vector<std::string> only;
  std::uint64_t trials = 0;
  void fields(auto&& field) {
    field("only", only, "a part, see below; repeatable; default: all of the paper's");
    field("trials", trials,
          "trials of every cell; 0 means as many as in the paper; also scales the theory's draws");
    LaboratoryFlags::fields(field);
  }
};

// Repeats the left-out problems at the end and in the JSON, so that no table passes for complete.
MakeAddition left_out_addition(std::vector<std::string> problems) {
  return [problems = std::move(problems)](const std::filesystem::path&, const std::atomic<bool>&) {
    return Addition{.key = "left_out",
                    .json = nlohmann::json(problems).dump(),
                    .text = fmt::format("Left out because their data are missing:\n  {}\n",
                                        fmt::join(problems, "\n  "))};
  };
}

}  // namespace

Handler describe_paper(CLI::App& app) {
  std::vector<std::string> others;
  for (const Paper& paper : papers()) others.push_back(paper.citation);
  const std::string first = others.front();
  others.erase(others.begin());
  app.description(
      fmt::format("Runs the experiments of {}, with the paper's\n"
                  "problems, agents, steps and trial counts, and checks its theory by numbers. "
                  "Also shows\nnumbers of {} beside ours.",
                  first, fmt::join(others, ", ")));
  std::string footer = "Parts:\n";
  const std::vector<std::string> usual = usual_paper_parts();
  for (const std::string& name : paper_parts()) {
    const bool own = std::ranges::find(usual, name) == usual.end();
    footer +=
        fmt::format("  {:<14} {}{}\n", name, paper_title(name), own ? " (runs only if named)" : "");
  }
  app.footer(footer +
             "Examples:\n"
             "  sau paper --only multi-armed --trials 20\n"
             "  sau paper --only multi-armed --json > multi-armed.json\n"
             "  sau paper --only theory\n"
             "  sau paper --dry-run\n"
             "Where the paper prints numbers, tables with our numbers and the paper's follow the\n"
             "summary. They are also written to the folder as tables.txt, .md, .csv and .tex.\n"
             "Without --out the folder is results/paper; run again to continue a stopped run.");
  const auto flags = add_flags<PaperFlags>(app);
  return [flags] {
    limit_memory();
    if (flags->dry_run) keep_prepared_data(false);
    Experiment experiment{.seed = flags->seed, .cells = {}};
    std::vector<MakeAddition> makers;
    std::vector<Share> shares;
    bool checked = false;
    std::vector<std::string> left_out;
    for (const std::string& name : flags->only.empty() ? usual_paper_parts() : flags->only) {
      const PaperPart part = paper_part(name, flags->trials);
      shares.push_back({.name = name, .cells = part.cells});
      if (part.checks) {
        if (!checked) makers.push_back(theory_addition(flags->seed, part.trials));
        checked = true;
        shares.back().remark = kTheoryTime;
      }
      if (!part.study.logs.empty()) {
        makers.push_back(calibration_addition(part.study, *flags));
        shares.back().remark = kStudyTime;
      }
      add_cells(experiment.cells, part.cells);
      left_out.insert(left_out.end(), part.left_out.begin(), part.left_out.end());
      for (const std::string& problem : part.left_out) {
        std::fprintf(stderr, "sau: left out: %s\n", problem.c_str());
      }
      if (!flags->only.empty() && part.cells.empty() && !part.checks && part.study.logs.empty()) {
        throw Error("the part " + name + " cannot be run: none of its data are there");
      }
    }
    const std::string standard =
        flags->seed == 1 ? "results/paper" : fmt::format("results/paper-seed{}", flags->seed);
    const std::filesystem::path folder = choose_folder(*flags, standard, experiment);
    if (flags->dry_run) return dry_run(experiment, folder, *flags, shares);
    if (!experiment.shard.whole()) {
      // What is not a trial is done once, by the first shard. sau merge makes the tables.
      experiment.shard.tables = !experiment.cells.empty();
      if (experiment.shard.number > 1) makers.clear();
      return run_laboratory(experiment, folder, *flags, makers);
    }
    if (!experiment.cells.empty()) makers.insert(makers.begin(), table_addition(experiment.cells));
    if (!left_out.empty()) makers.push_back(left_out_addition(left_out));
    return run_laboratory(experiment, folder, *flags, makers);
  };
}

}  // namespace sau::cli
