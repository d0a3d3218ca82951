#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sau/report/algorithm_style.hpp"

namespace sau {

enum class TableKind {
  kRegret,      // cumulative regret
  kNormalised,  // cumulative regret in percent of Uniform's mean
  kTime,        // processor time of a trial, in seconds
};
// "regret", "normalised", "time".
std::string_view table_name(TableKind kind) noexcept;

// A number as a paper prints it.
struct PaperValue {
  double mean = 0.0;
  double sem = 0.0;  // NaN if it prints none

  bool has_error() const noexcept { return !std::isnan(sem); }
};

struct PaperProblem {
  std::string name;
  std::uint64_t steps = 0;  // per trial in the paper; 0: the paper prints no numbers
  std::string title;        // for people; empty: the name
  std::string note;         // a warning about a likely confusion; usually empty
};

// A section of the report. It holds the problems of one family, such as wheel or dataset.
struct PaperSection {
  std::string family, id, title, text;
};

// A known reason why our numbers differ from a paper's.
struct Difference {
  std::string id, title, text;
};

// A set of table cells. An empty list matches everything. A * at the beginning or end of a name
// matches any text.
struct CellPattern {
  std::vector<TableKind> tables;
  std::vector<std::string> problems, algorithms;

  bool matches(TableKind table, std::string_view problem, std::string_view algorithm) const;
};

// A paper whose experiments we repeat: how it names and orders things, the numbers it prints, and
// why ours may differ. It is read from experiments/papers/<name>.json and <name>.csv, which are
// built into the program.
struct Paper {
  struct Number {
    TableKind table = TableKind::kRegret;
    std::string problem, algorithm;
    PaperValue value;
  };
  struct KnownDifference : Difference {
    std::vector<CellPattern> cells;  // where it matters
  };
  // Printed below a table that compares one of these cells with the paper.
  struct Note {
    CellPattern cells;
    std::string text;
  };

  std::string name;                     // base name of its files
  std::string citation, report_title;   // for people
  std::vector<PaperSection> sections;   // in the order of the report
  std::vector<PaperProblem> problems;   // in the order of its tables
  std::vector<std::string> algorithms;  // in the order of its tables
  std::vector<Number> numbers;
  std::vector<KnownDifference> differences;
  std::vector<Note> notes;
  std::vector<AlgorithmStyle> styles;

  // Null if the paper prints no numbers for that problem.
  const PaperProblem* find_problem(std::string_view problem) const noexcept;
  // Empty if the paper has no such cell. Names are as the paper writes them.
  std::optional<PaperValue> value(TableKind table, std::string_view problem,
                                  std::string_view algorithm) const;
};

// All built-in papers, sorted by file name.
const std::vector<Paper>& papers();

}  // namespace sau
