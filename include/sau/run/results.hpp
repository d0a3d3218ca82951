#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sau/agent/recorder.hpp"
#include "sau/run/experiment.hpp"

namespace sau {

// What a result folder holds for one cell.
struct CellResults {
  Cell cell;
  std::vector<std::uint64_t> points;  // steps of the curves
  std::vector<TrialRecord> trials;    // in order from trial 0, without gaps; some may have failed
  double seconds = 0.0;               // mean processor time of a trial; 0 if unknown
  double seconds_sem = 0.0;           // its standard error; 0 for a single trial
};

// A run that added trials to the folder, as the run recorded it.
struct Session {
  std::string finished, version, cpu, kernel;  // finished: UTC; empty if unknown
};

struct RunResults {
  std::uint64_t seed = 0;
  std::vector<CellResults> cells;
  std::string version{};            // version of sau that made the folder
  std::vector<Session> sessions{};  // earliest first
};

enum class Curves { kSkip, kRead };

class FolderLock;

// Reads a result folder (docs/formats/results.md). Throws Error, naming the file and the line, when
// it is not a result folder, is damaged or holds a shard only. A last line cut short by a crash is
// ignored. Older format versions are read too.
RunResults read_results(const std::filesystem::path& folder, Curves curves);
// The same, but passes each cell to `take` as soon as it is read and keeps none: only one cell's
// curves are in memory at a time.
RunResults read_results(const std::filesystem::path& folder, Curves curves,
                        const std::function<void(CellResults&&)>& take);

// What a run of the experiment would find in the folder, without touching it; empty if there is no
// folder yet. For a shard: the trials of it that are there. Throws Error as ResultFolder does.
RunResults preview_results(const std::filesystem::path& folder, const Experiment& experiment);

// A result folder being written: one row per trial, appended in trial order. So a run that stops
// for any reason leaves a valid folder, and the bytes do not depend on the number of threads. The
// folder is locked while this object lives. Not thread-safe.
class ResultFolder {
 public:
  // Creates the folder, or continues in it: existing trials are kept, and so are cells of another
  // experiment with the same seed. Throws Error when the folder cannot be written, is in use, is
  // damaged, is not a result folder of this seed, shard, version and format, or holds trials of a
  // cell whose data have changed.
  ResultFolder(std::filesystem::path folder, const Experiment& experiment);
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;
  ~ResultFolder();

  const std::filesystem::path& path() const noexcept { return folder_; }
  // How many trials of the experiment's cell are in the folder: the first ones of its shard.
  std::uint64_t done(std::size_t cell) const noexcept { return files_[place_[cell]].rows; }

  // Appends the cell's next trial. On failure restores the file and throws Error.
  void append(std::size_t cell, const TrialRecord& record, double seconds);
  // Records this run, with machine, version and thread count, in the folder's history.
  void note_session(unsigned threads, std::uint64_t new_trials) const;

 private:
  struct File {
    Cell cell;
    std::string name;  // relative to the folder
    std::vector<std::uint64_t> points;
    std::uint64_t rows = 0;
  };
  void adopt(const Experiment& experiment);

  std::filesystem::path folder_;
  std::unique_ptr<FolderLock> lock_;
  std::uint64_t seed_ = 0;
  Shard shard_;
  std::vector<File> files_;         // in the order of run.json
  std::vector<std::size_t> place_;  // index in files_ of each cell of the experiment
};

}  // namespace sau
