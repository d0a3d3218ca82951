#include "sau/problem/dataset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include "data/loaders.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/data/source.hpp"
#include "sau/data/unpack.hpp"
#include "support/data_folders.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using testing::DataFolders;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

std::vector<std::uint64_t> class_counts(const detail::Table& table) {
  std::vector<std::uint64_t> counts(table.actions());
  for (std::uint64_t row = 0; row < table.rows(); ++row) ++counts[table.label(row)];
  return counts;
}

std::string text_of(std::string_view name) {
  return read_unpacked(find_data_file(data_source(name).files.front()));
}

std::vector<std::vector<double>> contexts(const detail::Table& table) {
  std::vector<std::vector<double>> rows;
  std::vector<double> x = table.start();
  std::vector<std::uint32_t> hot;
  for (std::uint64_t row = 0; row < table.rows(); ++row) {
    table.expand(row, x, hot);
    rows.push_back(x);
  }
  return rows;
}

TEST(Dataset, MushroomIsOneHotAndPaysByItsClass) {
  const DataFolders folders;
  SAU_NEED_SHARED_DATA(folders);
  const auto table = detail::open_dataset(detail::data_loader("mushroom"));
  EXPECT_EQ(table->rows(), 8124U);
  EXPECT_EQ(table->dim(), 117U);
  EXPECT_THAT(class_counts(*table), ElementsAre(4208, 3916));
  for (const auto& x : contexts(*table)) {
    ASSERT_EQ(std::ranges::count(x, 1.0), 22);
    ASSERT_EQ(std::ranges::count(x, 0.0), 117 - 22);
  }
  const auto problem = make_problem("mushroom", {});
  EXPECT_EQ(problem->shape(), (Shape{2, 117}));
  EXPECT_EQ(problem->default_steps(), 50'000U);
}

// The rewards of eating in three passes over the rows. (Only the reward of not eating is fixed.)
std::vector<double> eaten(std::string_view spec, std::uint64_t trial) {
  const auto problem = make_problem(spec, {.seed = 2, .trial = trial});
  Rng rng(Stream{.seed = 3, .trial = trial});
  std::vector<double> rewards;
  for (int n = 0; n < 3 * 8124; ++n) {
    problem->next(rng);
    rewards.push_back(problem->pull(1, rng));
    EXPECT_EQ(problem->pull(0, rng), 0.0);
    EXPECT_EQ(problem->regret(0) - problem->regret(1), rewards.back());
    EXPECT_TRUE(problem->regret(0) == 5.0 || problem->regret(0) == 0.0);
  }
  return rewards;
}

TEST(Dataset, FrozenOutcomesRepeatAndFreshOnesDoNot) {
  const DataFolders folders;
  SAU_NEED_SHARED_DATA(folders);
  const auto frozen = eaten("mushroom", 0), fresh = eaten("mushroom-fresh", 0);
  const auto bad = [](const std::vector<double>& rewards) {
    return static_cast<double>(std::ranges::count(rewards, -35.0));
  };
  for (std::size_t n = 8124; n < frozen.size(); ++n) ASSERT_EQ(frozen[n], frozen[n - 8124]);
  int changed = 0;
  for (std::size_t n = 8124; n < fresh.size(); ++n) changed += fresh[n] != fresh[n - 8124] ? 1 : 0;
  EXPECT_NEAR(changed, 3916, 4 * std::sqrt(3916.0));
  EXPECT_NEAR(bad(frozen), 3 * 1958.0, 3 * 4 * std::sqrt(979.0));
  EXPECT_NEAR(bad(fresh), 3 * 1958.0, 4 * std::sqrt(3 * 979.0));
  EXPECT_NE(eaten("mushroom", 1), frozen);
}

TEST(Dataset, StatlogIsStandardised) {
  const DataFolders folders;
  SAU_NEED_SHARED_DATA(folders);
  const auto table = detail::open_dataset(detail::data_loader("statlog"));
  EXPECT_THAT(class_counts(*table), ElementsAre(34108, 37, 132, 6748, 2458, 6, 11));
  const auto found = contexts(*table);
  ASSERT_EQ(found.size(), 43500U);
  std::istringstream text(text_of("statlog"));
  std::vector<long double> raw(43500 * 10);
  for (long double& value : raw) text >> value;
  for (std::size_t c = 0; c < 9; ++c) {
    long double sum = 0, square = 0;
    for (std::size_t row = 0; row < 43500; ++row) {
      sum += raw[row * 10 + c];
      square += raw[row * 10 + c] * raw[row * 10 + c];
    }
    const long double mean = sum / 43500, deviation = std::sqrt(square / 43500 - mean * mean);
    for (std::size_t row = 0; row < 43500; row += 97) {
      ASSERT_NEAR(found[row][c], static_cast<double>((raw[row * 10 + c] - mean) / deviation), 1e-9);
    }
  }
}

TEST(Dataset, AdultDropsIncompleteRows) {
  const DataFolders folders;
  SAU_NEED_SHARED_DATA(folders);
  const auto table = detail::open_dataset(detail::data_loader("adult"));
  EXPECT_EQ(table->rows(), 30162U);
  EXPECT_EQ(table->dim(), 92U);
  // Occupations sorted as text: Adm-clerical, Armed-Forces, Craft-repair, ...
  EXPECT_THAT(class_counts(*table), ElementsAre(3721, 9, 4030, 3992, 989, 1350, 1966, 3212, 143,
                                                4038, 644, 3584, 912, 1572));
  // The first row: 39, State-gov, 77516, Bachelors, 13, ..., Adm-clerical, ..., <=50K.
  const auto x = contexts(*table)[0];
  EXPECT_EQ(table->label(0), 0U);
  EXPECT_NEAR(x[0], (39 - 38.437902) / 13.134447, 1e-4);  // mean and deviation of the 30162 ages
  EXPECT_EQ(x[1 + 5], 1.0) << "State-gov is the sixth of seven kinds of work";
  EXPECT_EQ(std::ranges::count(x, 1.0), 8);
  EXPECT_EQ(make_problem("adult", {})->default_steps(), 45'222U);
}

TEST(Dataset, JesterPermutesItsColumns) {
  const DataFolders folders;
  SAU_NEED_SHARED_DATA(folders);
  const auto table = detail::open_dataset(detail::data_loader("jester"));
  EXPECT_EQ(table->rows(), 19181U);
  ASSERT_EQ(table->dim(), 40U);
  double sum = 0.0;
  for (const auto& x : contexts(*table)) {
    for (const double rating : x) sum += rating / (40.0 * 19181.0);
  }
  EXPECT_NEAR(sum, 1.505, 0.0005);
  const auto problem = make_problem("jester", {.seed = 1});
  EXPECT_EQ(problem->shape(), (Shape{8, 32}));
  Rng rng(Stream{});
  // The numbers of a step are those of a row in another order, which is the same for all rows.
  const Context x = problem->next(rng);
  std::vector<double> all(x.begin(), x.end());
  for (Action a = 0; a < 8; ++a) all.push_back(problem->pull(a, rng));
  EXPECT_EQ(problem->regret(0),
            *std::max_element(all.begin() + 32, all.end()) - problem->pull(0, rng));
  std::ranges::sort(all);
  int matches = 0;
  for (auto row : contexts(*table)) {
    std::ranges::sort(row);
    matches += row == all ? 1 : 0;
  }
  EXPECT_EQ(matches, 1);
}

TEST(Dataset, FinancialDrawsItsPortfolios) {
  const DataFolders folders;
  SAU_NEED_SHARED_DATA(folders);
  const auto table = detail::open_dataset(detail::data_loader("financial"));
  EXPECT_EQ(table->rows(), 3713U);
  EXPECT_EQ(table->dim(), 21U);
  double largest = 0.0;
  for (const auto& x : contexts(*table)) {
    for (const double difference : x) largest = std::max(largest, std::abs(difference));
  }
  EXPECT_NEAR(largest, 49.57, 0.005);
  const auto one = make_problem("financial", {.seed = 1}), other = make_problem("financial", {});
  EXPECT_EQ(one->shape(), (Shape{8, 21}));
  Rng rng(Stream{}), same(Stream{});
  for (int n = 0; n < 100; ++n) {
    one->next(rng);
    other->next(same);
    one->pull(static_cast<Action>(n % 8), rng);
    EXPECT_NE(one->pull(0, rng), other->pull(0, same));
    double least = 1.0;
    for (Action a = 0; a < 8; ++a) least = std::min(least, one->regret(a));
    EXPECT_EQ(least, 0.0);
  }
}

TEST(Dataset, AnIncompleteFileIsRefused) {
  const DataFolders folders;
  ::setenv("SAU_DATA_DIR", folders.path().c_str(), 1);
  std::filesystem::create_directories(folders.path() / "statlog");
  std::string rows;
  for (int i = 0; i < 200; ++i) rows += "1 2 3 4 5 6 7 8 9 " + std::to_string(1 + i % 7) + "\n";
  const std::string file = folders.file("statlog/shuttle.trn", rows);
  EXPECT_EQ(error_of([] { make_problem("statlog", {}); }),
            file +
                " has 200 rows, expected 43500: it is damaged or another file; try 'sau data check "
                "statlog'");
}

TEST(Dataset, NamesAndMistakes) {
  const DataFolders folders;
  EXPECT_EQ(canonical_problem("Mushroom"), "dataset(name=mushroom)");
  EXPECT_EQ(problem_name("dataset(name=mushroom,outcomes=fresh)"), "mushroom-fresh");
  EXPECT_EQ(problem_name("dataset(name=census_synthetic)"), "census-synthetic");
  EXPECT_EQ(error_of<UsageError>([] { make_problem("dataset", {}); }),
            "dataset: name is missing; write dataset(name=mushroom) or the like");
  EXPECT_THAT(error_of<UsageError>([] { make_problem("dataset(name=mushrom)", {}); }),
              HasSubstr("unknown data set 'mushrom'; did you mean 'mushroom'?"));
  EXPECT_EQ(error_of<UsageError>([] { make_problem("dataset(name=adult,outcomes=fresh)", {}); }),
            "dataset: outcomes is a setting of mushroom only, not of adult");
  ::setenv("SAU_DATA_DIR", folders.path().c_str(), 1);
  EXPECT_THAT(error_of([] { make_problem("statlog", {}); }),
              HasSubstr("shuttle.trn is missing; fetch it with 'sau data get statlog'"));
}

}  // namespace
}  // namespace sau
