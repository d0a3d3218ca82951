#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "commands.hpp"
#include "dry_run.hpp"
#include "flags.hpp"
#include "laboratory.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "sau/run/choice_log.hpp"
#include "stop.hpp"

namespace sau::cli {
namespace {

struct RunFlags : LaboratoryFlags {
  std::vector<std::string> problem, agent;
  std::uint64_t trials = 100;
  std::uint64_t steps = 0;
  Lateness late;
  std::string log;
  void fields(auto&& field) {
    field("problem", problem, "a problem, such as 'bernoulli(actions=50,gap=0.1)'; repeatable");
    field("agent", agent,
          "an agent, such as 'linear+sau_ucb(alpha=0.5)'; repeatable; default: sau and uniform");
    field("trials", trials, "independent trials of every cell", Bounds{.min = 1.0});
    field("steps", steps, "steps per trial; 0 means the problem's own horizon");
    late.fields(field);
    field("log", log,
          "folder for every decision with its chances, one file per trial, for sau evaluate");
    LaboratoryFlags::fields(field);
  }
};

// The same request gets the same folder, so that it can be continued.
std::string default_folder(const Experiment& experiment) {
  std::string request = std::to_string(experiment.seed);
  for (const Cell& cell : experiment.cells) {
    request +=
        "\n" + cell.problem_spec + "\n" + cell.agent_spec + "\n" + std::to_string(cell.steps);
  }
  return fmt::format("results/run-{:08x}", scope_of(request) >> 32);
}

// The problems, with --delay and --missing applied.
std::vector<std::string> problems_of(const RunFlags& flags) {
  if (flags.late == Lateness{}) return flags.problem;
  std::vector<std::string> problems;
  for (const std::string& problem : flags.problem) {
    if (lateness_of(problem) != Lateness{}) {
      throw UsageError("run: the problem '" + problem +
                       "' already sets when rewards arrive; leave out --delay and --missing");
    }
    problems.push_back(with_lateness(problem, flags.late));
  }
  return problems;
}

// One share per problem.
std::vector<Share> shares_of(const Experiment& experiment) {
  std::vector<Share> shares;
  for (const Cell& cell : experiment.cells) {
    if (shares.empty() || shares.back().name != cell.problem) {
      shares.push_back({.name = cell.problem, .cells = {}});
    }
    shares.back().cells.push_back(cell);
  }
  return shares;
}

// A name of a file that is easy to recognise; the number keeps it apart from others.
std::string log_name(std::size_t number, const Cell& cell, std::uint64_t trial) {
  constexpr std::size_t kLongest = 60;
  std::string name = cell.problem + "-" + cell.agent;
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; }, '-');
  return fmt::format("{}-{}-{}.jsonl", number, name.substr(0, kLongest), trial);
}

// Plays every trial again, with the same choices, and writes them down.
int write_logs(const Experiment& experiment, const std::string& folder, bool quiet) {
  std::filesystem::create_directories(folder);
  const std::atomic<bool>& stop = stop_on_signals();
  for (std::size_t c = 0; c < experiment.cells.size(); ++c) {
    const Cell& cell = experiment.cells[c];
    for (std::uint64_t trial = 0; trial < cell.trials; ++trial) {
      const auto path = std::filesystem::path(folder) / log_name(c + 1, cell, trial);
      const std::string aside = path.string() + ".part";
      std::ofstream out(aside, std::ios::binary);
      const auto write = [&out](const std::string& line) { out << line; };
      const bool whole = log_trial(cell, experiment.seed, trial, write, &stop);
      out.close();
      if (!whole) {
        std::filesystem::remove(aside);
        return exit_code_when_stopped();
      }
      if (!out) throw Error(aside + ": cannot be written");
      std::filesystem::rename(aside, path);
      if (!quiet) fmt::print(stderr, "{}\n", path.string());
    }
  }
  return 0;
}

}  // namespace

Handler describe_run(CLI::App& app) {
  app.description(
      "Runs every agent on every problem, prints mean, standard error, median, 10-90 % range and\n"
      "the share of stuck trials, and writes one row per trial to the result folder.\n"
      "All agents on a problem get the same contexts and the same noise.");
  app.footer(
      "Examples:\n"
      "  sau run --problem wheel\n"
      "  sau run --problem bernoulli --agent sau_ucb --agent ucb1\n"
      "  sau run --problem 'bernoulli(actions=50)' --agent sau_sampling --agent ts --trials 500\n"
      "  sau run --problem bernoulli --agent 'epsilon_greedy(epsilon=0.05)' --steps 10000 --json\n"
      "  sau run --problem clicks --agent sau_sampling --agent uniform --delay 10..200 --trials "
      "10\n"
      "'sau list' shows all names. Without --out the folder is results/run-<number>, the\n"
      "same for the same request; more trials or more agents may be added to a folder later.");
  const auto flags = add_flags<RunFlags>(app);
  return [flags] {
    if (flags->problem.empty()) {
      throw UsageError(
          "run: --problem is missing; for example: sau run --problem wheel, or sau run --problem "
          "bernoulli --agent sau_ucb --agent ucb1");
    }
    if (!flags->log.empty() && flags->late != Lateness{}) {
      throw UsageError("run: a log has no late rewards; leave out --log, or --delay and --missing");
    }
    if (flags->agent.empty()) flags->agent = {std::string(kDefaultAgent), "uniform"};
    const Experiment experiment{
        .seed = flags->seed,
        .cells = make_cells(problems_of(*flags), flags->agent, flags->steps, flags->trials)};
    const std::string folder = flags->out.empty() ? default_folder(experiment) : flags->out;
    if (flags->dry_run) return dry_run(experiment, folder, *flags, shares_of(experiment));
    const int code = run_laboratory(experiment, folder, *flags);
    if (flags->log.empty() || code != 0) return code;
    return write_logs(experiment, flags->log, flags->quiet);
  };
}

}  // namespace sau::cli
