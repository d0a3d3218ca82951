// sau.run, sau.paper: the library's runner, also for problems and agents written in Python.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <mutex>

#include "agent.hpp"
#include "errors.hpp"
#include "interruptible.hpp"
#include "parts.hpp"
#include "python_parts.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/run/named_spec.hpp"
#include "sau/run/own_names.hpp"
#include "sau/run/runner.hpp"
#include "sau/theory/theory.hpp"
#include "table_problem.hpp"

namespace sau::python {
namespace {

using namespace py::literals;

// The Python problem, Python agent or table of a cell, if any. Use only with the lock held.
struct Players {
  py::object problem, agent;  // None: from the catalogue
  ProblemShape known;         // for a problem written in Python
  std::shared_ptr<TableProblem> table;

  bool native() const { return problem.is_none() && agent.is_none() && !table; }
};

// The first error in the Python code of a run. It ends the run and is raised.
class FirstError {
 public:
  void keep(const std::exception_ptr& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
  }
  void raise() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
};

// Below 2^32, so that every random generator in Python takes it.
std::uint64_t python_seed(const Stream& stream) { return Rng(stream).bits() >> 32; }

class PythonRun {
 public:
  // `players` has one element for each of the experiment's cells, in the same order.
  PythonRun(std::vector<Players> players, std::atomic<bool>& stop)
      : players_(std::move(players)), stop_(stop) {}

  bool trial(std::size_t index, const Cell& cell, std::uint64_t seed, std::uint64_t trial,
             std::span<const std::uint64_t> points, const TrialControl& control,
             TrialRecord& record) {
    const Players& players = players_[index];
    if (players.native()) return run_trial(cell, seed, trial, points, control, record);
    try {
      return play(players, cell, seed, trial, points, control, record);
    } catch (const StopRequested&) {
    } catch (...) {
      errors_.keep(std::current_exception());
      stop_ = true;
    }
    return false;
  }

  void raise() const { errors_.raise(); }

 private:
  static bool play(const Players& players, const Cell& cell, std::uint64_t seed,
                   std::uint64_t trial, std::span<const std::uint64_t> points,
                   const TrialControl& control, TrialRecord& record) {
    const Stream problem_name = problem_stream(cell.problem_spec, seed, trial, cell.data);
    const Stream agent_name =
        agent_stream(cell.problem_spec, cell.agent_spec, seed, trial, cell.data);
    // Acquired once for the whole trial, and released below while C++ works. Otherwise the
    // interpreter would set up and drop its record of this thread at every call.
    const py::gil_scoped_acquire locked;
    if (players.problem.is_none() && !players.table && offers_by_id(cell.problem_spec)) {
      const auto agent = copy_for_ids(players.agent(), agent_name);
      const py::gil_scoped_release unlocked;
      const auto problem = make_offer_problem(cell.problem_spec, problem_name.with(Role::kSetup));
      return play_trial(*agent, *problem, {Rng(problem_name), Rng(agent_name)}, cell.steps, points,
                        control, record, lateness_of(cell.problem_spec));
    }
    std::unique_ptr<Problem> problem;
    if (!players.problem.is_none()) {
      problem = std::make_unique<PythonProblem>(players.problem(), players.known,
                                                python_seed(problem_name), control.stop);
    } else {
      const py::gil_scoped_release unlocked;
      const Stream setup = problem_name.with(Role::kSetup);
      problem = players.table ? players.table->play(setup) : make_problem(cell.problem_spec, setup);
    }
    const std::unique_ptr<AnyAgent> agent =
        make(players.agent, cell, problem->shape(), agent_name, control.stop);
    const py::gil_scoped_release unlocked;
    return play_trial(*agent, *problem, {Rng(problem_name), Rng(agent_name)}, cell.steps, points,
                      control, record, lateness_of(cell.problem_spec));
  }

  static std::unique_ptr<OfferAgent> copy_for_ids(const py::object& made, const Stream& stream) {
    const OfferAgent& original = *made.cast<const AgentHandle&>().offers().agent;
    StateWriter writer;
    original.save(writer);
    std::unique_ptr<OfferAgent> copy = make_offer_agent(original.spec(), stream);
    StateReader reader(writer.bytes());
    copy->load(reader);
    return copy;
  }

