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

// One line per problem: how many of its trials are done, and the three agents with the least mean
// regret. Incomplete problems come first. If some do not fit, the last line says how many.
std::vector<std::string> leader_lines(const RunLook& look, const ViewSize& size);

// A view on a terminal that is redrawn in place. The destructor restores the screen.
class TerminalView {
 public:
  TerminalView();
  TerminalView(const TerminalView&) = delete;
  TerminalView& operator=(const TerminalView&) = delete;
  ~TerminalView();

  void show(const std::string& heading, const RunLook& look, const Pace& pace);
};

// The whole view as plain text, without size limits.
std::string whole_view(const std::string& heading, const RunLook& look, const Pace& pace);

}  // namespace sau::cli
