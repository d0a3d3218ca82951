#include "sau/model/network.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "model/naive_mlp.hpp"
#include "sau/model/network_trainer.hpp"
#include "sau/model/replay.hpp"
#include "support/sanitizer.hpp"

namespace sau {
namespace {

using testing::NaiveMlp;
using testing::PlainBatch;
using Hidden = std::vector<std::size_t>;

constexpr int kUpdates = testing::kSanitizer ? 5 : 40;

std::vector<InstructionSet> sets_here() {
  std::vector<InstructionSet> sets;
  for (const InstructionSet set : kInstructionSets) {
    if (has_instruction_set(set)) sets.push_back(set);
  }
  return sets;
}

// A network, and steps to train it on: random contexts with `non_zeros` elements that are not 0.
struct Bench {
  Bench(Shape the_shape, Hidden the_hidden, bool adam, std::size_t size, std::size_t non_zeros,
        InstructionSet set)
      : shape(the_shape),
        hidden(std::move(the_hidden)),
        rng(Stream{.seed = 12}),
        kernel(mlp_kernel(set)),
        network(shape, hidden, rng, kernel),
        trainer(network, adam, size),
        scratch(network),
        input(shape.dim),
        replay(shape.dim, 0),
        batch(size, shape.dim) {
    for (int step = 0; step < 150; ++step) {
      const std::vector<double> x = context(non_zeros);
      const auto action = static_cast<Action>(rng.below(shape.actions));
      input.put(x, kernel);
      EXPECT_TRUE(replay.add(input, action, std::sin(x[0] + action) + 0.3 * rng.normal()));
    }
  }

  std::vector<double> context(std::size_t non_zeros) {
    std::vector<double> x(shape.dim);
    if (non_zeros == shape.dim) {
      for (double& element : x) element = rng.normal();
    } else {
      for (std::size_t k = 0; k < non_zeros; ++k) x[rng.below(shape.dim)] = 1.0;
    }
    return x;
  }

  // The same batch in double.
  PlainBatch plain() const {
    PlainBatch result{.x = {},
                      .action = {batch.action().begin(), batch.action().end()},
                      .reward = {batch.reward().begin(), batch.reward().end()}};
    const SparseLines lines = batch.by_row();
    for (std::size_t r = 0; r < batch.size(); ++r) {
      const float* row = batch.dense() + r * shape.dim;
      std::vector<double> x(row, row + shape.dim);
      if (batch.sparse()) {
        x.assign(shape.dim, 0.0);
        for (auto k = lines.start[r]; k < lines.start[r + 1]; ++k) {
          x[lines.index[k]] = static_cast<double>(lines.value[k]);
        }
      }
      result.x.push_back(x);
    }
    return result;
  }

  NaiveMlp naive() { return {shape, hidden, network.weights()}; }
  double train(const OptimizerStep& step) { return trainer.train(network, batch, step); }
  std::span<const float> outputs() { return network.forward(input, scratch); }
  bool finite() const { return trainer.finite(network); }

  Shape shape;
  Hidden hidden;
  Rng rng;
  const MlpKernel& kernel;
  Network network;
  NetworkTrainer trainer;
  Network::Scratch scratch;
  NetworkInput input;
  Replay replay;
  Batch batch;
};

constexpr OptimizerStep kRmsprop{.rate = 0.003F, .keep2 = 0.99F, .take2 = 0.01F, .epsilon = 1e-8F};

OptimizerStep adam_step(int t) {
  return {.adam = true,
          .rate = static_cast<float>(0.003 / (1.0 - std::pow(0.9, t))),
          .keep1 = 0.9F,
          .take1 = 0.1F,
          .keep2 = 0.999F,
          .take2 = 0.001F,
          .scale2 = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(0.999, t))),
          .epsilon = 1e-8F};
}

struct Layout {
  Hidden hidden;
  std::size_t dim, non_zeros, batch;
};
const Layout kLayouts[] = {
    {{6}, 3, 3, 5},        {{8}, 12, 2, 4},       {{7, 5, 3}, 5, 5, 7},
    {{7, 5, 3}, 17, 3, 6}, {{100, 100}, 9, 9, 9}, {{16, 9}, 9, 9, 1},
};