  static std::unique_ptr<AnyAgent> make(const py::object& factory, const Cell& cell, Shape shape,
                                        const Stream& stream, const std::atomic<bool>* stop) {
    if (factory.is_none()) {
      return make_agent(cell.agent_spec, {.shape = shape, .stream = stream.with(Role::kModel)});
    }
    const py::object made = factory("n_actions"_a = shape.actions, "context_dim"_a = shape.dim,
                                    "seed"_a = python_seed(stream.with(Role::kModel)));
    // A sau.Agent is copied, since the factory may return the same one for every trial.
    if (py::isinstance<AgentHandle>(made)) return begun(made.ptr(), shape.dim).agent->clone();
    return std::make_unique<PythonAgent>(made, cell.agent_spec, shape, stop);
  }

  std::vector<Players> players_;
  std::atomic<bool>& stop_;
  FirstError errors_;
};

Cell cell_of(const py::dict& dict) {
  const auto is_set = [&dict](const char* key) {
    return dict.contains(key) && dict[key].cast<bool>();
  };
  return {.problem = dict["problem"].cast<std::string>(),
          .agent = dict["agent"].cast<std::string>(),
          .problem_spec = dict["problem_spec"].cast<std::string>(),
          .agent_spec = dict["agent_spec"].cast<std::string>(),
          .steps = dict["steps"].cast<std::uint64_t>(),
          .trials = dict["trials"].cast<std::uint64_t>(),
          .data = dict["data"].cast<std::string>(),
          .own_problem_name = is_set("own_problem_name"),
          .own_agent_name = is_set("own_agent_name")};
}

std::vector<Cell> cells_of(const py::list& dicts) {
  std::vector<Cell> cells;
  for (const auto& dict : dicts) cells.push_back(cell_of(dict.cast<py::dict>()));
  return cells;
}

// (name, spec) of everything that the text stands for; the name is empty if none was given.
std::vector<std::pair<std::string, std::string>> expand(const std::string& name,
                                                        const std::string& text) {
  if (!name.empty()) check_own_name(name);
  std::vector<std::pair<std::string, std::string>> all;
  for (NamedSpec& one : name.empty() ? expand_named(text) : expand_named({name, text})) {
    all.emplace_back(std::move(one.name), std::move(one.spec));
  }
  return all;
}

py::dict to_dict(const Cell& cell) {
  return py::dict("problem"_a = cell.problem, "agent"_a = cell.agent,
                  "problem_spec"_a = cell.problem_spec, "agent_spec"_a = cell.agent_spec,
                  "steps"_a = cell.steps, "trials"_a = cell.trials, "data"_a = cell.data);
}

Players players_of(const py::dict& dict) {
  Players players{.problem = py::none(), .agent = py::none(), .known = {}, .table = nullptr};
  if (dict.contains("agent_factory")) players.agent = dict["agent_factory"];
  if (dict.contains("table")) {
    players.table = std::make_shared<TableProblem>(dict["table"].cast<TableProblem>());
  }
  if (dict.contains("problem_factory")) {
    players.problem = dict["problem_factory"];
    const auto rewards = dict["reward_range"].cast<std::pair<double, double>>();
    players.known = {.shape = {.actions = dict["n_actions"].cast<Action>(),
                               .dim = dict["context_dim"].cast<std::size_t>()},
                     .rewards = {rewards.first, rewards.second},
                     .default_steps = dict["steps"].cast<std::uint64_t>()};
  }
  return players;
}

// How many trials of each cell the folder already has.
std::vector<std::uint64_t> trials_in(const std::filesystem::path& folder, const py::list& cells,
                                     std::uint64_t seed) {
  const Experiment experiment{.seed = seed, .cells = cells_of(cells)};
  const RunResults found = preview_results(folder, experiment);
  std::vector<std::uint64_t> counts;
  for (const Cell& cell : experiment.cells) {
    std::uint64_t count = 0;
    for (const CellResults& have : found.cells) {
      if (have.cell.same_as(cell)) count = have.trials.size();
    }
    counts.push_back(count);
  }
  return counts;
}

// Runs the trials that the folder does not have. `progress` is None or called with a dictionary.
void run_cells(const std::filesystem::path& folder, const py::list& cells, std::uint64_t seed,
               unsigned threads, const py::object& progress) {
  const Experiment experiment{.seed = seed, .cells = cells_of(cells)};
  std::vector<Players> players;
  for (const auto& cell : cells) players.push_back(players_of(cell.cast<py::dict>()));
  std::atomic<bool> stop = false;
  PythonRun python(std::move(players), stop);
  ResultFolder results(folder, experiment);
  std::mutex mutex;
  Progress latest;
  RunOptions options{.threads = threads, .stop = &stop};
  options.progress = [&](const Progress& now) {
    const std::lock_guard lock(mutex);
    latest = now;
  };
  options.trial = [&](std::size_t index, const Cell& cell, std::uint64_t of_seed,
                      std::uint64_t trial, std::span<const std::uint64_t> points,
                      const TrialControl& control, TrialRecord& record) {
    return python.trial(index, cell, of_seed, trial, points, control, record);
  };
  RunOutcome outcome;
  const auto look = [&] {
    if (progress.is_none()) return;
    Progress now;
    {
      const std::lock_guard lock(mutex);
      now = latest;
    }
    progress(py::dict("trials_done"_a = now.trials_done, "trials_total"_a = now.trials_total,
                      "steps_done"_a = now.steps_done, "seconds"_a = now.seconds,
                      "share"_a = now.share));
  };
  run_interruptibly(
      stop, [&] { outcome = run(experiment, results, options); }, look);
  python.raise();
  if (outcome.failures.empty()) return;
  std::string all = "some cells cannot be run";
  for (const std::string& failure : outcome.failures) all += "\n  " + failure;
  throw Error(all);
}

py::dict part_of_paper(const std::string& name, std::uint64_t trials) {
  PaperPart part;
  {
    const py::gil_scoped_release unlocked;
    part = paper_part(name, trials);
  }
  py::list cells;
  for (const Cell& cell : part.cells) cells.append(to_dict(cell));
  return py::dict("name"_a = part.name, "title"_a = part.title, "trials"_a = part.trials,
                  "checks"_a = part.checks, "cells"_a = cells, "left_out"_a = part.left_out);
}

py::list run_theory(std::uint64_t seed, std::uint64_t trials) {
  std::atomic<bool> stop = false;
  std::vector<TheoryCheck> checks;
  run_interruptibly(
      stop, [&] { checks = check_theory({.seed = seed, .trials = trials, .stop = &stop}); }, [] {});
  py::list list;
  for (const TheoryCheck& check : checks) {
    list.append(py::dict(
        "id"_a = check.id, "where"_a = check.where, "statement"_a = check.statement,
        "statistic"_a = check.statistic, "value"_a = check.value,
        "relation"_a = std::string(relation_name(check.relation)), "expected"_a = check.expected,
        "tolerance"_a = check.tolerance, "reason"_a = check.reason,
        "verdict"_a = std::string(verdict_name(check.verdict)), "note"_a = check.note));
  }
  return list;
}

}  // namespace

void define_run(py::module_& module) {
  module
      .def(
          "make_cell",
          [](const std::string& problem, const std::string& agent, std::uint64_t steps,
             std::uint64_t trials) { return to_dict(make_cell(problem, agent, steps, trials)); },
          "problem"_a, "agent"_a, "steps"_a, "trials"_a)
      .def("check_own_name", &check_own_name, "name"_a)
      .def("expand_named", &expand, "name"_a, "text"_a)
      .def(
          "refuse_duplicate_names",
          [](const py::list& cells) { refuse_duplicate_names(cells_of(cells)); }, "cells"_a)
      .def("run_cells", &run_cells, "folder"_a, "cells"_a, "seed"_a, "threads"_a, "progress"_a)
      .def("trials_in", &trials_in, "folder"_a, "cells"_a, "seed"_a)
      .def("paper_parts", &paper_parts)
      .def("usual_paper_parts", &usual_paper_parts)
      .def("paper_part", &part_of_paper, "name"_a, "trials"_a)
      .def("check_theory", &run_theory, "seed"_a, "trials"_a);
}

}  // namespace sau::python
