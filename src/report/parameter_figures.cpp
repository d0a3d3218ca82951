#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "report/paper_order.hpp"
#include "report/report_parts.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/text.hpp"

namespace sau::detail {
namespace {

constexpr std::size_t kFewest = 3;  // two values make a comparison, not a figure
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using Settings = std::map<std::string, std::string>;

// All settings of a problem, including defaults; empty for a spec that cannot be parsed.
Settings settings_of(const std::string& spec, std::uint64_t steps) {
  Settings settings;
  Spec parsed;
  try {
    parsed = parse_spec(spec);
  } catch (const UsageError&) {
    return settings;
  }
  for (const ComponentInfo& known : list_problems()) {
    if (known.name != parsed.name) continue;
    for (const FieldInfo& field : known.settings) settings[field.name] = field.default_value;
  }
  for (const auto& [key, value] : parsed.params) settings[key] = value;
  settings[" steps"] = std::to_string(steps);  // no setting has a space in its name
  return settings;
}

std::optional<double> number_of(const std::string& text) {
  double value = 0.0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Point {
  double value = 0.0;
  const ProblemCells* problem = nullptr;
};

const GatheredCell* cell_of(const ProblemCells& problem, const std::string& algorithm) {
  const auto found = std::ranges::find(problem.algorithms, algorithm);
  if (found == problem.algorithms.end()) return nullptr;
  return problem.cells[static_cast<std::size_t>(found - problem.algorithms.begin())];
}

std::optional<PaperValue> paper_of(TableKind kind, const Cell& cell, const std::string& algorithm) {
  if (says_synthetic(cell.problem_spec)) return std::nullopt;
  const auto beside = printed(kind, cell.problem, cell.steps, algorithm);
  return beside ? std::optional(beside->value) : std::nullopt;
}

ParameterFigure figure_of(const SectionCells& section, const std::string& parameter,
                          std::span<const Point> points, TableKind kind, bool with_paper) {
  const bool normalised = kind == TableKind::kNormalised;
  ParameterFigure figure{
      .id = section.id + "-by-" + slug(parameter) + (normalised ? "-normalised" : ""),
      .title =
          section.title + ": final regret by " + parameter + (normalised ? ", Uniform = 100" : ""),
      .parameter = parameter,
      .axis = normalised ? "regret, percent of Uniform's" : "regret",
      .values = {},
      .lines = {}};
  std::vector<std::string> algorithms;
  for (const Point& point : points) {
    figure.values.push_back(point.value);
    for (const std::string& name : point.problem->algorithms) {
      if (std::ranges::find(algorithms, name) == algorithms.end()) algorithms.push_back(name);
    }
  }
  std::ranges::stable_sort(algorithms, {},
                           [](const std::string& name) { return algorithm_rank(name); });
  for (const std::string& name : algorithms) {
    ParameterFigure::Line line{.algorithm = name, .regret = {}, .paper = {}};
    bool any_paper = false;
    for (const Point& point : points) {
      const GatheredCell* cell = cell_of(*point.problem, name);
      const GatheredCell* base = cell_of(*point.problem, kUniform);
      Estimate estimate{kNone, kNone, kNone};
      if (cell != nullptr) {
        const Summary& regret = cell->summary.regret;
        const double scale = normalised ? 100.0 / base->summary.regret.mean : 1.0;
        estimate = mean_estimate(scale * regret.mean, scale * regret.sem, cell->summary.counted());
      }
      line.regret.push_back(estimate);
      const auto paper = with_paper ? paper_of(kind, point.problem->first(), name) : std::nullopt;
      any_paper = any_paper || paper;
      line.paper.push_back(paper.value_or(PaperValue{kNone, kNone}));
    }
    if (!any_paper) line.paper.clear();
    figure.lines.push_back(std::move(line));
  }
  return figure;
}

bool can_normalise(std::span<const Point> points) {
  return std::ranges::all_of(points, [](const Point& point) {
    const GatheredCell* base = cell_of(*point.problem, kUniform);
    return base != nullptr && base->summary.regret.mean > 0.0;
  });
}

}  // namespace

std::vector<ParameterFigure> parameter_figures(const SectionCells& section, bool paper) {
  // Keyed by the name of a parameter and all other settings.
  std::map<std::pair<std::string, Settings>, std::vector<Point>> groups;
  for (const ProblemCells& problem : section.problems) {
    const Settings settings = settings_of(problem.first().problem_spec, problem.first().steps);
    for (const auto& [key, text] : settings) {
      const auto value = number_of(text);
      if (!value || key == " steps") continue;
      Settings others = settings;
      others.erase(key);
      groups[{key, others}].push_back({*value, &problem});
    }
  }
  std::vector<ParameterFigure> figures;
  for (auto& [key, points] : groups) {
    if (points.size() < kFewest) continue;
    std::ranges::sort(points, {}, &Point::value);
    figures.push_back(figure_of(section, key.first, points, TableKind::kRegret, paper));
    if (can_normalise(points)) {
      figures.push_back(figure_of(section, key.first, points, TableKind::kNormalised, paper));
    }
  }
  return figures;
}

}  // namespace sau::detail
