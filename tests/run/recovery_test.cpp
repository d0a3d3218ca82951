// Result folders after a kill, with damage, or from somewhere else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "run/run_support.hpp"
#include "sau/core/version.hpp"

namespace sau {
namespace {

using test::all_files;
using test::body_of;
using test::experiment_of;
using test::joined;
using test::kTs;
using test::kUcb;
using test::lines_of;
using test::reading_refusal;
using test::refusal;
using test::replaced;
using test::result_files;
using test::run_into;
using test::sealed;
using test::small_experiment;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::Not;

Experiment tiny() { return experiment_of({"sau_ucb", "ts"}, 6, 3); }

// Without the sync of write_file(), since some tests write a thousand times.
void overwrite(const test::fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST(Recovery, ARowTornAtAnyByteIsRunAgain) {
  const TemporaryFolder place;
  const auto folder = place / "r";
  run_into(folder, tiny());
  const auto expected = result_files(folder);
  const std::string whole = expected.at(kTs);
  const std::size_t last_row = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t size = last_row; size < whole.size(); ++size) {
    overwrite(folder / kTs, whole.substr(0, size));
    const RunOutcome outcome = run_into(folder, tiny());
    EXPECT_EQ(outcome.new_trials, 1U) << "cut at byte " << size;
    EXPECT_TRUE(outcome.complete);
    ASSERT_EQ(result_files(folder), expected) << "cut at byte " << size;
  }
}

TEST(Recovery, AFileCutAtAnyByteGivesItsCompleteRows) {
  const TemporaryFolder place;
  const auto folder = place / "r";
  run_into(folder, tiny());
  const std::string whole = read_file(folder / kTs);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    overwrite(folder / kTs, cut);
    const auto lines = static_cast<std::size_t>(std::ranges::count(cut, '\n'));
    const RunResults results = read_results(folder, Curves::kRead);
    ASSERT_EQ(results.cells[1].trials.size(), lines == 0 ? 0 : lines - 1) << "cut at " << size;
    ASSERT_EQ(results.cells[0].trials.size(), 3U);
  }
}

TEST(Recovery, ATornHeaderIsWrittenAgain) {
  const TemporaryFolder place;
  const auto folder = place / "r";
  run_into(folder, small_experiment());
  const auto expected = result_files(folder);
  for (const std::size_t size : {0U, 1U, 17U}) {
    write_file(folder / kTs, expected.at(kTs).substr(0, size));
    EXPECT_EQ(run_into(folder, small_experiment()).new_trials, 4U);
    EXPECT_EQ(result_files(folder), expected) << "cut at byte " << size;
  }
}

TEST(Recovery, ALostCellFileIsRunAgain) {
  const TemporaryFolder place;
  const auto folder = place / "r";
  run_into(folder, small_experiment());
  const auto expected = result_files(folder);
  test::fs::remove_all(folder / "cells");
  EXPECT_EQ(run_into(folder, small_experiment()).new_trials, 8U);
  EXPECT_EQ(result_files(folder), expected);
}

TEST(Recovery, TimingAndSessionsMayBeMissing) {
  const TemporaryFolder place;
  const auto folder = place / "r";
  run_into(folder, small_experiment());
  test::fs::remove(folder / "timing.csv");
  test::fs::remove(folder / "sessions.jsonl");
  EXPECT_EQ(read_results(folder, Curves::kSkip).cells[0].seconds, 0.0);
  EXPECT_EQ(run_into(folder, small_experiment()).new_trials, 0U);
}

TEST(Recovery, ATornSessionDoesNotSpoilTheNext) {
  const TemporaryFolder place;
  const auto folder = place / "r";
  run_into(folder, small_experiment());
  const std::string session = read_file(folder / "sessions.jsonl");
  write_file(folder / "sessions.jsonl", session + session.substr(0, 20));
  run_into(folder, experiment_of({"sau_ucb", "ts"}, 20, 5));
  const auto lines = lines_of(read_file(folder / "sessions.jsonl"));
  EXPECT_EQ(lines.size(), 2U);
  for (const std::string& line : lines) EXPECT_TRUE(nlohmann::json::accept(line)) << line;
}

TEST(Recovery, AKillBeforeTheSettingsAreWrittenLeavesAUsableFolder) {
  // write_file() writes a temporary file first; a kill then leaves only that.
  const TemporaryFolder place;
  const auto folder = place / "r";
  test::fs::create_directories(folder);
  write_file(folder / "run.json.tmp4242", "{");
  ASSERT_NO_THROW(run_into(folder, small_experiment()));
  run_into(place / "whole", small_experiment());
  EXPECT_EQ(result_files(folder), result_files(place / "whole"));
}

struct Damage {
  const char* name;
  const char* file;  // the message must name it
  std::function<std::string(const std::string&)> change;
  std::vector<std::string> said;
};

std::string with_row(const std::string& text, std::size_t line,
                     const std::function<std::string(const std::string&)>& change) {
  auto lines = lines_of(text);
  lines.at(line) = change(lines.at(line));
  return joined(lines);
}

std::vector<Damage> cell_damages() {
  using Text = std::string;
  return {
      {"flipped byte",
       kTs,
       [](const Text& t) {
         return with_row(t, 2,
                         [](Text row) { return row[5] = static_cast<char>(row[5] ^ 1), row; });
       },
       {"line 3", "checksum"}},
      {"flipped checksum",
       kTs,
       [](const Text& t) {
         return with_row(t, 2,
                         [](Text row) { return row.back() = row.back() == '0' ? '1' : '0', row; });
       },
       {"line 3", "checksum"}},
      {"missing column",
       kTs,
       [](const Text& t) {
         return with_row(t, 2, [](const Text& row) { return sealed(body_of(body_of(row))); });
       },
       {"line 3", "column"}},
      {"column too many",
       kTs,
       [](const Text& t) {
         return with_row(t, 2, [](const Text& row) { return sealed(body_of(row) + ",1"); });
       },
       {"line 3", "column"}},
      {"not a number",
       kTs,
       [](const Text& t) {
         return with_row(t, 2, [](const Text& row) {
           return sealed("1,,nan" + body_of(row).substr(body_of(row).find(',', 3)));
         });
       },
       {"line 3", "regret", "nan", "finite"}},
      {"row lost",
       kTs,
       [](const Text& t) {
         auto lines = lines_of(t);
         lines.erase(lines.begin() + 2);
         return joined(lines);
       },
       {"line 3", "expected trial 1"}},
      {"empty line",
       kTs,
       [](const Text& t) { return with_row(t, 2, [](const Text&) { return ""; }); },
       {"line 3", "damaged"}},
      {"wrong header",
       kTs,
       [](const Text& t) { return replaced(t, "reward", "rewards"); },
       {"line 1", "header"}},
      {"foreign file",
       kTs,
       [](const Text&) { return Text("my,own\n1,2\n"); },
       {"line 1", "header"}},
      {"not JSON", "run.json", [](const Text&) { return Text("hello"); }, {"not JSON"}},
      {"cut short",
       "run.json",
       [](const Text& t) { return t.substr(0, t.size() / 2); },
       {"not JSON"}},
      {"empty settings", "run.json", [](const Text&) { return Text(); }, {"not JSON"}},
      {"other JSON", "run.json", [](const Text&) { return Text("[1]"); }, {"damaged"}},
      {"no format", "run.json", [](const Text&) { return Text("{\"a\":1}"); }, {"format"}},
      {"other format",
       "run.json",
       [](const Text& t) { return replaced(t, "sau-run", "other-run"); },
       {"other-run"}},
      {"newer version",
       "run.json",
       [](const Text& t) { return replaced(t, "\"version\": 3", "\"version\": 4"); },
       {"version 4", "versions 1 to 3"}},
      {"no version",
       "run.json",
       [](const Text& t) { return replaced(t, "\"version\": 3", "\"version\": 0"); },
       {"version 0", "versions 1 to 3"}},
      {"failed without quotes",
       kTs,
       [](const Text& t) {
         return with_row(t, 2,
                         [](const Text& row) { return sealed("1,yes" + body_of(row).substr(2)); });
       },
       {"line 3", "failed", "quotes"}},
      {"failed, but with numbers",
       kTs,
       [](const Text& t) {
         return with_row(
             t, 2, [](const Text& row) { return sealed("1,\"why\"" + body_of(row).substr(2)); });
       },
       {"line 3", "regret", "not empty"}},
      {"reason without end",
       kTs,
       [](const Text& t) {
         return with_row(
             t, 2, [](const Text& row) { return sealed("1,\"why" + body_of(row).substr(2)); });
       },
       {"line 3", "failed", "closed"}},
      {"no cells",
       "run.json",
       [](const Text& t) { return replaced(t, "\"cells\"", "\"sells\""); },
       {"cells"}},
  };
}

TEST(Damage, IsNamedAndNothingIsChanged) {
  for (const Damage& damage : cell_damages()) {
    SCOPED_TRACE(damage.name);
    const TemporaryFolder place;
    const auto folder = place / "r";
    run_into(folder, small_experiment());
    write_file(folder / damage.file, damage.change(read_file(folder / damage.file)));
    const auto before = all_files(folder);
    for (const std::string& message :
         {refusal(folder, small_experiment()), reading_refusal(folder)}) {
      EXPECT_THAT(message, HasSubstr((folder / damage.file).string()));
      EXPECT_THAT(message, Not(HasSubstr("\n")));
      for (const std::string& word : damage.said) EXPECT_THAT(message, HasSubstr(word));
    }
    EXPECT_EQ(all_files(folder), before);
  }
}

TEST(Damage, AForeignFileWithoutALineEndIsNotTakenForATornRow) {
  const TemporaryFolder place;
  const auto folder = place / "r";
  run_into(folder, small_experiment());
  write_file(folder / kTs, "my thesis");
  const auto before = all_files(folder);
  EXPECT_THAT(refusal(folder, small_experiment()), HasSubstr(kTs));
  EXPECT_THAT(reading_refusal(folder), HasSubstr(kTs));
  EXPECT_EQ(all_files(folder), before);
}

TEST(Damage, InOneFileLeavesATornRowInAnotherAlone) {
  const TemporaryFolder place;
  const auto folder = place / "r";
  run_into(folder, small_experiment());
  const std::string first = read_file(folder / kUcb);
  write_file(folder / kUcb, first.substr(0, first.size() - 5));
  write_file(folder / kTs, replaced(read_file(folder / kTs), "reward", "rewards"));
  const auto before = all_files(folder);
  EXPECT_THAT(refusal(folder, small_experiment()), HasSubstr(kTs));
  EXPECT_EQ(all_files(folder), before);
}

TEST(Refusal, AnotherSeed) {
  const TemporaryFolder place;
  const auto folder = place / "r";
  run_into(folder, small_experiment());
  const auto before = all_files(folder);
  Experiment other = small_experiment();
  other.seed = 77;
  const std::string message = refusal(folder, other);
  EXPECT_THAT(message, HasSubstr(folder.string()));
  EXPECT_THAT(message, HasSubstr("seed 1, not 77"));
  EXPECT_EQ(all_files(folder), before);
}

TEST(Refusal, AnotherVersionOfSau) {
  const TemporaryFolder place;
  const auto folder = place / "r";
  run_into(folder, small_experiment());
  const std::string mine = "\"sau\": \"" + std::string(version()) + "\"";
  write_file(folder / "run.json",
             replaced(read_file(folder / "run.json"), mine, "\"sau\": \"99.1.2\""));
  const auto before = all_files(folder);
  const std::string message = refusal(folder, small_experiment());
  EXPECT_THAT(message, HasSubstr(folder.string()));
  EXPECT_THAT(message, HasSubstr("99.1.2"));
  EXPECT_THAT(message, HasSubstr(std::string(version())));
  EXPECT_EQ(all_files(folder), before);
  EXPECT_EQ(read_results(folder, Curves::kSkip).cells.size(), 2U);  // reading is still allowed
}

TEST(Refusal, AForeignFolder) {
  const TemporaryFolder place;
  const auto folder = place / "photos";
  test::fs::create_directories(folder);
  write_file(folder / "cat.jpg", "meow");
  for (const std::string& message :
       {refusal(folder, small_experiment()), reading_refusal(folder)}) {
    EXPECT_THAT(message, HasSubstr(folder.string()));
    EXPECT_THAT(message, HasSubstr("not a sau result folder"));
  }
  EXPECT_EQ(all_files(folder), (test::Files{{"cat.jpg", "meow"}}));
  EXPECT_THAT(reading_refusal(place / "nowhere"), HasSubstr((place / "nowhere").string()));
}

TEST(Refusal, AFolderInUse) {
  const TemporaryFolder place;
  const auto folder = place / "r";
  {
    const ResultFolder first(folder, small_experiment());
    const auto before = all_files(folder);
    const std::string message = refusal(folder, experiment_of({"ucb1"}, 30, 2));
    EXPECT_THAT(message, HasSubstr(folder.string()));
    EXPECT_THAT(message, HasSubstr("in use"));
    EXPECT_EQ(all_files(folder), before);
  }
  EXPECT_TRUE(run_into(folder, small_experiment()).complete);  // no longer in use
}

TEST(Refusal, APathBelowAFile) {
  const TemporaryFolder place;
  write_file(place / "file", "mine");
  for (const char* path : {"file", "file/r"}) {
    EXPECT_THAT(refusal(place / path, small_experiment()), HasSubstr((place / path).string()));
  }
  EXPECT_EQ(read_file(place / "file"), "mine");
}

TEST(Refusal, AFolderThatCannotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  const TemporaryFolder place;
  const auto folder = place / "r";
  run_into(folder, small_experiment());
  const auto before = all_files(folder);
  test::fs::permissions(folder, test::fs::perms::owner_read | test::fs::perms::owner_exec);
  EXPECT_THAT(refusal(folder, experiment_of({"ucb1"}, 30, 2)), HasSubstr(folder.string()));
  EXPECT_THAT(refusal(folder / "below", small_experiment()),
              HasSubstr((folder / "below").string()));
  test::fs::permissions(folder, test::fs::perms::owner_all);
  EXPECT_EQ(all_files(folder), before);
}

}  // namespace
}  // namespace sau
