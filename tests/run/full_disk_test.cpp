// RLIMIT_FSIZE simulates a full disk: a write fails after some bytes were written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "run/run_support.hpp"

namespace sau {
namespace {

using test::all_files;
using test::experiment_of;
using test::result_files;
using test::run_into;
using test::small_experiment;
using test::TemporaryFolder;
using ::testing::HasSubstr;

// While this exists, no file can grow beyond `bytes`, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

std::string failure_on_full_disk(rlim_t bytes, const std::function<void()>& action) {
  const FileSizeLimit limit(bytes);
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing failed";
}

TEST(FullDisk, WhileWritingRowsKeepsTheRowsBefore) {
  const Experiment experiment = experiment_of({"sau_ucb", "ts"}, 200, 30);
  const TemporaryFolder place;
  run_into(place / "whole", experiment);
  const auto expected = result_files(place / "whole");
  for (const unsigned threads : {1U, 2U, 7U}) {
    const auto folder = place / ("full" + std::to_string(threads));
    const std::string message =
        failure_on_full_disk(8000, [&] { run_into(folder, experiment, threads); });
    EXPECT_THAT(message, HasSubstr((folder / "cells").string()));
    EXPECT_THAT(message, HasSubstr("File too large"));
    const RunResults results = read_results(folder, Curves::kRead);
    EXPECT_GT(results.cells[0].trials.size(), 1U);
    EXPECT_LT(results.cells[0].trials.size(), 30U);
    for (const auto& [name, bytes] : result_files(folder)) {
      EXPECT_TRUE(expected.at(name).starts_with(bytes)) << name;  // cut back to whole rows
      EXPECT_EQ(bytes.back(), '\n') << name;
    }
    EXPECT_TRUE(run_into(folder, experiment, threads).complete);
    EXPECT_EQ(result_files(folder), expected);
  }
}

TEST(FullDisk, BeforeTheFirstRowLeavesNoPartOfAFile) {
  const TemporaryFolder place;
  const auto folder = place / "r";
  const Experiment experiment = experiment_of({"sau_ucb"}, 2000, 2);  // header and row are longer
  const std::string message = failure_on_full_disk(600, [&] { run_into(folder, experiment, 2); });
  EXPECT_THAT(message, HasSubstr((folder / "cells/bernoulli-10-0.1--SAU-UCB.csv").string()));
  EXPECT_FALSE(test::fs::exists(folder / "cells/bernoulli-10-0.1--SAU-UCB.csv"));
  EXPECT_TRUE(run_into(folder, experiment).complete);
}

TEST(FullDisk, WhileWritingTheSettingsLeavesNothing) {
  const TemporaryFolder place;
  const auto folder = place / "r";
  const std::string message =
      failure_on_full_disk(16, [&] { run_into(folder, small_experiment()); });
  EXPECT_THAT(message, HasSubstr((folder / "run.json").string()));
  EXPECT_EQ(all_files(folder), test::Files{});
  EXPECT_TRUE(run_into(folder, small_experiment()).complete);
}

TEST(FullDisk, WhileWritingTheSettingsKeepsTheOldOnes) {
  const TemporaryFolder place;
  const auto folder = place / "r";
  run_into(folder, small_experiment());
  const auto before = all_files(folder);
  const auto more = experiment_of({"sau_ucb", "ts", "ucb1"}, 20, 9);
  const std::string message = failure_on_full_disk(16, [&] { run_into(folder, more); });
  EXPECT_THAT(message, HasSubstr((folder / "run.json").string()));
  EXPECT_EQ(all_files(folder), before);
  EXPECT_TRUE(run_into(folder, more).complete);
}

}  // namespace
}  // namespace sau
