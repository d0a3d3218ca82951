#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

#include "commands.hpp"
#include "flags.hpp"
#include "sau/core/error.hpp"
#include "sau/http/http_server.hpp"
#include "stop.hpp"
#include "watch_folder.hpp"
#include "watch_page.hpp"
#include "watch_view.hpp"

namespace sau::cli {
namespace {

struct WatchFlags {
  std::string listen = "127.0.0.1";
  std::uint64_t port = 0;
  bool once = false, no_page = false, no_terminal = false;
  void fields(auto&& field) {
    field("port", port, "port of the page; 0 means any free port",
          Bounds{.min = 0.0, .max = 65535.0});
    field("once", once, "print the state once and exit");
    field("no_page", no_page, "no page, only the terminal");
    field("no_terminal", no_terminal, "no terminal output, only the page");
  }
};

// Reads the folder again when it has changed, but rarely enough to leave the processor to the run.
class Watcher {
 public:
  explicit Watcher(std::string folder) : folder_(std::move(folder)) {}

  // Returns whether there is something new.
  bool look() {
    const auto now = WatchClock::now();
    if (now < next_) return false;
    std::string mark = mark_of(folder_);
    const bool changed = mark != mark_;
    if (changed) {
      mark_ = std::move(mark);
      look_ = look_at(folder_);
      pace_.note(look_, now);
    }
    const auto cost = WatchClock::now() - now;
    next_ = now + std::max<WatchClock::duration>(std::chrono::seconds(1), 20 * cost);
    return changed;
  }
  const RunLook& found() const { return look_; }
  const Pace& pace() const { return pace_; }

 private:
  std::string folder_;
  std::string mark_ = "none yet";
  RunLook look_;
  Pace pace_;
  WatchClock::time_point next_;
};

// Prints changes as lines: at most every ten seconds, but immediately when the state changes.
class PlainLines {
 public:
  void show(const RunLook& look, const Pace& pace) {
    const auto now = WatchClock::now();
    const bool other = !state_ || *state_ != look.state || look.problem != problem_;
    if (!other && (look.state != RunState::kRunning || now < next_)) return;
    if (!other && look.done == done_) return;
    fmt::print("{}\n", progress_line(look, pace, now));
    std::fflush(stdout);
    state_ = look.state;
    problem_ = look.problem;
    done_ = look.done;
    next_ = now + std::chrono::seconds(10);
  }

 private:
  std::optional<RunState> state_;
  std::string problem_;
  std::uint64_t done_ = 0;
  WatchClock::time_point next_;
};

std::string address_text(const WatchFlags& flags, std::uint16_t port) {
  const bool everywhere = flags.listen == "0.0.0.0" || flags.listen == "::";
  const std::string host = everywhere ? "localhost" : flags.listen;
  return host.find(':') == std::string::npos ? fmt::format("http://{}:{}/", host, port)
                                             : fmt::format("http://[{}]:{}/", host, port);
}

// Whether standard output is a terminal that understands cursor movements.
bool has_screen() {
  const char* const kind = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

int watch_once(const std::string& folder) {
  const RunLook look = look_at(folder);
  if (look.state == RunState::kMissing || look.state == RunState::kBroken)
    throw Error(look.problem);
  std::fputs(whole_view(folder + "\n", look, {}).c_str(), stdout);
  return 0;
}

int watch(const std::string& folder, const WatchFlags& flags) {
  const std::atomic<bool>& stop = stop_on_signals();
  std::unique_ptr<LivePage> page;
  std::unique_ptr<HttpServer> server;
  std::string heading = folder + "\n";
  if (!flags.no_page) {
    page = std::make_unique<LivePage>(folder, flags.listen);
    server = std::make_unique<HttpServer>(
        HttpServerOptions{.address = flags.listen,
                          .port = static_cast<std::uint16_t>(flags.port),
                          .threads = 2,
                          .body_limit = 0},
        answered_at_once([&page](const HttpRequest& request) { return page->answer(request); }));
    heading += "page: " + address_text(flags, server->port()) + "\n";
  }
  const bool screen = !flags.no_terminal && has_screen();
  if (!screen) {
    std::fputs(("watching " + heading).c_str(), stdout);
    std::fflush(stdout);
  }
  Watcher watcher(folder);
  {
    std::optional<TerminalView> view;
    if (screen) view.emplace();
    PlainLines lines;
    WatchClock::time_point drawn;
    while (!stop) {
      const bool news = !flags.no_terminal && watcher.look();
      const auto now = WatchClock::now();
      if (view && (news || now - drawn >= std::chrono::seconds(1))) {
        view->show(heading, watcher.found(), watcher.pace());
        drawn = now;
      } else if (!view && !flags.no_terminal) {
        lines.show(watcher.found(), watcher.pace());
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  if (screen) {
    std::fputs(whole_view(folder + "\n", watcher.found(), watcher.pace()).c_str(), stdout);
  }
  if (server) server->stop();
  return exit_code_when_stopped();
}

}  // namespace

Handler describe_watch(CLI::App& app) {
  app.description(
      "Shows a run in progress: on the terminal how far it is and which agents lead, and in a\n"
      "browser the page of sau report, which keeps itself up to date. It only reads, so it may\n"
      "start before, during or after the run. Ctrl-C ends sau watch; the run goes on.");
  app.footer(
      "Examples:\n"
      "  sau paper --only wheel --out results/wheel &\n"
      "  sau watch results/wheel\n"
      "  sau watch results/wheel --once\n"
      "  sau watch results/wheel --no-terminal --port 8080\n"
      "From another machine: ssh -L 8080:localhost:8080 HOST, then http://localhost:8080/.");
  const auto flags = add_flags<WatchFlags>(app);
  app.add_option("--listen", flags->listen,
                 "IP address of the page; with 0.0.0.0 other machines see it too [127.0.0.1]")
      ->type_name("ADDRESS");
  const auto folder = std::make_shared<std::string>();
  app.add_option("run", *folder, "result folder of sau run or sau paper; need not exist yet")
      ->required();
  return [flags, folder] {
    if (flags->no_page && flags->no_terminal) {
      throw UsageError(
          "watch: --no-page and --no-terminal leave nothing to show; give one of them");
    }
    return flags->once ? watch_once(*folder) : watch(*folder, *flags);
  };
}

}  // namespace sau::cli
