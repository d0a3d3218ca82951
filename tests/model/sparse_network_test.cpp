#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/naive_mlp.hpp"
#include "sau/model/feature_table.hpp"
#include "sau/model/network.hpp"
#include "sau/model/network_trainer.hpp"
#include "sau/model/training.hpp"
#include "support/errors.hpp"
#include "support/sanitizer.hpp"

// A Network whose first layer is a FeatureTable.

namespace sau::sparse_network_test {
namespace {

using testing::NaiveMlp;
using testing::PlainBatch;

constexpr unsigned kBits = 8;
constexpr std::size_t kPlaces = 1U << kBits;
const std::vector<std::uint32_t> kUsed{1, 3, 77, 200};

struct Feature {
  std::uint32_t place;
  float value;
};
struct Row {
  std::vector<Feature> features;
  float reward;
};
// Three inputs over four places; place 3 occurs twice in one of them. Together they use the units
// of every layer, and a batch of three is padded.
const std::vector<Row> kRows{{{{1, 0.5F}, {3, -1.0F}, {3, 0.25F}}, 1.0F},
                             {{{200, 2.0F}}, -0.5F},
                             {{{1, 1.5F}, {77, -0.5F}}, 2.0F}};

Batch batch_of(const std::vector<Row>& rows) {
  Batch batch = Batch::hashed(rows.size(), kBits);
  for (int time = 0; time < 2; ++time) {  // filled twice: the first filling must leave nothing
    batch.clear();
    for (const Row& row : rows) {
      for (const Feature& feature : row.features) batch.add(feature.place, feature.value);
      batch.end_row(row.reward);
    }
  }
  return batch;
}

// The same rows with all places of the table.
PlainBatch plain(const std::vector<Row>& rows) {
  PlainBatch result;
  for (const Row& row : rows) {
    std::vector<double> x(kPlaces);
    for (const Feature& f : row.features) x[f.place] += static_cast<double>(f.value);
    result.x.push_back(x);
    result.action.push_back(0);
    result.reward.push_back(static_cast<double>(row.reward));
  }
  return result;
}

struct SparseBench {
  SparseBench(std::vector<std::size_t> the_hidden, InstructionSet set, bool adam = false)
      : hidden(std::move(the_hidden)),
        rng(Stream{.seed = 4}),
        network({.actions = 1, .dim = 0}, hidden, rng, mlp_kernel(set)),
        table(kBits, hidden.front()),
        trainer(network, kBits, adam, kRows.size()),
        batch(batch_of(kRows)) {
    for (const std::uint32_t place : kUsed) {  // so that nothing is 0
      float* row = table.writable_row(place);
      for (std::size_t j = 0; j < table.units(); ++j) row[j] = static_cast<float>(rng.normal());
    }
  }

  // The weights of an equivalent dense first layer with one input per place.
  std::vector<float> dense_weights() const {
    std::vector<float> result(kPlaces * table.width());
    for (std::uint32_t place = 0; place < kPlaces; ++place) {
      const float* row = table.row(place);
      if (row != nullptr) std::copy_n(row, table.width(), result.data() + place * table.width());
    }
    result.insert(result.end(), network.weights().begin(), network.weights().end());
    return result;
  }
  NaiveMlp naive() const { return {{.actions = 1, .dim = kPlaces}, hidden, dense_weights()}; }

  double train(const OptimizerStep& step) { return trainer.train(network, table, batch, step); }

