#include "sau/model/replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace sau {
namespace {

const MlpKernel& kernel() { return mlp_kernel(InstructionSet::kPortable); }

// The context of step i: one non-zero element in a sparse step, all of them in a dense one.
std::vector<double> context_of(std::size_t i, std::size_t dim, bool sparse) {
  std::vector<double> x(dim);
  if (sparse) {
    x[i % dim] = 1.0 + static_cast<double>(i);
    return x;
  }
  for (std::size_t k = 0; k < dim; ++k) x[k] = 0.1 + static_cast<double>(i * dim + k);
  return x;
}

void add(Replay& replay, std::size_t i, std::size_t dim, bool sparse) {
  NetworkInput input(dim);
  input.put(context_of(i, dim, sparse), kernel());
  ASSERT_EQ(input.sparse(), sparse);
  ASSERT_TRUE(replay.add(input, static_cast<Action>(i), 0.1 * static_cast<double>(i)));
}

std::set<Action> drawn(const Replay& replay, std::size_t dim) {
  Rng rng(Stream{.seed = 1});
  Batch batch(1000, dim);
  replay.draw(rng, batch);
  return {batch.action().begin(), batch.action().end()};
}

TEST(NetworkInput, ListsTheNonZeroElements) {
  NetworkInput input(8);
  const double x[] = {0.0, 0.1, 0.0, -0.0, -2.5, 0.0, 0.0, 0.0};
  input.put(x, kernel());
  EXPECT_EQ(std::vector(input.index().begin(), input.index().end()),
            (std::vector<std::uint32_t>{1, 4}));
  EXPECT_EQ(std::vector(input.value().begin(), input.value().end()),
            (std::vector<float>{0.1F, -2.5F}));
  EXPECT_EQ(input.dense()[1], 0.1F);
  EXPECT_TRUE(input.sparse());
  const double one_more[] = {1.0, 0.1, 0.0, 0.0, -2.5, 0.0, 0.0, 0.0};
  input.put(one_more, kernel());
  EXPECT_EQ(input.index().size(), 3U);
  EXPECT_FALSE(input.sparse());
}

TEST(NetworkInput, NumbersTooLargeForSinglePrecisionAreInfinite) {
  NetworkInput input(3);
  const double x[] = {1e200, -1e200, 3e38};
  input.put(x, kernel());
  EXPECT_EQ(input.dense()[0], INFINITY);
  EXPECT_EQ(input.dense()[1], -INFINITY);
  EXPECT_EQ(input.dense()[2], 3e38F);
}

TEST(Replay, AllStepsAreKept) {
  Replay replay(3, 0);
  std::set<Action> expected;
  for (std::size_t i = 0; i < 100; ++i) {
    add(replay, i, 3, false);
    expected.insert(static_cast<Action>(i));
    EXPECT_EQ(replay.size(), i + 1);
  }
  EXPECT_EQ(drawn(replay, 3), expected);
  for (std::size_t i = 100; i < 3000; ++i) add(replay, i, 3, false);  // the history grows
  EXPECT_EQ(replay.size(), 3000U);
}

TEST(Replay, BoundedKeepsTheLatestAndOverwritesTheOldestFirst) {
  for (const std::uint64_t capacity : {1U, 2U, 7U, 30U}) {
    Replay replay(3, capacity);
    for (std::size_t i = 0; i < 75; ++i) {
      add(replay, i, 3, false);
      std::set<Action> latest;
      for (std::size_t k = i + 1; k-- > 0 && latest.size() < capacity;) {
        latest.insert(static_cast<Action>(k));
      }
      ASSERT_EQ(replay.size(), latest.size());
      ASSERT_EQ(drawn(replay, 3), latest) << i;
    }
  }
}

// Every row of the batch is the step that its action names, bit for bit.
void expect_rows(const Batch& batch, std::size_t dim, auto&& is_sparse) {
  std::vector<float> rows(batch.dense(), batch.dense() + batch.rows() * dim);
  if (batch.sparse()) {
    rows.assign(rows.size(), 0.0F);
    const SparseLines lines = batch.by_row();
    for (std::size_t r = 0; r < batch.rows(); ++r) {
      for (std::uint32_t k = lines.start[r]; k < lines.start[r + 1]; ++k) {
        rows[r * dim + lines.index[k]] = lines.value[k];
      }
    }
  }
  for (std::size_t r = 0; r < batch.rows(); ++r) {
    std::vector<double> x(dim);
    if (r < batch.size()) {
      const Action step = batch.action()[r];
      x = context_of(step, dim, is_sparse(step));
      EXPECT_EQ(batch.reward()[r], static_cast<float>(0.1 * step));
    }
    for (std::size_t i = 0; i < dim; ++i) {
      EXPECT_EQ(rows[r * dim + i], static_cast<float>(x[i])) << r << " " << i;
    }
  }
}

TEST(Replay, StepsAreReturnedUnchanged) {
  constexpr std::size_t kDim = 9;
  for (const int kind : {0, 1, 2}) {  // dense, sparse, every third sparse
    const auto is_sparse = [&](std::size_t i) { return kind == 1 || (kind == 2 && i % 3 == 0); };
    Replay replay(kDim, 20);
    for (std::size_t i = 0; i < 50; ++i) add(replay, i, kDim, is_sparse(i));
    Rng rng(Stream{.seed = 3});
    Batch batch(6, kDim);
    ASSERT_EQ(batch.size(), 6U);
    ASSERT_EQ(batch.rows(), 8U);
    int sparse = 0;
    for (int n = 0; n < 100; ++n) {  // the batch is reused, so nothing of the last draw may stay
      replay.draw(rng, batch);
      expect_rows(batch, kDim, is_sparse);
      sparse += batch.sparse() ? 1 : 0;
    }
    EXPECT_EQ(sparse, kind == 0 ? 0 : kind == 1 ? 100 : sparse);
  }
}

// With a history of both kinds, some batches of two are dense and some are sparse.
TEST(Replay, ABatchIsSparseOnlyWhenAllItsStepsAre) {
  Replay replay(8, 0);
  for (std::size_t i = 0; i < 10; ++i) add(replay, i, 8, i % 2 == 0);
  Rng rng(Stream{.seed = 4});
  Batch batch(2, 8);
  int sparse = 0;
  for (int n = 0; n < 200; ++n) {
    replay.draw(rng, batch);
    EXPECT_EQ(batch.sparse(), batch.action()[0] % 2 == 0 && batch.action()[1] % 2 == 0);
    expect_rows(batch, 8, [](std::size_t i) { return i % 2 == 0; });
    sparse += batch.sparse() ? 1 : 0;
  }
  EXPECT_GT(sparse, 20);
  EXPECT_LT(sparse, 80);
}

using Elements = std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, float>>;

TEST(Replay, ByColumnIsTheTransposeOfByRow) {
  constexpr std::size_t kDim = 40;
  Replay replay(kDim, 0);
  Rng rng(Stream{.seed = 5});
  for (std::size_t i = 0; i < 30; ++i) {
    std::vector<double> x(kDim);
    for (std::size_t k = 0; k < i % 11; ++k) x[rng.below(kDim)] = rng.normal();
    NetworkInput input(kDim);
    input.put(x, kernel());
    ASSERT_TRUE(replay.add(input, 0, 0.0));
  }
  Batch batch(13, kDim);
  for (int n = 0; n < 50; ++n) {
    replay.draw(rng, batch);
    ASSERT_TRUE(batch.sparse());
    const SparseLines rows = batch.by_row(), columns = batch.by_column();
    Elements by_row, by_column;
    for (std::uint32_t r = 0; r < batch.rows(); ++r) {
      for (auto k = rows.start[r]; k < rows.start[r + 1]; ++k) {
        by_row.push_back({{r, rows.index[k]}, rows.value[k]});
      }
    }
    for (std::uint32_t i = 0; i < kDim; ++i) {
      for (auto k = columns.start[i]; k < columns.start[i + 1]; ++k) {
        by_column.push_back({{columns.index[k], i}, columns.value[k]});
      }
    }
    EXPECT_EQ(columns.start[0], 0U);
    std::sort(by_row.begin(), by_row.end());
    std::sort(by_column.begin(), by_column.end());
    EXPECT_EQ(by_row, by_column);
  }
}

// Chi-square with 9 degrees of freedom exceeds 33.72 with probability 1e-4. The seed is fixed.
TEST(Replay, DrawsAreUniformWithReplacement) {
  constexpr std::size_t kSteps = 10, kBatches = 300, kBatch = 64;
  for (const bool full : {false, true}) {
    Replay replay(2, full ? kSteps : 0);
    for (std::size_t i = 0; i < kSteps + (full ? 5 : 0); ++i) add(replay, i, 2, false);
    Rng rng(Stream{.seed = 6});
    Batch batch(kBatch, 2);
    std::vector<double> count(kSteps);
    double twice = 0.0;
    for (std::size_t n = 0; n < kBatches; ++n) {
      replay.draw(rng, batch);
      for (std::size_t r = 0; r < kBatch; ++r) {
        count[batch.action()[r] % kSteps] += 1.0;
        if (r > 0 && batch.action()[r] == batch.action()[r - 1]) twice += 1.0;
      }
    }
    constexpr double kExpected = kBatches * kBatch / static_cast<double>(kSteps);
    double chi2 = 0.0;
    for (const double c : count) chi2 += (c - kExpected) * (c - kExpected) / kExpected;
    EXPECT_LT(chi2, 33.72);
    // Neighbours are independent: equal with probability 1 / 10; 4.5 standard errors.
    constexpr double kPairs = kBatches * (kBatch - 1);
    EXPECT_NEAR(twice / kPairs, 0.1, 4.5 * std::sqrt(0.1 * 0.9 / kPairs));
  }
}

TEST(Replay, ContextsMayBeEmpty) {
  Replay replay(0, 0);
  NetworkInput input(0);
  input.put({}, kernel());
  ASSERT_TRUE(replay.add(input, 1, 2.0));
  Rng rng(Stream{});
  Batch batch(3, 0);
  replay.draw(rng, batch);
  EXPECT_EQ(batch.action()[2], 1U);
  EXPECT_EQ(batch.reward()[2], 2.0F);
}

}  // namespace
}  // namespace sau
