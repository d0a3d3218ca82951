#include "laboratory.hpp"

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdio>

#include "progress.hpp"
#include "sau/report/summary.hpp"
#include "sau/run/results.hpp"
#include "sau/run/runner.hpp"

namespace sau::cli {
namespace {

constexpr int kInterrupted = 130;  // as a shell reports a program that Ctrl-C ended

std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free, "it is set inside a signal handler");

extern "C" void request_stop(int signal) {
  stop_requested = true;
  std::signal(signal, SIG_DFL);  // a second Ctrl-C does not wait
}

}  // namespace

int run_laboratory(const Experiment& experiment, const std::filesystem::path& folder,
                   const LaboratoryFlags& flags) {
  RunOutcome outcome;
  {
    ResultFolder results(folder, experiment);
    std::signal(SIGINT, request_stop);
    std::signal(SIGTERM, request_stop);
    ProgressPrinter printer(flags.quiet);
    RunOptions options{.threads = static_cast<unsigned>(flags.threads),
                       .stop = &stop_requested,
                       .progress = [&printer](const Progress& progress) { printer(progress); }};
    try {
      outcome = run(experiment, results, options);
    } catch (...) {
      printer.finish();
      throw;
    }
    printer.finish();
  }
  const auto summaries = summarise(read_results(folder, Curves::kSkip), experiment.cells);
  std::fputs((flags.json ? summary_json(summaries) : summary_table(summaries)).c_str(), stdout);
  for (const std::string& failure : outcome.failures) {
    std::fprintf(stderr, "sau: failed: %s\n", failure.c_str());
  }
  const std::string where = folder.string();
  if (stop_requested) {
    std::fprintf(stderr, "sau: stopped; the finished trials are in %s, the same command goes on\n",
                 where.c_str());
    return kInterrupted;
  }
  if (!flags.json) fmt::print("\nresults: {} ({} new trials)\n", where, outcome.new_trials);
  return outcome.failures.empty() ? 0 : 1;
}

}  // namespace sau::cli
