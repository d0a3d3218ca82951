#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/report_parts.hpp"
#include "sau/core/version.hpp"

namespace sau::detail {
namespace {

std::string cell_name(const CellSummary& summary) {
  return summary.cell.agent + " on " + summary.cell.problem;
}

}  // namespace

std::string listed(std::span<const std::string> names, std::size_t most) {
  std::string text;
  const std::size_t shown = names.size() <= most ? names.size() : most - 1;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == names.size();
    text += (i == 0 ? "" : last ? " and " : ", ") + names[i];
  }
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

void note_runs(std::span<const std::filesystem::path> folders, const Gathered& gathered,
               std::vector<std::string>& notes) {
  std::set<std::string> versions, seeds;
  std::set<std::string> kernels;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const RunResults& run = gathered.runs[i].results;
    versions.insert(run.version);
    seeds.insert(std::to_string(run.seed));
    for (const Session& session : run.sessions) {
      if (!session.kernel.empty()) kernels.insert(session.kernel);
    }
    if (run.version != version()) {
      notes.push_back(fmt::format("{} was written by sau {}; this page was made by sau {}.",
                                  folders[i].string(), run.version, version()));
    }
  }
  if (versions.size() > 1) {
    notes.push_back(fmt::format(
        "Results of several versions of sau are combined here: {}. Trials of different versions "
        "are not paired.",
        fmt::join(versions, ", ")));
  }
  if (seeds.size() > 1) {
    notes.push_back(fmt::format(
        "Results of several seeds are combined here: {}. Trials of different seeds are not paired.",
        fmt::join(seeds, ", ")));
  }
  if (kernels.size() > 1) {
    notes.push_back(fmt::format(
        "The trials were computed with several kernels: {}. Linear and deep agents may differ "
        "between kernels in single trials.",
        fmt::join(kernels, ", ")));
  }
  for (const std::string& note : gathered.notes) notes.push_back(note);
}

void note_cells(std::span<const GatheredCell> cells, std::vector<std::string>& notes) {
  std::vector<std::string> unfinished, empty, failed, lost;
  std::vector<CellSummary> summaries;
  for (const GatheredCell& cell : cells) {
    const CellSummary& summary = cell.summary;
    summaries.push_back(summary);
    const std::string name = cell_name(summary);
    if (summary.trials == 0) {
      empty.push_back(name);
      continue;
    }
    if (summary.trials < summary.cell.trials) {
      unfinished.push_back(fmt::format("{} ({} of {})", name, summary.trials, summary.cell.trials));
    }
    if (summary.counted() == 0) {
      lost.push_back(name);
    } else if (!summary.failures.empty()) {
      failed.push_back(fmt::format("{} ({} of {})", name, summary.failures.size(), summary.trials));
    }
  }
  if (!unfinished.empty()) {
    notes.push_back(
        fmt::format("Unfinished, fewer trials than requested: {}.", listed(unfinished)));
  }
  if (!empty.empty()) {
    notes.push_back(fmt::format("No trial yet, so not in any figure: {}.", listed(empty)));
  }
  if (!failed.empty()) {
    notes.push_back(fmt::format("Failed trials are left out of every number: {}.", listed(failed)));
  }
  if (!lost.empty()) {
    notes.push_back(fmt::format("All trials failed, so not in any figure: {}.", listed(lost)));
  }
  for (const std::string& line : remark_lines(summaries)) notes.push_back(line + ".");
}

void note_comparisons(std::span<const ReportSection> sections, std::vector<std::string>& notes) {
  std::vector<std::string> heavy, uneven, fewer, unpaired;
  for (const ReportSection& section : sections) {
    for (const ProblemFigure& figure : section.problems) {
      const ProblemComparison& comparison = figure.comparison;
      if (comparison.heavy_tails) {
        heavy.push_back(fmt::format("{} ({})", figure.problem, listed(comparison.heavy, 4)));
      }
      const std::size_t count = comparison.algorithms.size();
      if (comparison.pairs.size() < count * (count - (count > 0 ? 1 : 0)) / 2) {
        unpaired.push_back(figure.problem);
      }
      std::uint64_t most = 0;
      for (const Series& series : figure.series) {
        most = std::max(most, series.trials - series.failed);
      }
      if (std::ranges::any_of(comparison.pairs,
                              [&](const PairComparison& pair) { return pair.trials < most; })) {
        uneven.push_back(figure.problem);
      }
      if (comparison.resamples != 0 && comparison.resamples < resamples_for(1)) {
        fewer.push_back(fmt::format("{} ({})", figure.problem, comparison.resamples));
      }
    }
  }
  if (!heavy.empty()) {
    notes.push_back(
        fmt::format("Heavy tails: a few trials dominate the means of {}. Trust the medians there.",
                    listed(heavy)));
  }
  if (!uneven.empty()) {
    notes.push_back(fmt::format(
        "Algorithms have different trials on {}: they are compared on the trials that both have.",
        listed(uneven)));
  }
  if (!unpaired.empty()) {
    notes.push_back(fmt::format(
        "Not all algorithms are compared on {}: some have no trials in common.", listed(unpaired)));
  }
  if (!fewer.empty()) {
    notes.push_back(
        fmt::format("Many trials: intervals of differences are from fewer than {} resamples on {}.",
                    resamples_for(1), listed(fewer)));
  }
}

}  // namespace sau::detail
