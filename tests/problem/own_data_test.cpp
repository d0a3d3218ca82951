#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "support/data_folders.hpp"
#include "support/errors.hpp"
#include "support/kept_notes.hpp"

namespace sau {
namespace {

using testing::DataFolders;
using testing::error_of;
using ::testing::HasSubstr;

// 200 rows with a unique number, a word, and the class, which is the number modulo 3.
std::string numbered_rows() {
  std::string text = "number,word,class\n";
  for (int i = 0; i < 200; ++i) {
    text += std::to_string(i) + (i % 2 == 0 ? ",even,c" : ",odd,c") + std::to_string(i % 3) + "\n";
  }
  return text;
}

std::vector<double> numbers_of(Problem& problem, int steps) {
  Rng rng(Stream{});
  std::vector<double> seen;
  for (int n = 0; n < steps; ++n) seen.push_back(problem.next(rng)[0]);
  return seen;
}

class OwnData : public ::testing::Test {
 public:
  std::unique_ptr<Problem> numbered(std::uint64_t trial) {
    const std::string file = folders_.path() / "rows.csv";
    if (!std::filesystem::exists(file)) folders_.file("rows.csv", numbered_rows());
    return make_problem("csv(file=\"" + file + "\",scale=none)", {.seed = 1, .trial = trial});
  }

