#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/run/experiment.hpp"
#include "sau/run/results.hpp"
#include "sau/run/runner.hpp"
#include "support/temporary_folder.hpp"

namespace sau::test {

namespace fs = std::filesystem;

using testing::TemporaryFolder;

using Files = std::map<std::string, std::string>;  // name below the folder -> bytes

// Every file below the folder.
inline Files all_files(const fs::path& folder) {
  Files files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), folder).string()] = read_file(entry.path());
    }
  }
  return files;
}

// The files that must not depend on how a run went: all but timing.csv and sessions.jsonl.
inline Files result_files(const fs::path& folder) {
  Files files = all_files(folder);
  files.erase("timing.csv");
  files.erase("sessions.jsonl");
  return files;
}

inline Experiment experiment_of(const std::vector<std::string>& agents, std::uint64_t steps,
                                std::uint64_t trials,
                                const std::vector<std::string>& problems = {"bernoulli-10-0.1"}) {
  return {.seed = 1, .cells = make_cells(problems, agents, steps, trials)};
}

inline Experiment small_experiment() { return experiment_of({"sau_ucb", "ts"}, 20, 4); }
// The files of its cells, and of every experiment on the same problem.
inline constexpr const char* kUcb = "cells/bernoulli-10-0.1--SAU-UCB.csv";
inline constexpr const char* kTs = "cells/bernoulli-10-0.1--TS.csv";

inline RunOutcome run_into(const fs::path& path, const Experiment& experiment, unsigned threads = 1,
                           const std::atomic<bool>* stop = nullptr,
                           std::function<void(const Progress&)> progress = {}) {
  ResultFolder folder(path, experiment);
  return run(experiment, folder,
             {.threads = threads, .stop = stop, .progress = std::move(progress)});
}

// The message of the Error that opening the folder throws; fails the test if there is none.
inline std::string refusal(const fs::path& path, const Experiment& experiment) {
  try {
    ResultFolder folder(path, experiment);
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "the folder " << path << " was opened";
  return "";
}

inline std::string reading_refusal(const fs::path& path) {
  try {
    read_results(path, Curves::kRead);
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "the folder " << path << " was read";
  return "";
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  if (place == std::string::npos) {
    ADD_FAILURE() << "'" << from << "' is not in " << text;
    return text;
  }
  return text.replace(place, from.size(), to);
}

// A row of a cell without its checksum, and one with another body and the checksum that belongs to
// it.
inline std::string body_of(const std::string& row) { return row.substr(0, row.rfind(',')); }

inline std::string sealed(const std::string& body) {
  std::array<char, 9> code{};
  std::snprintf(code.data(), code.size(), "%08x", static_cast<unsigned>(crc32(body)));
  return body + "," + code.data();
}

}  // namespace sau::test
