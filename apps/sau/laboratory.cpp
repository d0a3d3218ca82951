#include "laboratory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <vector>

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

std::string joined_json(const std::string& object, std::span<const Addition> additions) {
  auto json = nlohmann::ordered_json::parse(object);
  for (const Addition& addition : additions) {
    if (!addition.key.empty()) json[addition.key] = nlohmann::ordered_json::parse(addition.json);
  }
  return json.dump(2) + "\n";
}

std::string joined_text(std::string text, std::span<const Addition> additions) {
  for (const Addition& addition : additions) {
    if (!text.empty() && !addition.text.empty()) text += '\n';
    text += addition.text;
  }
  return text;
}

}  // namespace

int run_laboratory(const Experiment& experiment, const std::filesystem::path& folder,
                   const LaboratoryFlags& flags, std::span<const Adds> adds) {
  RunOutcome outcome;
  std::vector<Addition> additions;
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
    for (const Adds& add : adds) {
      if (!stop_requested) additions.push_back(add(folder, stop_requested));
      if (!stop_requested) continue;
      additions.clear();
      outcome.complete = false;
      break;
    }
  }
  const auto summaries = summarise(read_results(folder, Curves::kSkip), experiment.cells);
  const std::string text = flags.json ? joined_json(summary_json(summaries), additions)
                                      : joined_text(summary_table(summaries), additions);
  std::fputs(text.c_str(), stdout);
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
  const bool good = std::ranges::all_of(additions, &Addition::good);
  return outcome.failures.empty() && good && !hopeless ? 0 : 1;
}

}  // namespace sau::cli
