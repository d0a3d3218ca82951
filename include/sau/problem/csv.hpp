#pragma once

#include <string>
#include <string_view>

#include "sau/core/spec.hpp"
#include "sau/data/text_format.hpp"
#include "sau/problem/data_problem.hpp"

namespace sau {

struct CsvOptions {
  std::string file;
  std::string label;
  TextFormat format;
  bool intercept = true;
  void fields(auto&& field) {
    field("file", file,
          "path of the file; may be compressed (gzip, xz, zip); a.csv|b.csv joins files");
    field("label", label,
          "the column of the class, by name or by number from 1; without it the one called label, "
          "class, target or y, else the last that is not ignored");
    format.fields(field);
    field("intercept", intercept, "append a place that is always 1 to the context");
  }
};

// Classification as a bandit problem: a row's columns are the context, an action is a class, and
// the row's own class pays 1, the others 0. Classes are sorted as numbers if all are numbers, else
// as text. Numbers are scaled to mean 0 and deviation 1; words are one-hot, in the order of their
// text. Horizon: once through the file. A step draws nothing.
class Csv final : public DataProblem {
 public:
  static constexpr std::string_view kName = "csv";
  static constexpr std::string_view kSummary = "your own classification data, rows of text";
  using Options = CsvOptions;

  explicit Csv(const Stream& stream, const Options& options = {});

  // Every setting shows in the data.
  static Options stream_options(const Options&) { return {}; }
};

}  // namespace sau
