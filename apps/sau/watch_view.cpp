#include "watch_view.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/text_grid.hpp"
#include "progress.hpp"

namespace sau::cli {
namespace {

constexpr std::size_t kLeaders = 3;
constexpr double kWorthSaying = 10.0;  // seconds without a trial that are worth a remark

// A problem, and its cells with successful trials sorted by mean regret.
struct Standing {
  std::string problem;
  std::uint64_t done = 0, asked = 0;
  std::vector<const CellSummary*> leaders;
};

std::vector<Standing> standings_of(const RunLook& look) {
  std::vector<Standing> standings;
  std::vector<const Cell*> firsts;
  for (const CellSummary& summary : look.cells) {
    const auto same = [&](const Cell* first) {
      return first->problem_spec == summary.cell.problem_spec && first->steps == summary.cell.steps;
    };
    const auto place =
        static_cast<std::size_t>(std::ranges::find_if(firsts, same) - firsts.begin());
    if (place == firsts.size()) {
      firsts.push_back(&summary.cell);
      standings.push_back({.problem = summary.cell.problem, .leaders = {}});
    }
    standings[place].done += summary.trials;
    standings[place].asked += summary.cell.trials;
    if (summary.counted() > 0) standings[place].leaders.push_back(&summary);
  }
  for (Standing& standing : standings) {
    std::ranges::stable_sort(standing.leaders, {},
                             [](const CellSummary* cell) { return cell->regret.mean; });
  }
  std::ranges::stable_sort(
      standings, {}, [](const Standing& standing) { return standing.done >= standing.asked; });
  return standings;
}

// How much is shown about the leaders.
struct Detail {
  std::size_t leaders = kLeaders;
  bool trials = true;
};

// "SAU-UCB 211.6 ± 14.3 (20)": rounded to two digits of the standard error, and the trials.
std::string leader_text(const CellSummary& cell, bool trials) {
  const double scale = cell.regret.sem > 0.0 ? cell.regret.sem : 0.01 * std::abs(cell.regret.mean);
  const int digits =
      scale > 0.0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(scale))), 0, 6) : 0;
  const std::string error =
      cell.counted() > 1 ? fmt::format(" ± {:.{}f}", cell.regret.sem, digits) : "";
  return fmt::format("{} {:.{}f}{}{}", cell.cell.agent, cell.regret.mean, digits, error,
                     trials ? fmt::format(" ({})", cell.counted()) : "");
}

// Cuts the text to that many columns, never inside a multi-byte character.
std::string cut(const std::string& text, std::size_t columns) {
  if (columns == 0 || detail::width_of(text) <= columns) return text;
  std::size_t end = 0, used = 0;
  while (end < text.size() && used + 1 < columns) {
    ++end;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    ++used;
  }
  return text.substr(0, end) + "…";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::vector<std::string> grid_of(const std::vector<Standing>& standings, const Detail& detail) {
  std::vector<detail::TextRow> rows = {
      {"problem", "trials",
       detail.trials ? "least regret ± error (trials)" : "least regret ± error", "second",
       "third"}};
  for (const Standing& standing : standings) {
    detail::TextRow& row = rows.emplace_back();
    row = {standing.problem, fmt::format("{}/{}", standing.done, standing.asked)};
    for (const CellSummary* leader : standing.leaders) {
      row.push_back(leader_text(*leader, detail.trials));
    }
  }
  for (detail::TextRow& row : rows) row.resize(2 + detail.leaders);
  return lines_of(detail::align(rows, rows.front().size(), 2));
}

std::size_t widest(const std::vector<std::string>& lines) {
  std::size_t width = 0;
  for (const std::string& line : lines) width = std::max(width, detail::width_of(line));
  return width;
}

ViewSize terminal_size() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return {.columns = size.ws_col, .lines = size.ws_row};
}

