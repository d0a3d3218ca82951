#include "sau/run/experiment.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "run/embedded_experiments.hpp"
#include "run/paper_file.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "sau/run/memory.hpp"
#include "sau/run/own_names.hpp"

namespace sau {
namespace {

// Result folders keep specs as JSON.
void check_utf8(std::string_view spec) {
  if (is_utf8(spec)) return;
  std::string shown(spec);
  for (char& c : shown) c = c < ' ' || c > '~' ? '?' : c;
  throw UsageError("the spec " + shown + " is not UTF-8");
}

// Fills in data and steps from the problem. Throws if the agent cannot be made or learn from it.
template <class P, class Make>
void complete(Cell& cell, const P& problem, const Make& make) {
  cell.data = problem.data();
  if (cell.steps == 0) cell.steps = problem.default_steps();
  RewardRange learns;
  try {
    const std::uint64_t before = heap_in_use();
    const auto agent = make();
    const std::uint64_t after = heap_in_use();
    cell.trial_bytes = after > before ? after - before : 0;
    learns = agent->rewards();
  } catch (const std::bad_alloc&) {
    throw Error("there is not enough memory for the agent " + cell.agent_spec + " on " +
                cell.problem_spec);
  }
  if (!learns.contains(problem.rewards())) {
    throw UsageError("the agent " + cell.agent_spec + " cannot learn from the rewards of " +
                     cell.problem_spec + ": expected rewards from " + format_number(learns.min) +
                     " to " + format_number(learns.max));
  }
}

}  // namespace

Cell make_cell(std::string_view problem, std::string_view agent, std::uint64_t steps,
               std::uint64_t trials) {
  return make_cell(read_named_spec(problem), read_named_spec(agent), steps, trials);
}

Cell make_cell(const NamedSpec& given_problem, const NamedSpec& given_agent, std::uint64_t steps,
               std::uint64_t trials) {
  const std::string &problem = given_problem.spec, &agent = given_agent.spec;
  check_utf8(problem);
  check_utf8(agent);
  Cell cell{.problem = problem_name(problem),
            .agent = {},
            .problem_spec = canonical_problem(problem),
            .agent_spec = {},
            .steps = steps,
            .trials = trials};
  const auto with_memory = [&](auto&& make) {
    try {
      return make();
    } catch (const std::bad_alloc&) {
      throw Error("there is not enough memory for the problem " + cell.problem_spec);
    }
  };
  if (offers_by_id(problem)) {
    const auto made = with_memory([&] { return make_offer_problem(problem, {}); });
    cell.agent = offer_agent_name(agent);
    cell.agent_spec = canonical_offer_agent(agent);
    complete(cell, *made, [&] { return make_offer_agent(cell.agent_spec, Stream{}); });
  } else {
    const auto made = with_memory([&] { return make_problem(problem, {}); });
    const Shape shape = made->shape();
    cell.agent = agent_name(agent, shape.dim);
    cell.agent_spec = canonical_agent(agent, shape.dim);
    complete(cell, *made,
             [&] { return make_agent(cell.agent_spec, {.shape = shape, .stream = {}}); });
  }
  cell.own_problem_name = !given_problem.name.empty();
  cell.own_agent_name = !given_agent.name.empty();
  if (cell.own_problem_name) cell.problem = given_problem.name;
  if (cell.own_agent_name) cell.agent = given_agent.name;
  return cell;
}

void add_cells(std::vector<Cell>& cells, std::vector<Cell> more) {
  for (Cell& cell : more) {
    const bool known = std::ranges::any_of(cells, [&](const Cell& c) { return c.same_as(cell); });
    if (!known) cells.push_back(std::move(cell));
  }
}

namespace {

std::vector<NamedSpec> expand_all(std::span<const NamedSpec> given) {
  std::vector<NamedSpec> all;
  for (const NamedSpec& one : given) {
    for (NamedSpec& expanded : expand_named(one)) all.push_back(std::move(expanded));
  }
  return all;
}

std::vector<NamedSpec> read_all(std::span<const std::string> texts) {
  std::vector<NamedSpec> all;
  for (const std::string& text : texts) all.push_back(read_named_spec(text));
  return all;
}

}  // namespace

std::vector<Cell> make_cells(std::span<const NamedSpec> problems, std::span<const NamedSpec> agents,
                             std::uint64_t steps, std::uint64_t trials) {
  std::vector<Cell> cells;
  const std::vector<NamedSpec> all_agents = expand_all(agents);
  for (const NamedSpec& problem : expand_all(problems)) {
    for (const NamedSpec& agent : all_agents) {
      add_cells(cells, {make_cell(problem, agent, steps, trials)});
    }
  }
  refuse_duplicate_names(cells);
  return cells;
}

std::vector<Cell> make_cells(std::span<const std::string> problems,
                             std::span<const std::string> agents, std::uint64_t steps,
                             std::uint64_t trials) {
  return make_cells(read_all(problems), read_all(agents), steps, trials);
}

std::vector<std::string> paper_parts() {
  std::vector<std::string> names;
  for (const auto& file : detail::embedded_experiments()) {
    names.emplace_back(file.name);
  }
  return names;
}

std::vector<std::string> usual_paper_parts() {
  std::vector<std::string> names;
  for (const auto& file : detail::embedded_experiments()) {
    if (!detail::only_by_name(file.name, file.text)) names.emplace_back(file.name);
  }
  return names;
}

namespace {

const detail::EmbeddedFile& paper_file(std::string_view name) {
  const auto files = detail::embedded_experiments();
  const auto found = std::ranges::find(files, name, &detail::EmbeddedFile::name);
  if (found == files.end())
    throw UsageError(unknown_name("part of the paper", name, paper_parts()));
  return *found;
}

}  // namespace

std::string paper_title(std::string_view name) {
  return detail::read_paper_title(name, paper_file(name).text);
}

PaperPart paper_part(std::string_view name, std::uint64_t trials) {
  return detail::read_paper_part(name, paper_file(name).text, trials);
}

}  // namespace sau
