#include "sau/report/cell_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/text_grid.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"

namespace sau {
namespace {

using Json = nlohmann::ordered_json;

// The standard error of a single trial is unknown, not 0.
Json to_json(const Summary& summary, std::uint64_t trials) {
  return {{"mean", summary.mean},
          {"sem", trials > 1 ? Json(summary.sem) : Json()},
          {"median", summary.median},
          {"p10", summary.p10},
          {"p90", summary.p90}};
}

// Rounded to four digits of `scale`, enough to compare by eye; the files have all digits.
std::string short_number(double value, double scale) {
  const double size = std::abs(scale);
  const int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  // Sums of rounded numbers may be a little below 0, which is no -0.00.
  const bool is_zero = 2.0 * std::abs(value) < std::pow(10.0, -decimals);
  return fmt::format("{:.{}f}", is_zero ? 0.0 : value, decimals);
}
std::string short_number(double value) { return short_number(value, value); }

std::string mean_and_error(const Summary& summary, std::uint64_t trials) {
  const std::string error = trials > 1 ? short_number(summary.sem, summary.mean) : "-";
  return short_number(summary.mean) + " ± " + error;
}

std::string short_time(double seconds) {
  if (seconds <= 0.0) return "-";
  if (seconds >= 1.0) return fmt::format("{} s", short_number(seconds));
  return seconds >= 1e-3 ? fmt::format("{:.1f} ms", 1e3 * seconds)
                         : fmt::format("{:.0f} us", 1e6 * seconds);
}

// Nothing for an agent that the catalogue does not know, such as one written in Python.
std::optional<AgentTraits> traits_of(const CellSummary& summary) {
  try {
    return agent_traits(summary.cell.agent_spec);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

using detail::TextRow;

TextRow row_of(const CellSummary& cell) {
  TextRow row = {cell.cell.agent, std::to_string(cell.trials),
                 std::to_string(cell.failures.size())};
  if (cell.counted() == 0) {
    row.insert(row.end(), {"-", "-", "-", "-", "-", "-"});
    return row;
  }
  row.insert(row.end(),
             {mean_and_error(cell.regret, cell.counted()), short_number(cell.regret.median),
              short_number(cell.regret.p10) + " - " + short_number(cell.regret.p90),
              fmt::format("{:.1f} %", 100.0 * cell.stuck), short_number(cell.reward.mean),
              short_time(cell.seconds)});
  return row;
}

}  // namespace

CellSummary summarise(const CellResults& results, std::uint64_t trials) {
  CellSummary summary;
  summary.cell = results.cell;
  summary.seconds = results.seconds;
  summary.seconds_sem = results.seconds_sem;
  const std::size_t count = std::min<std::size_t>(trials, results.trials.size());
  std::vector<double> regret, reward;
  double stuck = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const TrialRecord& trial = results.trials[i];
    if (trial.failed()) {
      summary.failures.push_back({i, trial.failure});
      continue;
    }
    regret.push_back(trial.regret);
    reward.push_back(trial.reward);
    stuck += trial.stuck ? 1.0 : 0.0;
  }
  summary.trials = count;
  summary.regret = summarise(regret);
  summary.reward = summarise(reward);
  summary.groups = two_groups(regret);
  summary.stuck = regret.empty() ? 0.0 : stuck / static_cast<double>(regret.size());
  return summary;
}

std::vector<CellSummary> summarise(const RunResults& results, std::span<const Cell> cells) {
  std::vector<CellSummary> summaries;
  for (const Cell& cell : cells) {
    const auto found = std::ranges::find_if(
        results.cells, [&](const CellResults& have) { return have.cell.same_as(cell); });
    if (found == results.cells.end()) continue;
    summaries.push_back(summarise(*found, cell.trials));
    summaries.back().cell = cell;
  }
  return summaries;
}

std::string summary_json(std::span<const CellSummary> summaries) {
  Json cells = Json::array();
  for (const CellSummary& summary : summaries) {
    Json failures = Json::array();
    for (const auto& [trial, reason] : summary.failures) {
      failures.push_back({{"trial", trial}, {"reason", reason}});
    }
    // null if no trial counts, so that nobody reads it as a regret of 0.
    const bool counts = summary.counted() > 0;
    cells.push_back({{"problem", summary.cell.problem},
                     {"agent", summary.cell.agent},
                     {"problem_spec", summary.cell.problem_spec},
                     {"agent_spec", summary.cell.agent_spec},
                     {"trials", summary.trials},
                     {"steps", summary.cell.steps},
                     {"failed", summary.failures.size()},
                     {"failures", std::move(failures)},
                     {"regret", counts ? to_json(summary.regret, summary.counted()) : Json()},
                     {"reward", counts ? to_json(summary.reward, summary.counted()) : Json()},
                     {"stuck", counts ? Json(summary.stuck) : Json()},
                     {"seconds", summary.seconds}});
  }
  return Json{{"cells", std::move(cells)}}.dump(2) + "\n";
}

std::string summary_table(std::span<const CellSummary> summaries) {
  std::string text;
  for (std::size_t i = 0; i < summaries.size();) {
    const Cell& first = summaries[i].cell;
    text += fmt::format("{}{}   {} steps\n", text.empty() ? "" : "\n", first.problem, first.steps);
    std::vector<TextRow> rows = {{"agent", "trials", "failed", "regret", "median", "10-90 %",
                                  "stuck", "reward", "time/trial"}};
    bool failed = false;
    for (; i < summaries.size() && summaries[i].cell.problem_spec == first.problem_spec &&
           summaries[i].cell.steps == first.steps;
         ++i) {
      rows.push_back(row_of(summaries[i]));
      failed = failed || !summaries[i].failures.empty();
    }
    if (!failed) {
      for (TextRow& row : rows) row.erase(row.begin() + 2);
    }
    text += detail::align(rows, 1, 3);
  }
  return text;
}

std::vector<std::string> remark_lines(std::span<const CellSummary> summaries) {
  std::vector<std::string> lines;
  const auto add = [&](std::string line) {
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  };
  for (const CellSummary& one : summaries) {
    const auto traits = traits_of(one);
    if (traits && !traits->explores) {
      add(one.cell.agent +
          " never explores: it keeps to what looks good first, so the order of the actions decides "
          "much of its regret");
    }
  }
  for (const CellSummary& one : summaries) {
    if (one.groups) {
      add(fmt::format(
          "{} on {}: two kinds of trials, {:.0f} % near {} and {:.0f} % near {}, so the "
          "mean describes neither",
          one.cell.agent, one.cell.problem, 100.0 * (1.0 - one.groups->share),
          short_number(one.groups->low, one.groups->high), 100.0 * one.groups->share,
          short_number(one.groups->high, one.groups->high)));
    }
  }
  for (const CellSummary& one : summaries) {
    const auto traits = traits_of(one);
    if (!traits || !traits->reads_context || one.counted() == 0) continue;
    const auto equal = std::ranges::find_if(summaries, [&](const CellSummary& other) {
      const auto others = traits_of(other);
      return others && !others->reads_context && one.cell.problem_spec == other.cell.problem_spec &&
             one.cell.steps == other.cell.steps && one.counted() == other.counted() &&
             one.regret == other.regret && one.reward == other.reward;
    });
    if (equal == summaries.end()) continue;
    add(fmt::format("{} on {} has exactly the results of {}, which does not read contexts",
                    one.cell.agent, one.cell.problem, equal->cell.agent));
  }
  return lines;
}

std::vector<std::string> failure_lines(std::span<const CellSummary> summaries) {
  std::vector<std::string> lines;
  for (const CellSummary& summary : summaries) {
    if (summary.failures.empty()) continue;
    const FailedTrial& first = summary.failures.front();
    lines.push_back(fmt::format("{} on {}: {} of {} trials failed; first: trial {}: {}",
                                summary.cell.agent, summary.cell.problem, summary.failures.size(),
                                summary.trials, first.trial, first.reason));
  }
  return lines;
}

}  // namespace sau
