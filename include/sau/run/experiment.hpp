#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/types.hpp"
#include "sau/run/named_spec.hpp"
#include "sau/run/shard.hpp"

namespace sau {

// One agent on one problem, `trials` times.
struct Cell {
  std::string problem, agent;  // names for people: their own, or the paper's if it has one
  std::string problem_spec, agent_spec;  // canonical
  std::uint64_t steps = 0;
  std::uint64_t trials = 0;
  std::string data{};  // fingerprint of the problem's data; empty: no data, or unknown
  bool own_problem_name = false, own_agent_name = false;  // the user gave these names
  std::uint64_t trial_bytes = 0;                          // memory of a new agent; 0: unknown

  // Whether both ask for the same numbers; their trial counts may differ.
  bool same_as(const Cell& other) const noexcept {
    return problem_spec == other.problem_spec && agent_spec == other.agent_spec &&
           steps == other.steps;
  }
  // Whether both are known to use different data.
  bool other_data(const Cell& other) const noexcept {
    return !data.empty() && !other.data.empty() && data != other.data;
  }
};

struct Experiment {
  std::uint64_t seed = 1;
  std::vector<Cell> cells;
  Shard shard = {};  // play only its trials
};

// A cell from specs or aliases. steps = 0 means the problem's own horizon. Builds the problem and
// the agent once, so that a misfit is reported here and not in the middle of a run. Text may have a
// name: mine=sau_ucb.
Cell make_cell(const NamedSpec& problem, const NamedSpec& agent, std::uint64_t steps,
               std::uint64_t trials);
Cell make_cell(std::string_view problem, std::string_view agent, std::uint64_t steps,
               std::uint64_t trials);

// Appends the cells that `cells` does not have yet.
void add_cells(std::vector<Cell>& cells, std::vector<Cell> more);

// Every problem with every agent, problem by problem; duplicates are kept once. Settings may have
// alternatives: sau_ucb(alpha=0.1|1) is two agents. Throws UsageError if two different ones have
// the same name.
std::vector<Cell> make_cells(std::span<const NamedSpec> problems, std::span<const NamedSpec> agents,
                             std::uint64_t steps, std::uint64_t trials);
std::vector<Cell> make_cells(std::span<const std::string> problems,
                             std::span<const std::string> agents, std::uint64_t steps,
                             std::uint64_t trials);

// Logs whose truth is known, and policies to evaluate from them (sau/calibration/calibration.hpp).
struct EvaluationStudy {
  // The agent of the cell makes the logs while it learns.
  struct Log {
    Cell cell;
    RewardRange rewards{};
  };
  // An agent that plays and learns before the log begins, and then stays as it is.
  struct Policy {
    std::string name, spec;
    bool reversed = false;  // it learns the negative of every reward, so it comes to play badly
  };
  std::vector<Log> logs;
  std::vector<Policy> policies;
  std::uint64_t training = 0;  // steps before the log begins
  std::string reward_model = "hashed_linear";
};

// A part of the paper: the cells behind a figure or a table, read from experiments/<name>.json,
// which is built into the program. The part `theory` has checks (sau/theory/theory.hpp) instead of
// cells, and the part `evaluation` has a study.
struct PaperPart {
  std::string name, title;
  std::uint64_t trials = 0;
  bool checks = false;
  std::vector<Cell> cells;
  EvaluationStudy study = {};
  std::vector<std::string> left_out;  // problems whose data are missing, and how to get them
  std::uint64_t seed = 1;
  std::string notes = {};
};
// All parts, and those that belong to the paper itself. The others, such as `committee`, only run
// when they are named.
std::vector<std::string> paper_parts();
std::vector<std::string> usual_paper_parts();
// Both throw UsageError for an unknown name. paper_title() does not make the cells; trials = 0
// means as many as the paper has.
std::string paper_title(std::string_view name);
PaperPart paper_part(std::string_view name, std::uint64_t trials);

// An experiment of the user in the same format (docs/formats/experiment.md). trials = 0 means as
// many as the file says. Throws Error, naming the file, if it is not such a file.
PaperPart read_experiment_file(const std::filesystem::path& path, std::uint64_t trials = 0);

// What such a file says, for writing one. Problems and agents are as in make_cells().
struct ExperimentText {
  std::string title = {}, notes = {};
  std::uint64_t trials = 0, steps = 0, seed = 1;
  std::vector<NamedSpec> problems = {}, agents = {};
};
std::string write_experiment_text(const ExperimentText& experiment);

}  // namespace sau
