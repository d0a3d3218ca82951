// Shards of a run, and joining result folders.
#include "sau/run/merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "run/run_support.hpp"
#include "sau/core/version.hpp"
#include "sau/run/plan.hpp"

namespace sau {
namespace {

using test::all_files;
using test::experiment_of;
using test::kTs;
using test::kUcb;
using test::reading_refusal;
using test::refusal;
using test::replaced;
using test::result_files;
using test::run_into;
using test::TemporaryFolder;
using test::fs::path;
using ::testing::HasSubstr;

Experiment shard_of(Experiment experiment, std::uint64_t number, std::uint64_t of) {
  experiment.shard = {.number = number, .of = of};
  return experiment;
}

Experiment seven_trials() { return experiment_of({"sau_ucb", "ts"}, 20, 7); }

// Runs the shards into folders of their own.
std::vector<path> run_shards(const TemporaryFolder& place, const Experiment& experiment,
                             std::uint64_t of) {
  std::vector<path> folders;
  for (std::uint64_t number = 1; number <= of; ++number) {
    folders.push_back(place / ("shard" + std::to_string(number)));
    run_into(folders.back(), shard_of(experiment, number, of));
  }
  return folders;
}

std::string merge_refusal(const path& out, const std::vector<path>& folders) {
  try {
    merge_results(out, folders);
  } catch (const Error& error) {
    EXPECT_FALSE(test::fs::exists(out)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "the folders were joined";
  return "";
}

TEST(Shard, EveryTrialBelongsToExactlyOne) {
  for (const std::uint64_t of : {1U, 2U, 3U, 8U}) {
    for (const Cell& cell : seven_trials().cells) {
      std::multiset<std::uint64_t> trials;
      for (std::uint64_t number = 1; number <= of; ++number) {
        const TrialSlice slice = Shard{.number = number, .of = of}.slice(cell);
        for (std::uint64_t row = 0; row < slice.rows(7); ++row) trials.insert(slice.trial(row));
      }
      EXPECT_EQ(trials, (std::multiset<std::uint64_t>{0, 1, 2, 3, 4, 5, 6})) << of;
    }
  }
}

TEST(Shard, ReadsItsText) {
  EXPECT_EQ(read_shard("2/4").number, 2U);
  EXPECT_EQ(read_shard("2/4").of, 4U);
  EXPECT_EQ(read_shard("1000000/1000000").text(), "1000000/1000000");
  for (const char* text : {"0/4", "5/4", "x/y", "2", "2/", "/4", "2/4/1", "-1/4", "+1/4", " 1/4",
                           "1/1000001", "18446744073709551617/4", ""}) {
    EXPECT_THROW(read_shard(text), UsageError) << text;
  }
}

TEST(Shard, IsNotTakenForAWholeRun) {
  const TemporaryFolder place;
  const auto folder = place / "r";
  run_into(folder, shard_of(seven_trials(), 2, 3));
  const auto before = all_files(folder);
  EXPECT_THAT(reading_refusal(folder), HasSubstr("shard 2/3"));
  EXPECT_THAT(refusal(folder, seven_trials()), HasSubstr("holds shard 2/3, not a whole run"));
  EXPECT_THAT(refusal(folder, shard_of(seven_trials(), 1, 3)),
              HasSubstr("holds shard 2/3, not shard 1/3"));
  EXPECT_EQ(all_files(folder), before);
  run_into(place / "whole", seven_trials());
  EXPECT_THAT(refusal(place / "whole", shard_of(seven_trials(), 1, 3)),
              HasSubstr("holds a whole run, not shard 1/3"));
}

TEST(Shard, IsContinuedAndPlanned) {
  const TemporaryFolder place;
  const Experiment less = shard_of(experiment_of({"sau_ucb", "ts"}, 20, 4), 2, 3);
  const Experiment more = shard_of(seven_trials(), 2, 3);
  const auto first = run_into(place / "r", less).new_trials;
  const Plan plan = make_plan(more, place / "r", 1, 0.0);
  std::uint64_t present = 0, missing = 0;
  for (const CellPlan& cell : plan.cells) {
    present += cell.present;
    missing += cell.missing();
  }
  EXPECT_EQ(present, first);
  EXPECT_EQ(run_into(place / "r", more).new_trials, missing);
  run_into(place / "at once", more);
  EXPECT_EQ(result_files(place / "r"), result_files(place / "at once"));
}

TEST(Merge, GivesTheBytesOfASingleRun) {
  for (const std::uint64_t of : {2U, 3U, 9U}) {
    const TemporaryFolder place;
    run_into(place / "whole", seven_trials());
    const auto folders = run_shards(place, seven_trials(), of);
    std::vector<test::Files> before;
    for (const path& folder : folders) before.push_back(all_files(folder));
    const MergeOutcome outcome = merge_results(place / "out", folders);
    EXPECT_EQ(outcome.trials, 14U);
    EXPECT_EQ(outcome.missing, 0U);
    EXPECT_EQ(result_files(place / "out"), result_files(place / "whole")) << of;
    EXPECT_EQ(read_results(place / "out", Curves::kRead).cells.size(), 2U);
    EXPECT_GT(read_results(place / "out", Curves::kSkip).cells[1].seconds, 0.0);
    EXPECT_EQ(run_into(place / "out", seven_trials()).new_trials, 0U);
    for (std::size_t i = 0; i < folders.size(); ++i) EXPECT_EQ(all_files(folders[i]), before[i]);
  }
}

TEST(Merge, TakesEqualTrialsTwiceAndTrialsAskedForLater) {
  const TemporaryFolder place;
  run_into(place / "whole", seven_trials());
  run_into(place / "half", experiment_of({"sau_ucb", "ts"}, 20, 3));
  auto folders = run_shards(place, seven_trials(), 2);
  folders.insert(folders.begin(), place / "half");
  folders.push_back(folders[1]);
  EXPECT_EQ(merge_results(place / "out", folders).trials, 14U);
  EXPECT_EQ(result_files(place / "out"), result_files(place / "whole"));
}

TEST(Merge, CopiesOtherFilesAndRefusesTwoVersionsOfOne) {
  const TemporaryFolder place;
  const auto folders = run_shards(place, seven_trials(), 2);
  write_file(folders[0] / "theory.json", "1");
  merge_results(place / "out", folders);
  EXPECT_EQ(read_file(place / "out" / "theory.json"), "1");
  write_file(folders[1] / "theory.json", "2");
  EXPECT_THAT(merge_refusal(place / "second", folders),
              HasSubstr((folders[1] / "theory.json").string()));
}

TEST(Merge, WritesTablesIfAShardAsksForThem) {
  const TemporaryFolder place;
  Experiment experiment = seven_trials();
  std::vector<path> tabled;
  const MergeOptions options{.write_tables = [&](const path& folder) { tabled.push_back(folder); }};
  merge_results(place / "without", run_shards(place, experiment, 2), options);
  EXPECT_TRUE(tabled.empty());
  for (std::uint64_t number = 1; number <= 2; ++number) {
    experiment.shard = {.number = number, .of = 2, .tables = true};
    run_into(place / ("shard" + std::to_string(number)), experiment);
  }
  const std::vector<path> folders = {place / "shard1", place / "shard2"};
  merge_results(place / "out", folders, options);
  EXPECT_EQ(tabled.size(), 1U);
}

TEST(Merge, CountsWhatIsMissing) {
  const TemporaryFolder place;
  run_into(place / "whole", seven_trials());
  auto folders = run_shards(place, seven_trials(), 4);
  folders.erase(folders.begin() + 2);
  const std::string message = merge_refusal(place / "out", folders);
  EXPECT_THAT(message, HasSubstr("shard 3/4 is not among the folders"));
  EXPECT_THAT(message, HasSubstr("trials are missing"));
  EXPECT_THAT(message, HasSubstr("of 7 trials"));
  const MergeOutcome outcome = merge_results(place / "out", folders, {.partial = true});
  EXPECT_GT(outcome.missing, 0U);
  EXPECT_EQ(outcome.trials + outcome.left_out + outcome.missing, 14U);
  EXPECT_EQ(outcome.gaps.size(), 2U);
  // It goes on like any other folder.
  EXPECT_EQ(run_into(place / "out", seven_trials()).new_trials, 14U - outcome.trials);
  EXPECT_EQ(result_files(place / "out"), result_files(place / "whole"));
}

TEST(Merge, RefusesFoldersThatDoNotBelongTogether) {
  const TemporaryFolder place;
  const auto folders = run_shards(place, seven_trials(), 2);
  Experiment seeded = shard_of(seven_trials(), 2, 2);
  seeded.seed = 77;
  run_into(place / "seed", seeded);
  run_into(place / "agent", shard_of(experiment_of({"sau_ucb", "ucb1"}, 20, 7), 2, 2));
  run_into(place / "more", shard_of(experiment_of({"sau_ucb", "ts", "ucb1"}, 20, 7), 2, 2));
  run_into(place / "steps", shard_of(experiment_of({"sau_ucb", "ts"}, 21, 7), 2, 2));
  test::fs::copy(folders[1], place / "version", test::fs::copy_options::recursive);
  const std::string mine = "\"sau\": \"" + std::string(version()) + "\"";
  write_file(place / "version" / "run.json",
             replaced(read_file(place / "version" / "run.json"), mine, "\"sau\": \"99.1.2\""));
  test::fs::create_directories(place / "photos");
  const std::pair<const char*, const char*> wrong[] = {
      {"seed", "seed 77, not 1"}, {"agent", "does not have the cell"},
      {"more", "ucb1"},           {"steps", "20 steps"},
      {"version", "99.1.2"},      {"photos", "run.json"},
      {"nowhere", "no folder"}};
  for (const auto& [name, why] : wrong) {
    const std::string message = merge_refusal(place / "out", {folders[0], place / name});
    EXPECT_THAT(message, HasSubstr((place / name).string()));
    EXPECT_THAT(message, HasSubstr(why));
  }
  EXPECT_THROW(merge_results(place / "out", {}), UsageError);
}

TEST(Merge, RefusesOtherData) {
  const TemporaryFolder place;
  for (const char* digits : {"0123456789abcdef", "fedcba9876543210"}) {
    Experiment experiment = shard_of(seven_trials(), 1, 2);
    for (Cell& cell : experiment.cells) cell.data = digits;
    const ResultFolder folder(place / digits, experiment);
  }
  const std::string message =
      merge_refusal(place / "out", {place / "0123456789abcdef", place / "fedcba9876543210"});
  EXPECT_THAT(message, HasSubstr("the data of"));
  EXPECT_THAT(message, HasSubstr((place / "fedcba9876543210").string()));
}

TEST(Merge, RefusesTrialsThatDiffer) {
  const TemporaryFolder place;
  run_into(place / "one", seven_trials());
  run_into(place / "two", seven_trials());
  auto lines = test::lines_of(read_file(place / "two" / kTs));
  lines[3] = test::sealed(replaced(test::body_of(lines[3]), ",0,", ",1,"));
  write_file(place / "two" / kTs, test::joined(lines));
  const std::string message = merge_refusal(place / "out", {place / "one", place / "two"});
  EXPECT_THAT(message, HasSubstr("trial 2 of"));
  EXPECT_THAT(message, HasSubstr((place / "two").string()));
}

TEST(Merge, RefusesAFolderInUseAndOneThatExists) {
  const TemporaryFolder place;
  const auto folders = run_shards(place, seven_trials(), 2);
  {
    const ResultFolder open(folders[1], shard_of(seven_trials(), 2, 2));
    EXPECT_THAT(merge_refusal(place / "out", folders), HasSubstr("in use"));
  }
  test::fs::create_directories(place / "mine");
  try {
    merge_results(place / "mine", folders);
    ADD_FAILURE() << "wrote into a folder that exists";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("exists already"));
  }
  EXPECT_TRUE(test::fs::is_empty(place / "mine"));
}

TEST(Merge, StartsAnewAfterAKilledOne) {
  const TemporaryFolder place;
  const auto folders = run_shards(place, seven_trials(), 2);
  run_into(place / "whole", seven_trials());
  // What a kill may leave: a part of the new folder, under its temporary name.
  run_into(place / "out.merging", experiment_of({"ucb1"}, 30, 2));
  merge_results(place / "out", folders);
  EXPECT_EQ(result_files(place / "out"), result_files(place / "whole"));
  EXPECT_FALSE(test::fs::exists(place / "out.merging"));
  // Something else of that name is not removed.
  write_file(place / "photos.merging", "meow");
  EXPECT_THROW(merge_results(place / "photos", folders), Error);
  EXPECT_EQ(read_file(place / "photos.merging"), "meow");
}

}  // namespace
}  // namespace sau
