#include "laboratory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "progress.hpp"
#include "sau/core/error.hpp"
#include "sau/report/summary.hpp"
#include "sau/run/results.hpp"
#include "sau/run/runner.hpp"

namespace sau::cli {
namespace {

constexpr int kSignalled = 128;  // plus the signal's number, as a shell reports it

volatile std::sig_atomic_t signal_seen = 0;
volatile std::sig_atomic_t signal_second = 0;
std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free, "it is set inside a signal handler");

std::sig_atomic_t now_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::sig_atomic_t>(now.tv_sec);
}

extern "C" void request_stop(int signal) {
  // Asking again a moment later means now. Some senders signal twice at once: that is one request.
  if (signal_seen != 0 && now_seconds() > signal_second + 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  if (signal_seen == 0) signal_second = now_seconds();
  signal_seen = signal;
  stop_requested = true;
}

void stop_on(int signal) {
  // A shell that starts a job in the background has it ignore Ctrl-C: so be it.
  if (std::signal(signal, request_stop) == SIG_IGN) std::signal(signal, SIG_IGN);
}

std::string join(const std::string& object, const Addition& addition) {
  if (addition.key.empty()) return object;
  auto json = nlohmann::ordered_json::parse(object);
  json[addition.key] = nlohmann::ordered_json::parse(addition.json);
  return json.dump(2) + "\n";
}

}  // namespace

int run_laboratory(const Experiment& experiment, const std::filesystem::path& folder,
                   const LaboratoryFlags& flags, const Adds& adds) {
  RunOutcome outcome;
  Addition addition;
  {
    stop_on(SIGINT);
    stop_on(SIGTERM);
    ResultFolder results(folder, experiment);
    ProgressPrinter printer(flags.quiet);
    RunOptions options{.threads = static_cast<unsigned>(flags.threads),
                       .stop = &stop_requested,
                       .progress = [&printer](const Progress& progress) { printer(progress); }};
    try {
      outcome = run(experiment, results, options);
    } catch (const Error& error) {
      printer.finish();
      throw Error(std::string(error.what()) +
                  "; the finished trials are kept, the same command goes on");
    }
    printer.finish();
    if (adds && !stop_requested) addition = adds(folder, stop_requested);
    if (adds && stop_requested) {
      addition = {};
      outcome.complete = false;
    }
  }
  const auto summaries = summarise(read_results(folder, Curves::kSkip), experiment.cells);
  const std::string cells = flags.json ? summary_json(summaries) : summary_table(summaries);
  std::fputs((flags.json ? join(cells, addition) : cells).c_str(), stdout);
  if (!flags.json && !addition.text.empty()) {
    std::fputs(((cells.empty() ? "" : "\n") + addition.text).c_str(), stdout);
  }
  for (const std::string& failure : outcome.failures) {
    std::fprintf(stderr, "sau: failed: %s\n", failure.c_str());
  }
  for (const std::string& line : failure_lines(summaries)) {
    std::fprintf(stderr, "sau: %s\n", line.c_str());
  }
  const bool hopeless = std::ranges::any_of(summaries, [](const CellSummary& summary) {
    return summary.trials > 0 && summary.counted() == 0;
  });
  const std::string where = folder.string();
  if (!outcome.complete && outcome.failures.empty()) {
    std::fprintf(stderr, "sau: stopped; the finished trials are in %s, the same command goes on\n",
                 where.c_str());
    return kSignalled + signal_seen;
  }
  if (!flags.json) {
    fmt::print("\nresults: {} ({} new trial{})\n", where, outcome.new_trials,
               outcome.new_trials == 1 ? "" : "s");
  }
  return outcome.failures.empty() && addition.good && !hopeless ? 0 : 1;
}

}  // namespace sau::cli
