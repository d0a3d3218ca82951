#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "dry_run.hpp"
#include "flags.hpp"
#include "laboratory.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/core/text.hpp"
#include "sau/data/source.hpp"
#include "sau/run/choice_log.hpp"
#include "sau/run/tune.hpp"
#include "stop.hpp"
#include "tune.hpp"

namespace sau::cli {
namespace {

struct RunFlags : LaboratoryFlags {
  std::vector<std::string> problem, agent;
  std::uint64_t trials = 100;
  std::uint64_t steps = 0;
  Lateness late;
  bool tune = false;
  std::string save;
  std::string log;
  void fields(auto&& field) {
    field("problem", problem,
          "a problem, such as 'bernoulli(actions=50,gap=0.1)' or 'mine=wheel'; repeatable");
    field(
        "agent", agent,
        "an agent, such as 'sau_ucb(alpha=0.5)' or 'mine=ucb1'; repeatable; default: sau, uniform");
    field("trials", trials, "independent trials of every cell", Bounds{.min = 1.0});
    field("steps", steps, "steps per trial; 0 means the problem's own horizon");
    late.fields(field);
    field(
        "tune", tune,
        "choose among alternatives, alpha=0.1|1|10, by trials of another seed; then run that one");
    field("save", save, "experiment file to write, for sau run FILE");
    field("log", log,
          "folder for every decision with its chances, one file per trial, for sau evaluate");
    LaboratoryFlags::fields(field);
  }
};

// What is asked for, by flags or by a file.
struct Request {
  ExperimentText text;                 // of the flags
  std::optional<PaperPart> part = {};  // of the file

