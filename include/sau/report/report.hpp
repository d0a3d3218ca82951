#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/report/algorithm_style.hpp"
#include "sau/report/paper.hpp"
#include "sau/report/table.hpp"
#include "sau/stats/compare.hpp"
#include "sau/theory/theory.hpp"

namespace sau {

// One algorithm on one problem: one line in the curves and one box in the distribution.
struct Series {
  std::string algorithm, agent_spec;
  std::uint64_t trials = 0, asked = 0, failed = 0;
  // At the figure's steps; empty if no trial counts. low and high are Student's 95 % interval of
  // the mean over the trials; empty for a single trial.
  std::vector<double> mean, low, high, median;
  std::vector<std::uint64_t> sample_trials;  // numbers of a few trials, evenly spaced
  std::vector<std::vector<double>> sample;   // their curves at the figure's steps
  // Final regret of the trials that did not fail.
  Estimate final_mean;
  double minimum = 0.0, whisker_low = 0.0, q25 = 0.0, final_median = 0.0, q75 = 0.0,
         whisker_high = 0.0, maximum = 0.0;  // whiskers: last trial within 1.5 box lengths (Tukey)
  std::vector<double> points;                // final regrets; a sample if there are many
  bool all_points = true;                    // whether `points` holds every trial
  double stuck = 0.0, seconds = 0.0;
  std::optional<TwoGroups> groups;  // of the final regrets, if they are two
};

// One problem: regret against step, and the distribution of the final regret.
struct ProblemFigure {
  std::string id;  // unique in the report; usable as a file name and an anchor
  std::string problem, title, problem_spec;
  std::string note;  // a warning about a likely confusion; usually empty
  std::uint64_t steps = 0;
  std::vector<std::uint64_t> points;  // steps at which the curves are given
  std::vector<Series> series;
  ProblemComparison comparison;
  // Which algorithms have less regret than others at no more processor time; empty if none has.
  std::string costs;
};

// Final regret against a parameter of the problem, such as the wheel's delta.
struct ParameterFigure {
  std::string id, title, parameter;
  std::string axis;  // what the regrets are
  std::vector<double> values;
  struct Line {
    std::string algorithm;
    std::vector<Estimate> regret;   // one per value; NaN if missing
    std::vector<PaperValue> paper;  // one per value, mean NaN if missing; empty if all are
  };
  std::vector<Line> lines;
};

// Processor time of a trial against its regret, on a scale comparable between problems.
struct TimeFigure {
  std::string id, title;
  std::string axis;  // what the regrets are
  struct Point {
    std::string algorithm, problem;
    double seconds = 0.0, regret = 0.0;
  };
  std::vector<Point> points;
};

struct RankFigure {
  std::string id, title;
  RankTable ranks;
};

// One section of the page: a part of the paper, or a family of the user's own problems.
struct ReportSection {
  std::string id, title, text;
  std::vector<ProblemFigure> problems;
  std::vector<ParameterFigure> parameters;
  std::vector<RankFigure> ranks;
  std::vector<TimeFigure> times;
  std::vector<Table> tables;
};

struct ReportRun {
  std::string folder, version, machine;  // machine: cpu and kernel of the last session
  std::string finished;                  // when that session ended, UTC; empty if unknown
  std::uint64_t seed = 0, trials = 0, asked = 0;
};

struct Report {
  std::string title;
  std::string version;  // version of sau that made the report
  bool paper = false;   // whether any of the paper's numbers are shown
  std::vector<ReportRun> runs;
  std::vector<std::string> notes;  // warnings: unfinished cells, failed trials, ...
  std::vector<AlgorithmStyle> algorithms;
  std::vector<ReportSection> sections;
  std::vector<TheoryCheck> theory;
  std::vector<Difference> differences;  // those that table cells refer to
};

struct ReportOptions {
  std::string title{};  // empty: chosen from the contents
  bool paper = true;
  bool compare = true;              // compute pairs and ranks, which take most of the time
  std::vector<std::string> only{};  // ids of sections; empty: all
};

// Reads result folders (gather() in table.hpp says how several are joined). Throws Error if one is
// not a result folder, is damaged, or does not fit the others.
Report make_report(std::span<const std::filesystem::path> folders, const ReportOptions& options);

// The members of Report under their names; described in docs/formats/report.md.
std::string report_json(const Report& report);

// One page that needs no other file and no network. If `live` is given, an address relative to the
// page, the page asks there for a newer report_json() every two seconds.
std::string report_html(const Report& report, std::string_view live = {});

// Everything but the figures, as a document: GitHub Markdown, or LaTeX for pdfLaTeX with the
// packages array, booktabs, geometry, lmodern, longtable and textcomp.
std::string report_markdown(const Report& report);
std::string report_latex(const Report& report);

// The numbers behind tables and figures: one file per kind, in long form, with exact numbers.
// Unknown values are empty.
struct ReportFile {
  std::string name, bytes;
};
std::vector<ReportFile> report_csv(const Report& report);

}  // namespace sau