TEST(Network, OutputsAndFeaturesMatchTheFormula) {
  for (const InstructionSet set : sets_here()) {
    for (const Layout& layout : kLayouts) {
      Bench bench({.actions = 3, .dim = layout.dim}, layout.hidden, false, 4, layout.non_zeros,
                  set);
      const NaiveMlp naive = bench.naive();
      EXPECT_EQ(bench.network.parameters(), naive.weight.size());
      for (int n = 0; n < 10; ++n) {
        const auto x = bench.context(layout.non_zeros);
        bench.input.put(x, bench.kernel);
        const auto out = bench.outputs();
        const auto expected = naive.outputs(x);
        ASSERT_EQ(out.size(), expected.size());
        for (std::size_t a = 0; a < out.size(); ++a) EXPECT_NEAR(out[a], expected[a], 1e-6);
        const auto features = bench.network.features(bench.scratch);
        const auto expected_features = naive.features(x);
        ASSERT_EQ(features.size(), expected_features.size());
        for (std::size_t j = 0; j < features.size(); ++j) {
          EXPECT_NEAR(features[j], expected_features[j], 1e-6);
        }
      }
    }
  }
}

// A step that reveals the gradient: with keep2 = 0 and an epsilon far above |g|, a weight changes
// by rate g / epsilon. The step is so large that one would notice if a layer used weights that had
// already changed.
constexpr OptimizerStep kReveal{.rate = 1e9F, .keep2 = 0.0F, .epsilon = 1e6F};

std::vector<double> revealed_gradient(Bench& bench, const NaiveMlp& naive) {
  bench.train(kReveal);
  std::vector<double> gradient;
  for (std::size_t k = 0; k < naive.weight.size(); ++k) {
    const auto moved = static_cast<double>(bench.network.weights()[naive.place[k]]);
    gradient.push_back((naive.weight[k] - moved) / 1e3);
  }
  return gradient;
}

TEST(Network, GradientMatchesFiniteDifferences) {
  for (const InstructionSet set : sets_here()) {
    for (const Layout& layout : kLayouts) {
      Bench bench({.actions = 3, .dim = layout.dim}, layout.hidden, false, layout.batch,
                  layout.non_zeros, set);
      bench.replay.draw(bench.rng, bench.batch);
      ASSERT_EQ(bench.batch.sparse(), layout.non_zeros < layout.dim);
      NaiveMlp naive = bench.naive();
      const PlainBatch batch = bench.plain();
      const auto gradient = revealed_gradient(bench, naive);
      const auto backpropagated = naive.gradient(batch);
      const std::size_t stride = naive.weight.size() < 500 ? 1 : 397;
      for (std::size_t k = 0; k < gradient.size(); ++k) {
        ASSERT_NEAR(gradient[k], backpropagated[k], 2e-6) << k;
        if (k % stride != 0) continue;
        const double kept = naive.weight[k];
        naive.weight[k] = kept + 1e-5;
        const double above = naive.loss(batch);
        naive.weight[k] = kept - 1e-5;
        const double difference = (above - naive.loss(batch)) / 2e-5;
        naive.weight[k] = kept;
        ASSERT_NEAR(gradient[k], difference, 2e-6) << k;
      }
    }
  }
}

TEST(Network, OnlyTheChosenActionsOutputHasAGradient) {
  for (const InstructionSet set : sets_here()) {
    Bench bench({.actions = 4, .dim = 3}, {11, 10}, true, 3, 3, set);
    NetworkInput input(3);
    const double x[] = {0.5, -1.0, 2.0};
    input.put(x, bench.kernel);
    Replay replay(3, 0);
    ASSERT_TRUE(replay.add(input, 2, 5.0));
    replay.draw(bench.rng, bench.batch);
    const NaiveMlp naive = bench.naive();
    for (int t = 1; t <= 5; ++t) bench.train(adam_step(t));
    const auto weights = bench.network.weights();
    const std::size_t output = naive.weight.size() - 4 * 11;
    std::size_t moved = 0;
    for (std::size_t k = output; k < naive.weight.size(); ++k) {
      const bool same = static_cast<double>(weights[naive.place[k]]) == naive.weight[k];
      if ((k - output) / 11 == 2) {
        moved += same ? 0 : 1;
      } else {
        EXPECT_TRUE(same) << k;
      }
    }
    EXPECT_GT(moved, 1U);
  }
}