  std::vector<Cell> cells() const {
    if (part) return part->cells;
    return make_cells(text.problems, text.agents, text.steps, text.trials);
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

// The problem, with --delay and --missing applied.
NamedSpec problem_of(const std::string& given, const Lateness& late) {
  NamedSpec problem = read_named_spec(given);
  if (late == Lateness{}) return problem;
  if (lateness_of(problem.spec) != Lateness{}) {
    throw UsageError("run: the problem '" + given +
                     "' already sets when rewards arrive; leave out --delay and --missing");
  }
  if (!problem.name.empty()) problem.name += write_spec("+late", late);
  problem.spec = with_lateness(problem.spec, late);
  return problem;
}

Request request_of_flags(RunFlags flags) {
  if (flags.problem.empty()) {
    throw UsageError(
        "run: --problem is missing; for example: sau run --problem wheel, or sau run --problem "
        "bernoulli --agent sau_ucb --agent ucb1, or sau run study.json");
  }
  if (flags.agent.empty()) flags.agent = {std::string(kDefaultAgent), "uniform"};
  Request request{.text = {.trials = flags.trials, .steps = flags.steps, .seed = flags.seed}};
  for (const std::string& problem : flags.problem) {
    request.text.problems.push_back(problem_of(problem, flags.late));
  }
  for (const std::string& agent : flags.agent) {
    request.text.agents.push_back(read_named_spec(agent));
  }
  return request;
}

// Trials and seed are those of the file, unless their flags are given.
Request request_of_file(const std::string& file, const RunFlags& flags, const CLI::App& app) {
  if (!std::filesystem::exists(file)) {
    throw UsageError("run: there is no experiment file '" + file +
                     "'; problems are given by --problem and agents by --agent");
  }
  if (!flags.problem.empty() || !flags.agent.empty() || flags.steps != 0 ||
      flags.late != Lateness{} || !flags.save.empty() || flags.tune) {
    throw UsageError("run: " + file +
                     " says what to run; besides it you can give only --trials, --seed, --log and "
                     "the flags that say how to run it");
  }
  Request request;
  request.part = read_experiment_file(file, app.count("--trials") > 0 ? flags.trials : 0);
  request.text.seed = app.count("--seed") > 0 ? flags.seed : request.part->seed;
  for (const std::string& problem : request.part->left_out) {
    std::fprintf(stderr, "sau: left out: %s\n", problem.c_str());
  }
  if (request.part->cells.empty()) throw Error(file + ": nothing is left to run");
  return request;
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

// For --dry-run. Throws UsageError if nothing can be tuned.
std::string about_tuning(const ExperimentText& text, const std::filesystem::path& folder) {
  tuning_cells(text);
  return fmt::format(
      "The alternatives would be played in {}-tuning. The best are then played again, on the "
      "trials of seed {}; that is not counted here.",
      folder.string(), text.seed);
}

// A name of a file that is easy to recognise; the number keeps it apart from others.
std::string log_name(std::size_t number, const Cell& cell, std::uint64_t trial) {
  constexpr std::size_t kLongest = 60;
  std::string name = cell.problem + "-" + cell.agent;
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; }, '-');
  return fmt::format("{}-{}-{}.jsonl", number, name.substr(0, kLongest), trial);
}

// A file that gets its name when it is whole. Until then it ends in .part, and the destructor
// removes it.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path path)
      : path_(std::move(path)), part_(path_.string() + ".part"), out_(part_, std::ios::binary) {
    check();
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile() {
    if (finished_) return;
    out_.close();
    std::error_code ignored;
    std::filesystem::remove(part_, ignored);
  }

  void write(const std::string& text) {
    out_ << text;
    check();
  }
  void finish() {
    out_.close();
    check();
    std::filesystem::rename(part_, path_);
    finished_ = true;
  }

 private:
  void check() const {
    if (!out_) throw Error(path_.string() + ": cannot be written");
  }

  std::filesystem::path path_, part_;
  std::ofstream out_;
  bool finished_ = false;
};

// Plays every trial again, with the same choices, and writes them down.
int write_logs(const Experiment& experiment, const std::string& folder, bool quiet) {
  std::filesystem::create_directories(folder);
  const std::atomic<bool>& stop = stop_on_signals();
  for (std::size_t c = 0; c < experiment.cells.size(); ++c) {
    const Cell& cell = experiment.cells[c];
    for (std::uint64_t trial = 0; trial < cell.trials; ++trial) {
      const auto path = std::filesystem::path(folder) / log_name(c + 1, cell, trial);
      PartFile file(path);
      const auto write = [&file](const std::string& line) { file.write(line); };
      if (!log_trial(cell, experiment.seed, trial, write, &stop)) return exit_code_when_stopped();
      file.finish();
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
      "  sau run --problem linear --agent 'low=sau_ucb(alpha=0.5)' --agent TS --save study.json\n"
      "  sau run study.json --trials 500\n"
      "  sau run --problem wheel --agent 'lin_ucb(alpha=0.1|1|10)' --agent sau --tune\n"
      "  sau run --problem wheel --agent sau --trials 1000 --shard 2/8 --out shard-2\n"
      "'sau list' shows all names. Without --out the folder is results/run-<number>, the\n"
      "same for the same request; more trials or more agents may be added to a folder later.");
  const auto flags = add_flags<RunFlags>(app);
  const auto file = std::make_shared<std::string>();
  app.add_option("file", *file, "an experiment file, instead of --problem and --agent");
  return [flags, file, &app] {
    limit_memory();
    if (flags->dry_run) keep_prepared_data(false);
    if (!flags->log.empty() && flags->late != Lateness{}) {
      throw UsageError("run: a log has no late rewards; leave out --log, or --delay and --missing");
    }
    if (flags->dry_run && !flags->save.empty()) {
      throw UsageError("run: --dry-run writes nothing; leave it out, or --save");
    }
    Request request =
        file->empty() ? request_of_flags(*flags) : request_of_file(*file, *flags, app);
    Experiment experiment{.seed = request.text.seed, .cells = request.cells()};
    const std::string standard =
        file->empty() ? default_folder(experiment) : "results/" + slug(request.part->name);
    const std::filesystem::path folder = choose_folder(*flags, standard, experiment);
    if (!experiment.shard.whole() && (flags->tune || !flags->log.empty())) {
      throw UsageError("run: --tune and --log need all trials; leave out --shard");
    }
    if (!flags->save.empty()) write_file(flags->save, write_experiment_text(request.text));
    if (flags->dry_run) {
      std::vector<Share> shares = shares_of(experiment);
      if (flags->tune) shares.back().remark = about_tuning(request.text, folder);
      return dry_run(experiment, folder, *flags, shares);
    }
    std::vector<MakeAddition> makers;
    if (flags->tune) {
      Addition told;
      const int code = tune_agents(request.text, folder, *flags, experiment.cells, told);
      if (code != 0) return code;
      makers.emplace_back(
          [told](const std::filesystem::path&, const std::atomic<bool>&) { return told; });
    }
    const int code = run_laboratory(experiment, folder, *flags, makers);
    if (flags->log.empty() || code != 0) return code;
    return write_logs(experiment, flags->log, flags->quiet);
  };
}

}  // namespace sau::cli
