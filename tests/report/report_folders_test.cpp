// Reports of several folders, and of folders that do not fit together or are damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "made_results.hpp"
#include "sau/core/file.hpp"
#include "sau/report/report.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

using ::testing::AllOf;
using testing::bernoulli;
using ::testing::Contains;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MadeCell;
using ::testing::SizeIs;
using testing::TemporaryFolder;
using testing::write_results;

namespace fs = std::filesystem;

Report report_of_folders(const std::vector<fs::path>& folders) { return make_report(folders, {}); }

void replace_in(const fs::path& path, const std::string& from, const std::string& to) {
  std::string text = read_file(path);
  const std::size_t place = text.find(from);
  ASSERT_NE(place, std::string::npos) << from;
  write_file(path, text.replace(place, from.size(), to));
}

TEST(MakeReport, FoldersAreJoined) {
  const TemporaryFolder folder;
  write_results(folder / "a", {bernoulli("x", {1, 2})});
  write_results(folder / "b", {bernoulli("x", {1, 2, 3}), bernoulli("y", {1, 2, 3})});
  const Report report = report_of_folders({folder / "a", folder / "b"});
  EXPECT_EQ(report.sections.at(0).problems.at(0).series.at(0).trials, 3U);
  EXPECT_THAT(report.sections[0].problems[0].comparison.pairs, SizeIs(1));
  EXPECT_THAT(report.notes, Contains(HasSubstr("both hold one of the cells")));
  ASSERT_THAT(report.runs, SizeIs(2));
  EXPECT_EQ(report.runs[0].trials, 2U) << "all trials of the folder, shown or not";
  EXPECT_EQ(report.runs[1].trials, 6U);
}

TEST(MakeReport, TrialsOfTwoSeedsOrVersionsAreNotPaired) {
  const TemporaryFolder folder;
  write_results(folder / "a", {bernoulli("x", {1, 2})});
  write_results(folder / "b", {bernoulli("y", {1, 2})}, 2);
  write_results(folder / "c", {bernoulli("z", {1, 2})});
  replace_in(folder / "c" / "run.json", "\"sau\": \"", "\"sau\": \"9.");
  const Report seeds = report_of_folders({folder / "a", folder / "b"});
  EXPECT_THAT(seeds.sections.at(0).problems.at(0).series, SizeIs(2));
  EXPECT_THAT(seeds.sections[0].problems[0].comparison.pairs, IsEmpty());
  EXPECT_THAT(seeds.notes, Contains(HasSubstr("several seeds are combined here: 1, 2")));
  EXPECT_THAT(seeds.notes, Contains(HasSubstr("Not all algorithms are compared")));
  const Report versions = report_of_folders({folder / "a", folder / "c"});
  EXPECT_THAT(versions.sections[0].problems[0].comparison.pairs, IsEmpty());
  EXPECT_THAT(versions.notes, Contains(HasSubstr("several versions of sau")));
  EXPECT_THAT(versions.notes, Contains(HasSubstr("was written by sau 9.")));
}

TEST(MakeReport, KernelsThatDifferAreNamed) {
  const TemporaryFolder folder;
  write_results(folder / "a", {bernoulli("x", {1, 2})});
  std::ofstream(folder / "a" / "sessions.jsonl", std::ios::app)
      << "{\"finished\":\"now\",\"cpu\":\"c\",\"kernel\":\"other\"}\nnot json\n";
  const Report report = report_of_folders({folder / "a"});
  EXPECT_THAT(report.notes, Contains(AllOf(HasSubstr("several kernels"), HasSubstr("other"))));
  EXPECT_EQ(report.runs.at(0).machine, "c, kernel other");
}

TEST(MakeReport, RefusesFoldersThatDoNotFitTogether) {
  const TemporaryFolder folder;
  MadeCell one = bernoulli("x", {1}), two = bernoulli("y", {1}), longer = bernoulli("x", {1});
  one.data = "aaaaaaaaaaaaaaaa";
  two.data = "bbbbbbbbbbbbbbbb";
  longer.steps = 20;
  write_results(folder / "a", {one});
  write_results(folder / "b", {two});
  write_results(folder / "c", {longer});
  EXPECT_THAT(error_of([&] {
                report_of_folders({folder / "a", folder / "b"});
              }),
              HasSubstr("different data under the same name"));
  EXPECT_THAT(error_of([&] {
                report_of_folders({folder / "a", folder / "c"});
              }),
              HasSubstr("both hold bernoulli-10-0.1 with x, with steps 10 and 20"));
}

TEST(MakeReport, RefusesDamagedFoldersAndNamesTheFile) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "empty");
  EXPECT_THAT(error_of([&] { report_of_folders({folder / "empty"}); }), HasSubstr("no run.json"));
  write_results(folder / "r", {bernoulli("x", {1, 2})});
  const fs::path cell = folder / "r" / "cells/bernoulli-10-0.1--x.csv";
  const std::string good = read_file(cell);
  replace_in(cell, "\n1,,2", "\n1,,3");
  EXPECT_THAT(error_of([&] { report_of_folders({folder / "r"}); }),
              AllOf(HasSubstr("bernoulli-10-0.1--x.csv, line 3"), HasSubstr("checksum")));
  write_file(cell, good.substr(0, good.size() - 5));  // as if it were still being written
  EXPECT_EQ(report_of_folders({folder / "r"}).sections.at(0).problems.at(0).series.at(0).trials,
            1U);
  write_file(folder / "r" / "theory.json", "{\"format\":\"sau-theory\",\"version\":1}");
  EXPECT_THAT(error_of([&] { report_of_folders({folder / "r"}); }),
              HasSubstr("theory.json: is damaged"));
}

}  // namespace
}  // namespace sau