std::string bar(double share, std::size_t width) {
  const auto full = static_cast<std::size_t>(std::floor(share * static_cast<double>(width)));
  std::string text;
  for (std::size_t i = 0; i < width; ++i) text += i < full ? "█" : "░";
  return text;
}

double share_of(const RunLook& look) {
  return look.asked == 0 ? 0.0 : static_cast<double>(look.done) / static_cast<double>(look.asked);
}

}  // namespace

std::string progress_line(const RunLook& look, const Pace& pace, WatchClock::time_point now) {
  switch (look.state) {
    case RunState::kMissing:
      return "waiting: " + look.problem;
    case RunState::kBroken:
      return "cannot be read, trying again: " + look.problem;
    case RunState::kComplete:
      return fmt::format("complete, {} trials", look.done);
    case RunState::kRunning:
      break;
  }
  std::string line = fmt::format("{} of {} trials, {:.0f} %", look.done, look.asked,
                                 std::floor(100.0 * share_of(look)));
  if (const auto left = pace.seconds_left(now)) line += ", " + duration(*left) + " left";
  const double quiet = pace.seconds_quiet(now);
  if (quiet >= kWorthSaying) line += ", nothing new for " + duration(quiet);
  return line;
}

std::vector<std::string> leader_lines(const RunLook& look, const ViewSize& size) {
  auto standings = standings_of(look);
  if (standings.empty()) return {};
  std::string rest;
  if (size.lines > 0 && standings.size() + 1 > size.lines) {
    const std::size_t shown = size.lines > 2 ? size.lines - 2 : 0;
    rest = fmt::format("  … and {} more problems", standings.size() - shown);
    standings.resize(shown);
  }
  std::vector<std::string> lines;
  for (const Detail& detail :
       {Detail{3, true}, Detail{3, false}, Detail{2, true}, Detail{1, true}}) {
    lines = grid_of(standings, detail);
    if (size.columns == 0 || widest(lines) <= size.columns) break;
  }
  if (!rest.empty()) lines.push_back(rest);
  for (std::string& line : lines) line = cut(line, size.columns);
  return lines;
}

TerminalView::TerminalView() { std::fputs("\033[?1049h\033[?25l", stdout); }

TerminalView::~TerminalView() {
  std::fputs("\033[?25h\033[?1049l", stdout);
  std::fflush(stdout);
}

void TerminalView::show(const std::string& heading, const RunLook& look, const Pace& pace) {
  constexpr std::size_t kBar = 40;
  const ViewSize size = terminal_size();
  const bool has_bar = look.state == RunState::kRunning || look.state == RunState::kComplete;
  std::vector<std::string> lines = lines_of(heading);
  lines.push_back((has_bar ? bar(share_of(look), kBar) + " " : "") +
                  progress_line(look, pace, WatchClock::now()));
  lines.emplace_back();
  const std::vector<std::string> foot = {"", look.state == RunState::kComplete
                                                 ? "Ctrl-C ends watching."
                                                 : "Ctrl-C ends watching; the run goes on."};
  // One line stays free, or the terminal would scroll.
  const std::size_t taken = lines.size() + foot.size() + 1;
  const std::size_t room = size.lines > taken ? size.lines - taken : 1;
  const auto leaders = leader_lines(look, {.columns = size.columns, .lines = room});
  lines.insert(lines.end(), leaders.begin(), leaders.end());
  lines.insert(lines.end(), foot.begin(), foot.end());
  std::string text = "\033[H";
  for (const std::string& line : lines) text += cut(line, size.columns) + "\033[K\r\n";
  std::fputs((text + "\033[J").c_str(), stdout);
  std::fflush(stdout);
}

std::string whole_view(const std::string& heading, const RunLook& look, const Pace& pace) {
  std::string text = heading + progress_line(look, pace, WatchClock::now()) + "\n";
  const auto lines = leader_lines(look, {});
  if (!lines.empty()) text += "\n";
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace sau::cli
