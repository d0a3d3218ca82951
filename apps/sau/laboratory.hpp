#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "progress.hpp"
#include "sau/core/spec.hpp"
#include "sau/run/experiment.hpp"
#include "sau/run/runner.hpp"

namespace sau::cli {

// From now on an allocation beyond the memory of this machine fails immediately, and the command
// says what it was for. Otherwise the system would kill the program without a message once the
// memory is used.
void limit_memory() noexcept;

// The flags that `sau run` and `sau paper` share.
struct LaboratoryFlags {
  std::uint64_t seed = 1;
  std::uint64_t threads = 0;
  std::string out;
  std::string shard;
  bool json = false;
  bool quiet = false;
  bool dry_run = false;
  void fields(auto&& field) {
    field("seed", seed, "seed of every random stream");
    field("threads", threads,
          "trials to run in parallel; 0 means one per core; does not change results",
          Bounds{.min = 0.0, .max = 4096.0});
    field("out", out, "result folder; trials already in it are not run again");
    field("shard", shard,
          "I/N: play only the I-th of N shares of the trials; sau merge joins the folders",
          Bounds{}, "I/N");
    field("json", json, "print the summary as JSON on standard output");
    field("quiet", quiet, "no progress on standard error");
    field("dry_run", dry_run, "say what would be run and how long it should take; writes nothing");
  }
};

// From now on these play the trials of all commands, instead of threads of this process.
void set_players(Players* players);
Players* players();

// How these flags say to run, with progress on the printer.
RunOptions run_options(const LaboratoryFlags& flags, const std::atomic<bool>& stop,
                       ProgressPrinter& printer);

// Sets the shard of the experiment, and returns the folder: that of the flag, or `standard` with
// the shard's number.
std::filesystem::path choose_folder(const LaboratoryFlags& flags, const std::string& standard,
                                    Experiment& experiment);

// Extra output of a command, beside the results of its cells.
struct Addition {
  std::string key, json;  // a member beside "cells"; nothing is added if the key is empty
  std::string text;       // printed after the table
  bool good = true;       // if false, the exit code is 1
};
// Computes an addition and writes its files to the folder. Ignored once `stop` is set.
using MakeAddition =
    std::function<Addition(const std::filesystem::path& folder, const std::atomic<bool>& stop)>;

// Runs the missing trials, then each of `makers`, then prints the summary of the requested trials
// and the additions. Ctrl-C leaves a valid folder. Returns the exit code: 1 if a cell cannot be run
// or all its trials failed. If only some failed, they are reported and the exit code is 0. For a
// shard it prints only how many trials there are, because the summary needs all shards.
int run_laboratory(const Experiment& experiment, const std::filesystem::path& folder,
                   const LaboratoryFlags& flags, std::span<const MakeAddition> makers = {});

}  // namespace sau::cli
