#include "laboratory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "sau/core/error.hpp"
#include "sau/report/cell_summary.hpp"
#include "sau/run/memory.hpp"
#include "sau/run/results.hpp"
#include "sau/run/runner.hpp"
#include "stop.hpp"

namespace sau::cli {
namespace {

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

Players* chosen_players = nullptr;

int say_stopped(const std::string& folder) {
  std::fprintf(
      stderr,
      "sau: stopped; the finished trials are in %s; run the same command again to continue\n",
      folder.c_str());
  return exit_code_when_stopped();
}

// What is printed about a shard. It has only some trials of every cell, so there is no summary yet.
int report_shard(const Experiment& experiment, const std::filesystem::path& folder,
                 const LaboratoryFlags& flags, const RunOutcome& outcome) {
  for (const std::string& failure : outcome.failures) {
    std::fprintf(stderr, "sau: failed: %s\n", failure.c_str());
  }
  const RunResults results = preview_results(folder, experiment);
  std::uint64_t wanted = 0, present = 0;
  for (const CellResults& cell : results.cells) {
    wanted += experiment.shard.slice(cell.cell).rows(cell.cell.trials);
    present += cell.trials.size();
  }
  if (flags.json) {
    const nlohmann::ordered_json json = {{"shard", experiment.shard.text()},
                                         {"folder", folder.string()},
                                         {"trials", present},
                                         {"wanted", wanted},
                                         {"new_trials", outcome.new_trials}};
    std::fputs((json.dump(2) + "\n").c_str(), stdout);
  } else {
    fmt::print("shard {}: {} of its {} trials are in {} ({} new); join all shards with sau merge\n",
               experiment.shard.text(), present, wanted, folder.string(), outcome.new_trials);
  }
  return outcome.failures.empty() ? 0 : 1;
}

}  // namespace

void set_players(Players* players) { chosen_players = players; }
Players* players() { return chosen_players; }

RunOptions run_options(const LaboratoryFlags& flags, const std::atomic<bool>& stop,
                       ProgressPrinter& printer) {
  return {.threads = static_cast<unsigned>(flags.threads),
          .stop = &stop,
          .progress = [&printer](const Progress& progress) { printer(progress); },
          .players = chosen_players};
}

std::filesystem::path choose_folder(const LaboratoryFlags& flags, const std::string& standard,
                                    Experiment& experiment) {
  if (chosen_players != nullptr && flags.threads > 1) {
    throw UsageError("--threads is " + std::to_string(flags.threads) +
                     ", but a rank plays one trial at a time; start more ranks with mpirun -n");
  }
  const Shard given = flags.shard.empty() ? Shard{} : read_shard(flags.shard);
  experiment.shard.number = given.number;
  experiment.shard.of = given.of;
  if (!flags.out.empty()) return flags.out;
  return given.whole() ? standard : fmt::format("{}-{}of{}", standard, given.number, given.of);
}

void limit_memory() noexcept {
  try {
    rlimit limit{};
    const rlim_t memory = machine_memory();
    if (memory == 0 || ::getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur <= memory) return;
    limit.rlim_cur = memory;
    static_cast<void>(::setrlimit(RLIMIT_DATA, &limit));
  } catch (...) {  // then there is no limit
  }
}

int run_laboratory(const Experiment& experiment, const std::filesystem::path& folder,
                   const LaboratoryFlags& flags, std::span<const MakeAddition> makers) {
  RunOutcome outcome;
  std::vector<Addition> additions;
  {
    const std::atomic<bool>& stop_requested = stop_on_signals();
    ResultFolder results(folder, experiment);
    ProgressPrinter printer(flags.quiet);
    try {
      outcome = run(experiment, results, run_options(flags, stop_requested, printer));
    } catch (const Error& error) {
      printer.finish();
      throw Error(std::string(error.what()) +
                  "; the finished trials are kept; run the same command again to continue");
    }
    printer.finish();
    for (const MakeAddition& make : makers) {
      if (!stop_requested) additions.push_back(make(folder, stop_requested));
      if (!stop_requested) continue;
      additions.clear();
      outcome.complete = false;
      break;
    }
  }
  const std::string where = folder.string();
  const bool stopped = !outcome.complete && outcome.failures.empty();
  if (!experiment.shard.whole()) {
    const int code = report_shard(experiment, folder, flags, outcome);
    if (!flags.json) std::fputs(joined_text("", additions).c_str(), stdout);
    if (stopped) return say_stopped(where);
    const bool well = std::ranges::all_of(additions, &Addition::good);
    return well ? code : 1;
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
  for (const std::string& line : remark_lines(summaries)) {
    std::fprintf(stderr, "sau: note: %s\n", line.c_str());
  }
  const bool hopeless = std::ranges::any_of(summaries, [](const CellSummary& summary) {
    return summary.trials > 0 && summary.counted() == 0;
  });
  if (stopped) return say_stopped(where);
  if (!flags.json) {
    fmt::print("\nresults: {} ({} new trial{})\n", where, outcome.new_trials,
               outcome.new_trials == 1 ? "" : "s");
  }
  const bool good = std::ranges::all_of(additions, &Addition::good);
  return outcome.failures.empty() && good && !hopeless ? 0 : 1;
}

}  // namespace sau::cli
