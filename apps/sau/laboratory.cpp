#include "laboratory.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "progress.hpp"
#include "sau/core/error.hpp"
#include "sau/report/summary.hpp"
#include "sau/run/results.hpp"
#include "sau/run/runner.hpp"
#include "stop.hpp"

namespace sau::cli {
namespace {

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
    const std::atomic<bool>& stop_requested = stop_on_signals();
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
  const std::string where = folder.string();
  if (!outcome.complete && outcome.failures.empty()) {
    std::fprintf(stderr, "sau: stopped; the finished trials are in %s, the same command goes on\n",
                 where.c_str());
    return exit_code_when_stopped();
  }
  if (!flags.json) {
    fmt::print("\nresults: {} ({} new trial{})\n", where, outcome.new_trials,
               outcome.new_trials == 1 ? "" : "s");
  }
  return outcome.failures.empty() && addition.good ? 0 : 1;
}

}  // namespace sau::cli