  DataFolders folders_;
};

TEST_F(OwnData, ACsvIsAProblemOfItsClasses) {
  const auto problem = numbered(0);
  EXPECT_EQ(problem->shape(), (Shape{3, 4}));
  EXPECT_EQ(problem->default_steps(), 200U);
  EXPECT_EQ(problem->rewards().min, 0.0);
  EXPECT_EQ(problem->rewards().max, 1.0);
  Rng rng(Stream{});
  for (int n = 0; n < 500; ++n) {
    const Context x = problem->next(rng);
    const auto number = static_cast<int>(x[0]);
    EXPECT_EQ(x[1], number % 2 == 0 ? 1.0 : 0.0);
    EXPECT_EQ(x[2], number % 2 == 0 ? 0.0 : 1.0);
    for (Action a = 0; a < 3; ++a) {
      EXPECT_EQ(problem->pull(a, rng), static_cast<int>(a) == number % 3 ? 1.0 : 0.0);
      EXPECT_EQ(problem->regret(a), static_cast<int>(a) == number % 3 ? 0.0 : 1.0);
    }
  }
  EXPECT_EQ(rng.position(), 0U);
}

TEST_F(OwnData, ATrialIsAPermutationThatRepeats) {
  const auto seen = numbers_of(*numbered(0), 450);
  const std::vector first(seen.begin(), seen.begin() + 200);
  EXPECT_EQ(std::set<double>(first.begin(), first.end()).size(), 200U);
  for (std::size_t n = 200; n < seen.size(); ++n) EXPECT_EQ(seen[n], seen[n - 200]);
  EXPECT_EQ(numbers_of(*numbered(0), 200), first);
  EXPECT_NE(numbers_of(*numbered(1), 200), first);
  EXPECT_FALSE(std::ranges::is_sorted(first));
}

// Every row is equally often the first: chi-square with 199 degrees of freedom, level 1e-4.
TEST_F(OwnData, EveryRowIsEquallyOftenTheFirst) {
  std::vector<double> count(200);
  constexpr int kTrials = 20'000;
  for (int trial = 0; trial < kTrials; ++trial) {
    count[static_cast<std::size_t>(
        numbers_of(*numbered(static_cast<std::uint64_t>(trial)), 1)[0])]++;
  }
  double distance = 0.0;
  for (const double n : count) distance += (n - 100.0) * (n - 100.0) / 100.0;
  EXPECT_LT(distance, 280.0);
}

TEST_F(OwnData, CompressedFilesAreRead) {
  // printf 'a,y\n1,0\n2,1\n' | gzip -n
  const std::string_view packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\xd4\xa9\xe4\x32\xd4\x31\xe0\x32\xd2\x31\xe4\x02"
      "\x00\xd1\xa1\x9b\x99\x0c\x00\x00\x00",
      32);
  const std::string file = folders_.file("small.csv.gz", packed);
  EXPECT_EQ(make_problem("csv(file=\"" + file + "\")", {})->shape(), (Shape{2, 2}));
}

TEST_F(OwnData, LibsvmAndRewardsAreProblems) {
  const std::string sparse = folders_.file("rows.svm", "1 1:2\n3 3:1\n1 2:4\n");
  const auto libsvm = make_problem("libsvm(file=\"" + sparse + "\")", {});
  EXPECT_EQ(libsvm->shape(), (Shape{2, 4}));
  EXPECT_EQ(libsvm->default_steps(), 3U);

  const std::string paid = folders_.file("paid.csv", "a,b,left,right\n1,2,-3,7\n3,4,5,0.5\n");
  const auto rewards =
      make_problem("rewards(file=\"" + paid + "\",actions=left..right,scale=none)", {});
  EXPECT_EQ(rewards->shape(), (Shape{2, 3}));
  EXPECT_EQ(rewards->rewards().min, -3.0);
  EXPECT_EQ(rewards->rewards().max, 7.0);
  Rng rng(Stream{});
  for (int n = 0; n < 4; ++n) {
    const bool first = rewards->next(rng)[0] == 1.0;
    EXPECT_EQ(rewards->pull(0, rng), first ? -3.0 : 5.0);
    EXPECT_EQ(rewards->regret(0), first ? 10.0 : 0.0);
    EXPECT_EQ(rewards->regret(1), first ? 0.0 : 4.5);
  }
}

TEST_F(OwnData, TheContextHasAnInterceptUnlessItIsNotWanted) {
  const std::string file = folders_.file("few.csv", "a,y\n1,u\n2,v\n3,v\n");
  const std::string sparse = folders_.file("few.svm", "1 1:2\n3 2:1\n1 2:4\n");
  for (const std::string& spec : {"csv(file=\"" + file + "\"", "libsvm(file=\"" + sparse + "\"",
                                  "rewards(file=\"" + file + "\",actions=a,context=y"}) {
    const auto with = make_problem(spec + ")", {});
    const auto without = make_problem(spec + ",intercept=false)", {});
    EXPECT_EQ(with->shape().dim, without->shape().dim + 1) << spec;
    Rng rng(Stream{}), same(Stream{});
    for (int n = 0; n < 5; ++n) {
      const Context x = with->next(rng);
      EXPECT_EQ(x.back(), 1.0);
      EXPECT_TRUE(std::ranges::equal(x.first(x.size() - 1), without->next(same)));
    }
  }
}

TEST_F(OwnData, FilesAreJoined) {
  folders_.file("one.csv", "a,y\n1,u\n2,v\n");
  folders_.file("two.csv", "a,y\n3,u\n");
  const std::string folder = folders_.path().string() + "/";
  const auto joined =
      make_problem("csv(file=\"" + folder + "one.csv|" + folder + "two.csv\",scale=none)", {});
  EXPECT_EQ(joined->default_steps(), 3U);
  const auto seen = numbers_of(*joined, 3);
  EXPECT_EQ(std::set<double>(seen.begin(), seen.end()), (std::set<double>{1.0, 2.0, 3.0}));
  // A change in any of them is found.
  const std::string before = joined->data();
  folders_.file("two.csv", "a,y\n4,u\n");
  EXPECT_NE(make_problem("csv(file=\"" + folder + "one.csv|" + folder + "two.csv\",scale=none)", {})
                ->data(),
            before);
  EXPECT_THAT(error_of<UsageError>([&] { make_problem("csv(file=a.csv|)", {}); }),
              HasSubstr("paths joined by |"));
}

TEST_F(OwnData, TheDataHaveAFingerprint) {
  const std::string before = numbered(0)->data();
  EXPECT_FALSE(before.empty());
  EXPECT_EQ(numbered(1)->data(), before);
  folders_.file("rows.csv", numbered_rows() + "7,odd,c2\n");
  EXPECT_NE(numbered(0)->data(), before);
  EXPECT_EQ(make_problem("bernoulli", {})->data(), "");
}

// It goes to the note function; the library itself prints nothing.
TEST_F(OwnData, ANoteSaysOnceHowTheFileWasRead) {
  ::testing::internal::CaptureStderr();
  const testing::KeptNotes notes;
  numbered(0);
  numbered(1);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ASSERT_EQ(notes.all().size(), 1U);
  EXPECT_EQ(notes.all()[0].kind, Note::Kind::kInformation);
  EXPECT_EQ(notes.all()[0].text,
            (folders_.path() / "rows.csv").string() +
                ": 200 rows, header, label class (3 classes), 1 number, 1 word");
}

TEST_F(OwnData, ErrorsNameTheMistake) {
  EXPECT_EQ(error_of<UsageError>([] { make_problem("csv", {}); }),
            "csv: file is missing; write csv(file=PATH)");
  EXPECT_THAT(error_of<UsageError>([] { make_problem("rewards(file=x.csv)", {}); }),
              HasSubstr("rewards: actions is missing"));
  EXPECT_EQ(error_of([] { make_problem("libsvm(file=/nowhere/x)", {}); }),
            "cannot read /nowhere/x: No such file or directory");
  const std::string file = folders_.file("bad.csv", "a,y\n1,0\ninf,1\n");
  EXPECT_EQ(
      error_of([&] { make_problem("csv(file=\"" + file + "\")", {}); }),
      file + ":3: column 1 (a): found 'inf', expected a finite number, at most 1e100 in size");
}

}  // namespace
}  // namespace sau