// 50 mini-batches, against the formulas in double.
TEST(Network, TrainsAsTheFormulasSay) {
  for (const InstructionSet set : sets_here()) {
    for (const Layout& layout : kLayouts) {
      if (layout.hidden[0] == 100 && set == InstructionSet::kPortable) continue;  // for time
      for (const bool adam : {false, true}) {
        Bench bench({.actions = 3, .dim = layout.dim}, layout.hidden, adam, layout.batch,
                    layout.non_zeros, set);
        NaiveMlp naive = bench.naive();
        for (int t = 1; t <= 50; ++t) {
          bench.replay.draw(bench.rng, bench.batch);
          const PlainBatch batch = bench.plain();
          const double expected = naive.loss(batch);
          const double loss = bench.train(adam ? adam_step(t) : kRmsprop);
          ASSERT_NEAR(loss, expected, 1e-4 * (1.0 + expected)) << t;
          adam ? naive.adam(batch, 0.003) : naive.rmsprop(batch, 0.003);
        }
        for (int n = 0; n < 20; ++n) {
          const auto x = bench.context(layout.non_zeros);
          bench.input.put(x, bench.kernel);
          const auto out = bench.outputs();
          const auto expected = naive.outputs(x);
          for (std::size_t a = 0; a < out.size(); ++a) ASSERT_NEAR(out[a], expected[a], 1e-4);
        }
      }
    }
  }
}

// The shapes of statlog, covertype and census (one-hot): the same start, the same mini-batches.
// After 40 updates the kernels differ by 3e-6 at most. Much later a rounding error may switch a
// unit on or off in one of them, and RMSprop makes that a whole step: with AVX-512 and 54 inputs
// they differ by 4e-4 after 60 updates.
TEST(Network, EveryKernelTrainsLikeThePortableOne) {
  const auto sets = sets_here();
  if (sets.size() == 1) GTEST_SKIP() << "this processor has only the portable kernel";
  struct Problem {
    Shape shape;
    std::size_t non_zeros;
  };
  for (const auto& [shape, non_zeros] : {Problem{{7, 9}, 9}, {{7, 54}, 54}, {{9, 387}, 67}}) {
    for (const bool adam : {false, true}) {
      std::vector<std::vector<float>> outputs(sets.size());
      for (std::size_t s = 0; s < sets.size(); ++s) {
        Bench bench(shape, {100, 100}, adam, 16, non_zeros, sets[s]);
        for (int t = 1; t <= kUpdates; ++t) {
          bench.replay.draw(bench.rng, bench.batch);
          bench.train(adam ? adam_step(t) : kRmsprop);
        }
        EXPECT_TRUE(bench.finite());
        for (int n = 0; n < 50; ++n) {
          bench.input.put(bench.context(non_zeros), bench.kernel);
          const auto out = bench.outputs();
          outputs[s].insert(outputs[s].end(), out.begin(), out.end());
        }
      }
      for (std::size_t s = 1; s < sets.size(); ++s) {
        for (std::size_t i = 0; i < outputs[0].size(); ++i) {
          ASSERT_NEAR(outputs[s][i], outputs[0][i], 1e-5F * (1.0F + std::abs(outputs[0][i])))
              << instruction_set_name(sets[s]) << ", " << shape.dim << " wide";
        }
      }
    }
  }
}

// Uniform(-b, b) with b = 1 / sqrt(fan_in): mean 0, variance b^2 / 3; 4.5 standard errors.
TEST(Network, WeightsAndBiasesStartUniform) {
  Bench bench({.actions = 7, .dim = 9}, {100, 60}, false, 4, 9, InstructionSet::kPortable);
  const NaiveMlp naive = bench.naive();
  std::size_t k = 0;
  for (const auto& [inputs, units] : {std::pair{9, 100}, {100, 60}, {60, 7}}) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(inputs));
    const int count = (inputs + 1) * units;
    double sum = 0.0, squares = 0.0, largest = 0.0, biases = 0.0;
    for (int i = 0; i < count; ++i, ++k) {
      const double w = naive.weight[k] / bound;
      sum += w;
      squares += w * w;
      largest = std::max(largest, std::abs(w));
      if (i % (inputs + 1) == inputs) biases += w * w;
    }
    EXPECT_LE(largest, 1.0 + 1e-7);
    EXPECT_GT(largest, 0.97);
    EXPECT_NEAR(sum / count, 0.0, 4.5 * std::sqrt(1.0 / 3.0 / count));
    EXPECT_NEAR(squares / count, 1.0 / 3.0, 4.5 * std::sqrt(4.0 / 45.0 / count));
    EXPECT_NEAR(biases / units, 1.0 / 3.0, 4.5 * std::sqrt(4.0 / 45.0 / units));
  }
  EXPECT_EQ(k, naive.weight.size());
}

TEST(Network, FiniteDetectsOneBadWeight) {
  Bench bench({.actions = 2, .dim = 3}, {5}, false, 4, 3, InstructionSet::kPortable);
  EXPECT_TRUE(bench.finite());
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    float& last = bench.network.weights()[bench.naive().place.back()];
    const float kept = last;
    last = bad;
    EXPECT_FALSE(bench.finite());
    last = kept;
    EXPECT_TRUE(bench.finite());
  }
}

}  // namespace
}  // namespace sau
