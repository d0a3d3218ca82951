// Results as arrays, and the library's summaries and tables of them.
#include "sau/run/results.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <limits>
#include <optional>

#include "arrays.hpp"
#include "errors.hpp"
#include "parts.hpp"
#include "report/styles.hpp"
#include "sau/core/text.hpp"
#include "sau/draw/report_files.hpp"
#include "sau/report/cell_summary.hpp"
#include "sau/report/table.hpp"

namespace sau::python {
namespace {

using namespace py::literals;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

py::dict to_dict(const CellResults& results) {
  const auto trials = static_cast<py::ssize_t>(results.trials.size());
  const auto points = static_cast<py::ssize_t>(results.points.size());
  py::array_t<double> regret(trials), reward(trials), curves({trials, points});
  py::array_t<bool> stuck(trials);
  py::dict failures;
  for (py::ssize_t i = 0; i < trials; ++i) {
    const TrialRecord& trial = results.trials[static_cast<std::size_t>(i)];
    regret.mutable_at(i) = trial.failed() ? kNan : trial.regret;
    reward.mutable_at(i) = trial.failed() ? kNan : trial.reward;
    stuck.mutable_at(i) = trial.stuck;
    for (py::ssize_t p = 0; p < points; ++p) {
      curves.mutable_at(i, p) = trial.failed() ? kNan : trial.curve[static_cast<std::size_t>(p)];
    }
    if (trial.failed()) failures[py::int_(i)] = trial.failure;
  }
  const Cell& cell = results.cell;
  return py::dict(
      "problem"_a = cell.problem, "agent"_a = cell.agent, "problem_spec"_a = cell.problem_spec,
      "agent_spec"_a = cell.agent_spec, "steps"_a = cell.steps, "asked"_a = cell.trials,
      "regret"_a = regret, "reward"_a = reward, "stuck"_a = stuck,
      "curve_steps"_a =
          py::array_t<std::uint64_t>(points, results.points.data()).attr("astype")("int64"),
      "curves"_a = curves, "failures"_a = failures, "seconds"_a = results.seconds,
      "seconds_sem"_a = results.seconds_sem);
}

// (seed, [cells])
py::tuple read_folder(const std::filesystem::path& folder) {
  RunResults results;
  {
    const py::gil_scoped_release unlocked;
    results = read_results(folder, Curves::kRead);
  }
  py::list cells;
  for (const CellResults& cell : results.cells) cells.append(to_dict(cell));
  return py::make_tuple(results.seed, cells);
}

// A cell with everything but its curves, from the Python object.
CellResults from_python(py::handle cell) {
  CellResults results;
  results.cell = {.problem = cell.attr("problem").cast<std::string>(),
                  .agent = cell.attr("agent").cast<std::string>(),
                  .problem_spec = cell.attr("problem_spec").cast<std::string>(),
                  .agent_spec = cell.attr("agent_spec").cast<std::string>(),
                  .steps = cell.attr("steps").cast<std::uint64_t>(),
                  .trials = cell.attr("n_trials").cast<std::uint64_t>()};
  const Doubles regret = doubles_of(cell.attr("regret"), "regret");
  const Doubles reward = doubles_of(cell.attr("reward"), "reward");
  const Doubles stuck = doubles_of(cell.attr("stuck"), "stuck");
  const auto failures = cell.attr("failures").cast<py::dict>();
  for (py::ssize_t i = 0; i < regret.size(); ++i) {
    TrialRecord& trial = results.trials.emplace_back();
    trial.regret = regret.at(i);
    trial.reward = reward.at(i);
    trial.stuck = stuck.at(i) != 0.0;
    if (failures.contains(py::int_(i))) {
      trial.failure = failures[py::int_(i)].cast<std::string>();
    }
  }
  results.seconds = cell.attr("seconds").cast<double>();
  results.seconds_sem = cell.attr("seconds_sem").cast<double>();
  return results;
}

// The same with its curves.
CellResults with_curves(py::handle cell) {
  CellResults results = from_python(cell);
  results.cell.trials = cell.attr("asked").cast<std::uint64_t>();
  const Matrix curves(cell.attr("curves"), "curves");
  for (std::size_t i = 0; i < results.trials.size(); ++i) {
    if (results.trials[i].failed()) continue;
    const Context row = curves.row(i);
    results.trials[i].curve.assign(row.begin(), row.end());
  }
  return results;
}

// Writes a new result folder.
void save_results(const std::filesystem::path& folder, std::uint64_t seed, const py::list& cells) {
  if (std::filesystem::exists(folder)) {
    throw UsageError("save: " + folder.string() + " exists already; choose another folder");
  }
  std::vector<CellResults> results;
  Experiment experiment{.seed = seed, .cells = {}};
  for (const auto& cell : cells) {
    results.push_back(with_curves(cell));
    experiment.cells.push_back(results.back().cell);
  }
  ResultFolder to(folder, experiment);
  for (std::size_t c = 0; c < results.size(); ++c) {
    for (const TrialRecord& trial : results[c].trials) to.append(c, trial, results[c].seconds);
  }
}

// Makes a report of the folder. The folder is temporary, so the report does not name it. Returns
// the path written and the report's notes.
py::tuple report_of(const std::filesystem::path& folder, const std::filesystem::path& output,
                    const std::string& format, const std::string& title, bool paper,
                    std::optional<double> width, double font) {
  const ReportFormat& as = report_format(format, output);
  if (width && !as.pictures) {
    throw UsageError("width is for svg, png and pdf; the format is " + std::string(as.name));
  }
  const DrawOptions drawing = width ? column_figure(*width, font) : DrawOptions{};
  const py::gil_scoped_release unlocked;
  const std::vector<std::filesystem::path> folders = {folder};
  ReportOptions options;
  options.title = title;
  options.paper = paper;
  Report report = make_report(folders, options);
  for (ReportRun& run : report.runs) run.folder = "a run in Python";
  const WrittenReport written = write_report(report, as, output, drawing);
  const py::gil_scoped_acquire locked;
  return py::make_tuple(written.path, report.notes);
}

std::vector<CellSummary> summaries_of(const py::list& cells) {
  RunResults results;
  std::vector<Cell> asked;
  for (const auto& cell : cells) {
    results.cells.push_back(from_python(cell));
    asked.push_back(results.cells.back().cell);
  }
  return summarise(results, asked);
}

py::object numbers(const Summary& summary, bool counts) {
  if (!counts) return py::none();
  return py::dict("mean"_a = summary.mean, "sem"_a = summary.sem, "median"_a = summary.median,
                  "p10"_a = summary.p10, "p90"_a = summary.p90);
}

py::list summarise_cells(const py::list& cells) {
  py::list list;
  for (const CellSummary& summary : summaries_of(cells)) {
    const bool counts = summary.counted() > 0;
    list.append(py::dict("regret"_a = numbers(summary.regret, counts),
                         "reward"_a = numbers(summary.reward, counts), "stuck"_a = summary.stuck,
                         "failed"_a = summary.failures.size()));
  }
  return list;
}

std::string write_tables(const py::list& cells, const std::string& kind, const std::string& format,
                         bool paper) {
  std::vector<std::string> known;
  const auto kind_names = {std::pair{"regret", TableKind::kRegret},
                           std::pair{"normalised", TableKind::kNormalised},
                           std::pair{"time", TableKind::kTime}};
  TableOptions options{.kinds = {}, .paper = paper};
  for (const auto& [name, value] : kind_names) {
    known.emplace_back(name);
    if (kind == name) options.kinds = {value};
  }
  if (options.kinds.empty()) throw UsageError(unknown_name("table", kind, known));
  known.clear();
  for (const TableFormat& one : table_formats()) {
    known.emplace_back(one.name);
    if (one.name == format) return one.write(make_tables(summaries_of(cells), options));
  }
  throw UsageError(unknown_name("format", format, known));
}

py::list describe_styles(const std::vector<std::string>& agents) {
  py::list list;
  for (const AlgorithmStyle& style : detail::styles_of(agents)) {
    list.append(py::dict("name"_a = style.name, "colour"_a = style.colour,
                         "dark_colour"_a = style.dark_colour, "dash"_a = style.dash,
                         "shape"_a = style.shape));
  }
  return list;
}

}  // namespace

void define_results(py::module_& module) {
  module.def("styles", &describe_styles, "agents"_a)
      .def("read_results", &read_folder, "folder"_a)
      .def("summarise", &summarise_cells, "cells"_a)
      .def(
          "summary_table", [](const py::list& cells) { return summary_table(summaries_of(cells)); },
          "cells"_a)
      .def("save_results", &save_results, "folder"_a, "seed"_a, "cells"_a)
      .def("report", &report_of, "folder"_a, "output"_a, "format"_a, "title"_a, "paper"_a,
           "width"_a, "font_size"_a)
      .def("tables", &write_tables, "cells"_a, "kind"_a, "format"_a, "paper"_a);
}

}  // namespace sau::python
