#pragma once

#include <string>
#include <vector>

#include "watch_folder.hpp"

namespace sau::cli {

// "1234 of 5000 trials, 24 %, 3:20 min left".
std::string progress_line(const RunLook& look, const Pace& pace, WatchClock::time_point now);

struct ViewSize {
  std::size_t columns = 0, lines = 0;  // 0: no limit
};

// A line a problem: how many of its trials are done, and the three agents of least mean regret.
// Problems that are not complete come first; what does not fit is left out, and said to be.
std::vector<std::string> leader_lines(const RunLook& look, const ViewSize& size);

// The view on a terminal, drawn over itself. The screen is as it was when this goes.
class TerminalView {
 public:
  TerminalView();
  TerminalView(const TerminalView&) = delete;
  TerminalView& operator=(const TerminalView&) = delete;
  ~TerminalView();

  void show(const std::string& heading, const RunLook& look, const Pace& pace);
};

// The whole as plain text, without limits of size.
std::string whole_view(const std::string& heading, const RunLook& look, const Pace& pace);

}  // namespace sau::cli
