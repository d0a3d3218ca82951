#include "sau/run/experiment.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>

#include "run/embedded_experiments.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau {

Cell make_cell(std::string_view problem, std::string_view agent, std::uint64_t steps,
               std::uint64_t trials) {
  const auto made = make_problem(problem, {});
  const std::size_t dim = made->shape().dim;
  Cell cell{.problem = problem_name(problem),
            .agent = agent_name(agent, dim),
            .problem_spec = canonical_problem(problem),
            .agent_spec = canonical_agent(agent, dim),
            .steps = steps,
            .trials = trials};
  std::unique_ptr<AnyAgent> player;
  try {
    player = make_agent(cell.agent_spec, {.shape = made->shape(), .stream = {}});
  } catch (const std::bad_alloc&) {
    throw Error("there is not enough memory for the agent " + cell.agent_spec + " on " +
                cell.problem_spec);
  }
  if (!player->rewards().contains(made->rewards())) {
    throw UsageError("the agent " + cell.agent_spec + " cannot learn from the rewards of " +
                     cell.problem_spec + ": expected rewards from " +
                     format_number(player->rewards().min) + " to " +
                     format_number(player->rewards().max));
  }
  if (cell.steps == 0) cell.steps = made->default_steps();
  return cell;
}

void add_cells(std::vector<Cell>& cells, std::vector<Cell> more) {
  for (Cell& cell : more) {
    const bool known = std::ranges::any_of(cells, [&](const Cell& c) { return c.same_as(cell); });
    if (!known) cells.push_back(std::move(cell));
  }
}

std::vector<Cell> make_cells(std::span<const std::string> problems,
                             std::span<const std::string> agents, std::uint64_t steps,
                             std::uint64_t trials) {
  std::vector<Cell> cells;
  for (const std::string& problem : problems) {
    for (const std::string& agent : agents) {
      add_cells(cells, {make_cell(problem, agent, steps, trials)});
    }
  }
  return cells;
}

namespace {

// Every problem with every agent of a file in experiments/. An agent is a spec or an alias, or
// {"name": what is displayed, "spec": what it is} where the settings are those of this problem
// only.
std::vector<Cell> read_cells(const nlohmann::json& json, std::uint64_t trials) {
  std::vector<Cell> cells;
  if (json.contains("checks")) return cells;
  const auto steps = json.at("steps").get<std::uint64_t>();
  for (const auto& problem : json.at("problems")) {
    for (const auto& agent : json.at("agents")) {
      const auto spec = (agent.is_object() ? agent.at("spec") : agent).get<std::string>();
      cells.push_back(make_cell(problem.get<std::string>(), spec, steps, trials));
      if (agent.is_object()) cells.back().agent = agent.at("name").get<std::string>();
    }
  }
  return cells;
}

}  // namespace

std::vector<std::string> paper_parts() {
  std::vector<std::string> names;
  for (const auto& file : detail::embedded_experiments()) {
    names.emplace_back(file.name);
  }
  return names;
}

PaperPart paper_part(std::string_view name, std::uint64_t trials) {
  for (const auto& file : detail::embedded_experiments()) {
    if (file.name != name) continue;
    const auto json = nlohmann::json::parse(file.text);
    if (trials == 0) trials = json.at("trials").get<std::uint64_t>();
    return {.name = std::string(name),
            .title = json.at("title").get<std::string>(),
            .trials = trials,
            .checks = json.contains("checks"),
            .cells = read_cells(json, trials)};
  }
  throw UsageError(unknown_name("part of the paper", name, paper_parts()));
}

}  // namespace sau
