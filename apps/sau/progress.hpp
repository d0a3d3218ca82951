#pragma once

#include <string>

#include "sau/run/runner.hpp"

namespace sau::cli {

// "12 s", "3:20 min", "1:05 h".
std::string duration(double seconds);

// One line, without a newline, of at most `columns` columns; 0: of any length. Leaves out what
// matters least if it does not fit.
std::string progress_line(const Progress& progress, std::size_t columns);

// Prints the progress of a run on standard error: on a terminal one line that is rewritten,
// otherwise a plain line every ten seconds.
class ProgressPrinter {
 public:
  explicit ProgressPrinter(bool quiet);

  void operator()(const Progress& progress);
  // Clears the progress line.
  void finish();

 private:
  bool quiet_, terminal_;
  double last_line_ = 0.0;
  bool line_open_ = false;
};

}  // namespace sau::cli
