#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "sau/core/spec.hpp"
#include "sau/run/experiment.hpp"

namespace sau::cli {

// The flags that `sau run` and `sau paper` share.
struct LaboratoryFlags {
  std::uint64_t seed = 1;
  std::uint64_t threads = 0;
  std::string out;
  bool json = false;
  bool quiet = false;
  bool dry_run = false;
  void fields(auto&& field) {
    field("seed", seed, "seed of every random stream");
    field("threads", threads, "trials at the same time; 0 is one per core; never changes a result",
          Bounds{.min = 0.0, .max = 4096.0});
    field("out", out, "result folder; trials that are in it are not run again");
    field("json", json, "print the summary as JSON on standard output");
    field("quiet", quiet, "no progress on standard error");
    field("dry_run", dry_run, "say what would be run and how long it should take; writes nothing");
  }
};

// What a command adds to the results of its cells.
struct Addition {
  std::string key, json;  // of a member beside "cells"; no key: nothing is added
  std::string text;       // printed after the table
  bool good = true;       // or the exit code is 1
};
// Works it out and keeps it in the folder; what it returns counts only while `stop` is not set.
using Adds =
    std::function<Addition(const std::filesystem::path& folder, const std::atomic<bool>& stop)>;

// Runs what is missing in the folder, then each of `adds`, then prints the summary of the trials
// asked for and the additions. Ctrl-C leaves a valid folder. Returns the exit code: 1 when a cell
// cannot be run, or when all of its trials failed; some failed trials are reported and no more.
int run_laboratory(const Experiment& experiment, const std::filesystem::path& folder,
                   const LaboratoryFlags& flags, std::span<const Adds> adds = {});

}  // namespace sau::cli
