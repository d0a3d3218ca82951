// The large data sets, and the regret of uniform play on all data sets.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "data/loaders.hpp"
#include "sau/catalog/catalog.hpp"
#include "support/data_folders.hpp"

namespace sau {
namespace {

using testing::DataFolders;

std::vector<std::uint64_t> class_counts(const detail::Table& table) {
  std::vector<std::uint64_t> counts(table.actions());
  for (std::uint64_t row = 0; row < table.rows(); ++row) ++counts[table.label(row)];
  return counts;
}

TEST(DatasetStatistics, CovertypeAndCensusAreComplete) {
  const DataFolders folders;
  SAU_NEED_SHARED_DATA(folders);
  const auto covertype = detail::open_dataset(detail::data_loader("covertype"));
  EXPECT_EQ(covertype->rows(), 581012U);
  EXPECT_EQ(covertype->dim(), 54U);
  EXPECT_EQ(class_counts(*covertype),
            (std::vector<std::uint64_t>{211840, 283301, 35754, 2747, 9493, 17367, 20510}));
  // Every column has mean 0 and standard deviation 1.
  std::vector<double> x = covertype->start(), sum(54), square(54);
  std::vector<std::uint32_t> hot;
  for (std::uint64_t row = 0; row < covertype->rows(); ++row) {
    covertype->expand(row, x, hot);
    for (std::size_t c = 0; c < 54; ++c) {
      sum[c] += x[c] / 581012.0;
      square[c] += x[c] * x[c] / 581012.0;
    }
  }
  for (std::size_t c = 0; c < 54; ++c) {
    EXPECT_NEAR(sum[c], 0.0, 1e-9) << c;
    EXPECT_NEAR(square[c], 1.0, 1e-9) << c;
  }
  const auto census = detail::open_dataset(detail::data_loader("census_synthetic"));
  EXPECT_EQ(census->rows(), 250'000U);
  EXPECT_EQ(census->dim(), 387U);
  EXPECT_EQ(class_counts(*census), (std::vector<std::uint64_t>{101896, 34793, 45650, 21755, 4836,
                                                               16538, 23630, 485, 417}));
}

// The mean over trials of the expected regret of uniform play, compared with the mean and standard
// error in the paper's table 1: within three combined standard errors.
TEST(DatasetStatistics, UniformPlayHasTheRegretOfThePapersTable) {
  const DataFolders folders;
  SAU_NEED_SHARED_DATA(folders);
  const struct {
    const char* problem;
    std::uint64_t trials;
    double mean, error;
  } rows[] = {
      {"mushroom", 20, 244431.4, 583.4}, {"mushroom-fresh", 10, 244431.4, 583.4},
      {"statlog", 1, 37275.8, 9.9},      {"financial", 100, 4729.0, 69.4},
      {"jester", 60, 96353.3, 923.2},    {"adult", 1, 41994.5, 7.1},
  };
  for (const auto& row : rows) {
    double mean = 0.0, square = 0.0;
    for (std::uint64_t trial = 0; trial < row.trials; ++trial) {
      const Stream stream{.seed = 11, .trial = trial};
      const auto problem = make_problem(row.problem, stream.with(Role::kSetup));
      const Action actions = problem->shape().actions;
      Rng rng(stream);
      double regret = 0.0;
      for (std::uint64_t step = 0; step < problem->default_steps(); ++step) {
        problem->next(rng);
        for (Action a = 0; a < actions; ++a) regret += problem->regret(a) / actions;
      }
      mean += regret / static_cast<double>(row.trials);
      square += regret * regret / static_cast<double>(row.trials);
    }
    const double variance = std::max(square - mean * mean, 0.0) / static_cast<double>(row.trials);
    EXPECT_NEAR(mean, row.mean, 3.0 * std::sqrt(row.error * row.error + variance)) << row.problem;
  }
}

}  // namespace
}  // namespace sau
