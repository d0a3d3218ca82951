#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sau {

// One agent on one problem, `trials` times.
struct Cell {
  std::string problem, agent;            // names for people: the paper's if it has one
  std::string problem_spec, agent_spec;  // canonical
  std::uint64_t steps = 0;
  std::uint64_t trials = 0;
  std::string data{};  // fingerprint of the problem's data; empty: no data, or unknown

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
};

// A cell from specs or aliases. steps = 0 means the problem's own horizon. Builds the problem and
// the agent once, so that a misfit is reported here and not in the middle of a run.
Cell make_cell(std::string_view problem, std::string_view agent, std::uint64_t steps,
               std::uint64_t trials);

// Appends the cells that `cells` does not have yet.
void add_cells(std::vector<Cell>& cells, std::vector<Cell> more);

// Every problem with every agent, problem by problem; duplicates are kept once.
std::vector<Cell> make_cells(std::span<const std::string> problems,
                             std::span<const std::string> agents, std::uint64_t steps,
                             std::uint64_t trials);

// A part of the paper: the cells behind a figure or a table, read from experiments/<name>.json,
// which is built into the program. The part `theory` has checks (sau/theory/theory.hpp) instead of
// cells.
struct PaperPart {
  std::string name, title;
  std::uint64_t trials = 0;
  bool checks = false;
  std::vector<Cell> cells;
  std::vector<std::string> left_out;  // problems whose data are missing, and how to get them
};
// All parts, and those that belong to the paper itself. The others, such as `committee`, only run
// when they are named.
std::vector<std::string> paper_parts();
std::vector<std::string> usual_paper_parts();
// Both throw UsageError for an unknown name. paper_title() does not make the cells; trials = 0
// means as many as the paper has.
std::string paper_title(std::string_view name);
PaperPart paper_part(std::string_view name, std::uint64_t trials);

}  // namespace sau