  std::vector<std::size_t> hidden;
  Rng rng;
  Network network;
  FeatureTable table;
  SparseTrainer trainer;
  Batch batch;
};

// The output as a decision computes it.
double output_of(const Network& network, const FeatureTable& table, const Row& row) {
  Network::Scratch scratch(network);
  FeatureRows rows;
  for (const Feature& f : row.features) rows.ask(f.place, f.value);
  rows.look_up(table);
  rows.add_to(scratch.row().data(), table.width(), network.kernel());
  return static_cast<double>(network.forward_sum(scratch)[0]);
}

double loss_of(const Network& network, const FeatureTable& table) {
  double loss = 0.0;
  for (const Row& row : kRows) {
    loss += std::pow(output_of(network, table, row) - static_cast<double>(row.reward), 2.0);
  }
  return loss / static_cast<double>(kRows.size());
}

const std::vector<std::vector<std::size_t>> kHiddenLayers{
    {7, 5}, {8}, {32, 32}, {30, 17, 4}, {120, 8}};

// Calls f with a bench for every kernel of this processor and every layout.
template <class F>
void each_bench(bool adam, F&& f) {
  for (const InstructionSet set : kInstructionSets) {
    if (!has_instruction_set(set)) continue;
    for (const auto& hidden : kHiddenLayers) {
      SCOPED_TRACE(std::string(instruction_set_name(set)) + ", " + std::to_string(hidden[0]));
      SparseBench bench(hidden, set, adam);
      f(bench);
    }
  }
}

TEST(SparseNetwork, OutputsMatchTheFormula) {
  each_bench(false, [](SparseBench& bench) {
    const NaiveMlp naive = bench.naive();
    const PlainBatch inputs = plain(kRows);
    for (std::size_t r = 0; r < kRows.size(); ++r) {
      EXPECT_NEAR(output_of(bench.network, bench.table, kRows[r]), naive.outputs(inputs.x[r])[0],
                  1e-5);
    }
    // A place that was never written to adds nothing.
    const Row unseen{{{5, 3.0F}}, 0.0F}, nothing{};
    EXPECT_EQ(output_of(bench.network, bench.table, unseen),
              output_of(bench.network, bench.table, nothing));
  });
}

// With keep2 = 0 and an epsilon far above |g|, a weight changes by rate g / epsilon. The step is so
// large that one would notice if a layer used weights that had already changed.
TEST(SparseNetwork, TheGradientMatchesFiniteDifferences) {
  each_bench(false, [](SparseBench& bench) {
    NaiveMlp naive = bench.naive();
    const PlainBatch batch = plain(kRows);
    EXPECT_NEAR(bench.train({.rate = 1e9F, .keep2 = 0.0F, .epsilon = 1e6F}), naive.loss(batch),
                1e-4 * (1.0 + naive.loss(batch)));
    const std::vector<float> moved = bench.dense_weights();
    const auto backpropagated = naive.gradient(batch);
    // Under a sanitizer, about 30 weights.
    const std::size_t few = testing::kSanitizer ? naive.weight.size() / 30 + 1 : 1;
    const std::size_t stride = naive.weight.size() < 3000 ? few : std::max<std::size_t>(97, few);
    for (std::size_t k = 0; k < naive.weight.size(); ++k) {
      const double gradient = (naive.weight[k] - static_cast<double>(moved[naive.place[k]])) / 1e3;
      ASSERT_NEAR(gradient, backpropagated[k], 1e-4 * (1.0 + std::abs(backpropagated[k]))) << k;
      if (k % stride != 0) continue;
      const double kept = naive.weight[k];
      naive.weight[k] = kept + 1e-6;
      const double above = naive.loss(batch);
      naive.weight[k] = kept - 1e-6;
      const double difference = (above - naive.loss(batch)) / 2e-6;
      naive.weight[k] = kept;
      ASSERT_NEAR(gradient, difference, 1e-4 * (1.0 + std::abs(difference))) << k;
    }
  });
}

// Thirty mini-batches, against the formulas in double.
TEST(SparseNetwork, TrainsAsTheFormulasSay) {
  for (const bool adam : {false, true}) {
    each_bench(adam, [adam](SparseBench& bench) {
      NaiveMlp naive = bench.naive();
      const PlainBatch batch = plain(kRows);
      for (std::uint64_t t = 0; t < testing::repeats(30U); ++t) {
        const double expected = naive.loss(batch);
        const double loss = bench.train(
            make_optimizer_step(adam ? Optimizer::kAdam : Optimizer::kRmsprop, 0.001, t));
        ASSERT_NEAR(loss, expected, 1e-3 * (1.0 + expected)) << t;
        adam ? naive.adam(batch, 0.001) : naive.rmsprop(batch, 0.001);
      }
      EXPECT_TRUE(bench.trainer.finite(bench.network));
      for (std::size_t r = 0; r < kRows.size(); ++r) {
        EXPECT_NEAR(output_of(bench.network, bench.table, kRows[r]), naive.outputs(batch.x[r])[0],
                    1e-3);
      }
    });
  }
}

TEST(SparseNetwork, AStepLeavesRowsOutsideTheBatchAlone) {
  SparseBench bench({7, 5}, InstructionSet::kPortable);
  const auto weights = [&](std::uint32_t place) {
    return std::vector<float>(bench.table.row(place), bench.table.row(place) + bench.table.width());
  };
  const std::vector<float> outside = weights(200), inside = weights(1);
  const Row row{{{1, 1.0F}}, 5.0F};
  bench.batch = batch_of({row, row, row});
  bench.train(make_optimizer_step(Optimizer::kRmsprop, 0.01, 0));
  EXPECT_EQ(weights(200), outside);
  EXPECT_NE(weights(1), inside);
}

// RMSprop's first step is rate * g / (sqrt(0.01 g^2) + 1e-8), ten times the rate against g's sign.
TEST(SparseNetwork, TheFirstStepOfRmspropIsTenTimesItsRate) {
  SparseBench bench({7, 5}, InstructionSet::kPortable);
  const NaiveMlp naive = bench.naive();
  const auto gradient = naive.gradient(plain(kRows));
  bench.train(make_optimizer_step(Optimizer::kRmsprop, 0.01, 0));
  const std::vector<float> moved = bench.dense_weights();
  std::size_t rows_moved = 0;
  for (std::size_t k = 0; k < naive.weight.size(); ++k) {
    const double step = static_cast<double>(moved[naive.place[k]]) - naive.weight[k];
    EXPECT_NEAR(step, gradient[k] == 0.0 ? 0.0 : (gradient[k] > 0.0 ? -0.1 : 0.1), 1e-4) << k;
    if (naive.place[k] < kPlaces * bench.table.width()) rows_moved += step != 0.0 ? 1 : 0;
  }
  EXPECT_GT(rows_moved, 4U);
}

TEST(SparseNetwork, ASharedCopyDoesNotLearn) {
  SparseBench bench({7, 5}, InstructionSet::kPortable, true);
  const Network network = bench.network;
  const FeatureTable table = bench.table.shared();
  const double before = loss_of(network, table);
  for (std::uint64_t i = 0; i < 50; ++i) {
    bench.train(make_optimizer_step(Optimizer::kAdam, 0.01, i));
  }
  EXPECT_EQ(loss_of(network, table), before);
  EXPECT_LT(loss_of(bench.network, bench.table), 0.1 * before);
}

TEST(SparseNetwork, FiniteDetectsOneBadRow) {
  SparseBench bench({7, 5}, InstructionSet::kPortable);
  EXPECT_TRUE(bench.trainer.finite(bench.network));
  bench.table.writable_row(77)[2] = INFINITY;
  bench.train(make_optimizer_step(Optimizer::kRmsprop, 0.01, 0));
  EXPECT_FALSE(bench.trainer.finite(bench.network));
}

TEST(SparseNetwork, ContinuesTheSameAfterSaveAndLoad) {
  for (const bool adam : {false, true}) {
    const auto step = [adam](std::uint64_t t) {
      return make_optimizer_step(adam ? Optimizer::kAdam : Optimizer::kRmsprop, 0.01, t);
    };
    SparseBench bench({7, 5}, InstructionSet::kPortable, adam);
    for (std::uint64_t t = 0; t < 5; ++t) bench.train(step(t));
    StateWriter writer;
    bench.trainer.save(writer, bench.network, bench.table);
    SparseBench other({7, 5}, InstructionSet::kPortable, adam);
    StateReader reader(writer.bytes());
    other.trainer.load(reader, other.network, other.table);
    reader.finish();
    EXPECT_EQ(bench.train(step(5)), other.train(step(5)));
    EXPECT_EQ(bench.dense_weights(), other.dense_weights());

    SparseBench another({7, 5}, InstructionSet::kPortable, !adam);
    StateReader again(writer.bytes());
    EXPECT_NE(testing::error_of<Error>(
                  [&] { another.trainer.load(again, another.network, another.table); }),
              "");
  }
}

// The sizes do not depend on padding: 7 biases; 7 x 5 weights and 5 biases; 5 weights and a bias.
TEST(SparseNetwork, AFileHasNoPadding) {
  SparseBench bench({7, 5}, InstructionSet::kPortable);
  bench.train(make_optimizer_step(Optimizer::kRmsprop, 0.01, 0));
  StateWriter writer;
  bench.trainer.save(writer, bench.network, bench.table);
  StateReader reader(writer.bytes());
  const auto next = [&] {
    const FieldSize field = reader.skip();
    return field.name + " " + std::to_string(field.bytes);
  };
  EXPECT_EQ(next(), "dense 212");
  EXPECT_EQ(next(), "dense_first 0");
  EXPECT_EQ(next(), "dense_second 212");
  EXPECT_EQ(next(), "row_places 24");  // places 1 and 3 are in one chunk
  EXPECT_EQ(next(), "rows 1344");
  EXPECT_EQ(next(), "row_first 0");
  EXPECT_EQ(next(), "row_second 1344");
  reader.finish();
}

}  // namespace
}  // namespace sau::sparse_network_test
