#include "sau/kernel/mlp_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernel/mlp_vector.hpp"
#include "lanes.hpp"
#include "sau/core/aligned.hpp"
#include "sau/core/rng.hpp"

namespace sau {
namespace {

constexpr MlpKernel kLanes4 = detail::vector_kernel<testing::Lanes4>();
constexpr MlpKernel kLanes16 = detail::vector_kernel<testing::Lanes16>();

const MlpKernel& portable() { return mlp_kernel(InstructionSet::kPortable); }

using Floats = AlignedVector<float>;
using Indices = std::vector<std::uint32_t>;

constexpr float kGuard = 123.0F;
constexpr std::size_t kGuards = 16;

// An array to write to, followed by guards that must not be overwritten.
Floats guarded(std::size_t size) {
  Floats result(size + kGuards, kGuard);
  std::fill_n(result.begin(), size, 0.0F);
  return result;
}

Floats normals(Rng& rng, std::size_t size, double scale = 1.0) {
  Floats result(size);
  for (float& x : result) x = static_cast<float>(scale * rng.normal());
  return result;
}

// rows x width with values in the first `units` columns and zeros in the padding.
Floats padded(Rng& rng, std::size_t rows, std::size_t units, std::size_t width, double scale) {
  Floats result = normals(rng, rows * width, scale);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (i % width >= units) result[i] = 0.0F;
  }
  return result;
}

void sparsify(Rng& rng, Floats& x) {
  for (float& element : x) element = rng.below(4) == 0 ? element : 0.0F;
}

// A matrix: element k of line i is at x[i * line_step + k * element_step].
struct Lines {
  Lines(const float* x, std::size_t lines, std::size_t line_step, std::size_t elements,
        std::size_t element_step) {
    for (std::size_t i = 0; i < lines; ++i) {
      for (std::size_t k = 0; k < elements; ++k) {
        const float element = x[i * line_step + k * element_step];
        if (element == 0.0F) continue;
        index.push_back(static_cast<std::uint32_t>(k));
        value.push_back(element);
      }
      start.push_back(static_cast<std::uint32_t>(index.size()));
    }
  }
  SparseLines lines() const { return {start.data(), index.data(), value.data()}; }

  Indices start{0}, index;
  std::vector<float> value;
};

// `what` ends with the width, inputs and rows. The tolerance is the rounding of sums of terms whose
// squares sum to about 1.
void expect_near(const Floats& found, const Floats& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], 1e-5F * (1.0F + std::abs(expected[i]))) << what << ", " << i;
  }
}

struct Case {
  std::size_t width, units, inputs, rows;
  std::string text() const { return ::testing::PrintToString(std::vector{width, inputs, rows}); }
};

// Weights and moments. The moments are not near 0, where rounding could flip the sign of a step.
struct Parameters {
  Parameters(Rng& rng, std::size_t rows, std::size_t units, std::size_t width)
      : weight(padded(rng, rows, units, width, 1.0)),
        first(padded(rng, rows, units, width, 1.0)),
        second(padded(rng, rows, units, width, 0.1)) {
    for (float& v : second) v = v == 0.0F ? v : 0.5F + std::abs(v);
    for (Floats* part : {&weight, &first, &second}) part->resize(part->size() + kGuards, kGuard);
  }
  MlpParameters view() { return {weight.data(), first.data(), second.data()}; }

  Floats weight, first, second;
};

void expect_near(const Parameters& found, const Parameters& expected, const std::string& what) {
  expect_near(found.weight, expected.weight, "weight, " + what);
  expect_near(found.first, expected.first, "first moment, " + what);
  expect_near(found.second, expected.second, "second moment, " + what);
}

constexpr OptimizerStep kRmsprop{.rate = 0.01F, .keep2 = 0.99F, .take2 = 0.01F, .epsilon = 1e-8F};
constexpr OptimizerStep kAdam{.adam = true,
                              .rate = 0.02F,
                              .keep1 = 0.9F,
                              .take1 = 0.1F,
                              .keep2 = 0.999F,
                              .take2 = 0.001F,
                              .scale2 = 7.0F,
                              .epsilon = 1e-8F};

class MlpKernels : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (emulated()) return;
    for (const InstructionSet set : kInstructionSets) {
      if (instruction_set_name(set) != GetParam()) continue;
      if (!has_instruction_set(set)) GTEST_SKIP() << "this processor has no " << GetParam();
      kernel_ = &mlp_kernel(set);
    }
  }
  static bool emulated() { return GetParam().starts_with("lanes"); }

  // Every width with every number of inputs; the rows take turns.
  template <class F>
  static void for_cases(F&& f) {
    const std::vector<std::size_t> all{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 54, 100, 117, 130};
    const std::vector<std::size_t> few{1, 2, 3, 8, 9, 17};
    std::size_t turn = 0;
    for (std::size_t width = kMlpPad; width <= 120; width += kMlpPad) {
      for (const std::size_t inputs : emulated() ? few : all) {
        const std::size_t rows = (emulated() ? Indices{4, 8, 12} : Indices{4, 8, 20, 64, 68})[turn];
        f(Case{width, width - turn, inputs, rows});
        turn = (turn + 1) % (emulated() ? 3 : 5);
      }
    }
  }

  const MlpKernel* kernel_ = GetParam() == "lanes4" ? &kLanes4 : &kLanes16;
};

TEST_P(MlpKernels, LayerForwardMatchesThePortableOneDenseAndSparse) {
  Rng rng(Stream{.seed = 1});
  for_cases([&](const Case& c) {
    const double scale = 1.0 / std::sqrt(static_cast<double>(c.inputs));
    const Floats weight = padded(rng, c.inputs + 1, c.units, c.width, scale);
    Floats in = normals(rng, c.rows * c.inputs + 1);
    Floats expected = guarded(c.rows * c.width), found = expected;
    for (const bool sparse : {false, true}) {
      if (sparse) sparsify(rng, in);
      const float* anywhere = in.data() + 1;
      portable().forward(anywhere, c.inputs, c.rows, c.inputs, weight.data(), c.width,
                         expected.data());
      kernel_->forward(anywhere, c.inputs, c.rows, c.inputs, weight.data(), c.width, found.data());
      expect_near(found, expected, "dense, " + c.text());
      const Lines lines(anywhere, c.rows, c.inputs, c.inputs, 1);
      for (const MlpKernel* kernel : {kernel_, &portable()}) {
        found = guarded(c.rows * c.width);
        kernel->sparse_forward(lines.lines(), c.rows, c.inputs, weight.data(), c.width,
                               found.data());
        expect_near(found, expected, "sparse, " + c.text());
      }
    }
    for (std::size_t i = 0; i < c.rows * c.width; ++i) {
      ASSERT_TRUE(i % c.width < c.units ? found[i] >= 0.0F : found[i] == 0.0F) << c.text();
    }
  });
}

// The rows of a matrix in any order, one of them twice.
TEST_P(MlpKernels, SumRowsAddsTheRowsWhereverTheyAre) {
  Rng rng(Stream{.seed = 7});
  for_cases([&](const Case& c) {
    const Floats rows = padded(rng, c.inputs, c.units, c.width, 1.0);
    std::vector<const float*> row;
    for (std::size_t k = 0; k <= c.inputs; ++k) {
      row.push_back(rows.data() + k * 7 % c.inputs * c.width);
    }
    const Floats value = normals(rng, row.size(), 1.0 / std::sqrt(static_cast<double>(c.inputs)));
    const Floats start = padded(rng, 1, c.units, c.width, 1.0);
    Floats expected = guarded(c.width);
    for (std::size_t j = 0; j < c.width; ++j) {
      auto sum = static_cast<double>(start[j]);
      for (std::size_t k = 0; k < row.size(); ++k) {
        sum += static_cast<double>(value[k]) * static_cast<double>(row[k][j]);
      }
      expected[j] = static_cast<float>(sum);
    }
    for (const MlpKernel* kernel : {kernel_, &portable()}) {
      Floats found = guarded(c.width);
      std::ranges::copy(start, found.begin());
      kernel->sum_rows(row.data(), value.data(), row.size(), c.width, found.data());
      expect_near(found, expected, c.text());
    }
  });
}

TEST_P(MlpKernels, BackwardMatchesThePortableOneAndKeepsThePadding) {
  Rng rng(Stream{.seed = 2});
  for_cases([&](const Case& c) {
    const std::size_t in_width = mlp_padded(c.inputs);
    const double scale = 1.0 / std::sqrt(static_cast<double>(c.units));
    const Floats weight = padded(rng, c.inputs + 1, c.units, c.width, scale);
    Floats expected = guarded(c.units * in_width), transposed = expected;
    portable().transpose(weight.data(), c.inputs, c.units, c.width, in_width, expected.data());
    kernel_->transpose(weight.data(), c.inputs, c.units, c.width, in_width, transposed.data());
    ASSERT_EQ(transposed, expected) << c.text();
    ASSERT_EQ(transposed[(c.units - 1) * in_width], weight[c.units - 1]);

    Floats delta = padded(rng, c.rows, c.units, c.width, 1.0);
    std::fill(delta.end() - static_cast<std::ptrdiff_t>(c.width), delta.end(), 0.0F);
    const Floats activation = padded(rng, c.rows, c.inputs, in_width, 1.0);
    expected = guarded(c.rows * in_width);
    Floats found = expected;
    for (std::size_t i = 0; i < c.rows * in_width; ++i) found[i] = kGuard;  // will be overwritten
    portable().backward(delta.data(), c.width, c.units, transposed.data(), in_width,
                        activation.data(), c.rows, expected.data());
    kernel_->backward(delta.data(), c.width, c.units, transposed.data(), in_width,
                      activation.data(), c.rows, found.data());
    expect_near(found, expected, c.text());
    for (std::size_t i = 0; i < c.rows * in_width; ++i) {
      const bool zero = activation[i] <= 0.0F || i / in_width == c.rows - 1;
      ASSERT_TRUE(!zero || found[i] == 0.0F) << c.text();
    }
  });
}

TEST_P(MlpKernels, UpdateMatchesThePortableOneDenseAndSparse) {
  Rng rng(Stream{.seed = 3});
  for_cases([&](const Case& c) {
    const double scale = 1.0 / std::sqrt(static_cast<double>(c.rows));
    const Floats delta = padded(rng, c.rows, c.units, c.width, scale);
    Floats in = normals(rng, c.rows * c.inputs + 1);
    if (c.rows % 8 == 0) sparsify(rng, in);
    const float* anywhere = in.data() + 1;
    const Lines columns(anywhere, c.inputs, 1, c.rows, c.inputs);
    const Parameters start(rng, c.inputs + 1, c.units, c.width);
    for (const OptimizerStep& step : {kRmsprop, kAdam}) {
      Parameters expected = start, found = start;
      portable().update(anywhere, c.inputs, delta.data(), c.rows, c.inputs, c.width,
                        expected.view(), step);
      kernel_->update(anywhere, c.inputs, delta.data(), c.rows, c.inputs, c.width, found.view(),
                      step);
      expect_near(found, expected, "dense, " + c.text());
      for (const MlpKernel* kernel : {kernel_, &portable()}) {
        found = start;
        kernel->sparse_update(columns.lines(), delta.data(), c.rows, c.inputs, c.width,
                              found.view(), step);
        expect_near(found, expected, "sparse, " + c.text());
      }
      for (std::size_t i = 0; i < (c.inputs + 1) * c.width; ++i) {
        if (i % c.width < c.units) continue;
        ASSERT_EQ(found.weight[i], 0.0F) << "pads, " << c.text();
        ASSERT_LE(found.second[i], kMlpTiny) << "pads, " << c.text();
      }
      ASSERT_EQ(found.first == start.first, !step.adam);
    }
  });
}

TEST_P(MlpKernels, OutputsAndTheirErrorsMatchThePortableOnes) {
  Rng rng(Stream{.seed = 4});
  for_cases([&](const Case& c) {
    const std::size_t actions = c.inputs % 9 + 1, count = c.rows - c.width / 8 % 4;
    const double scale = 1.0 / std::sqrt(static_cast<double>(c.width));
    const Floats weight = padded(rng, actions, c.units, c.width, scale);
    const Floats bias = normals(rng, actions);
    Floats x = padded(rng, c.rows, c.units, c.width, 1.0);
    for (float& unit : x) unit = std::max(unit, 0.0F);
    Floats expected = guarded(actions), found = expected;
    portable().outputs(x.data(), weight.data(), bias.data(), actions, c.width, expected.data());
    kernel_->outputs(x.data(), weight.data(), bias.data(), actions, c.width, found.data());
    expect_near(found, expected, "outputs, " + c.text());

    Indices action(count);
    for (auto& a : action) a = static_cast<std::uint32_t>(rng.below(actions));
    const Floats reward = normals(rng, count);
    struct Found {
      Floats weights, biases, delta;
      double loss = 0.0;
    };
    const auto run = [&](const MlpKernel& kernel) {
      Found f{guarded(actions * c.width), guarded(actions), guarded(c.rows * c.width)};
      f.weights[0] = f.biases[0] = 0.25F;  // gradients are added to it
      const MlpOutput layer{weight.data(), bias.data(), f.weights.data(), f.biases.data()};
      f.loss = kernel.output_errors(x.data(), count, c.width, layer, action.data(), reward.data(),
                                    f.delta.data());
      return f;
    };
    const Found plain = run(portable()), fast = run(*kernel_);
    expect_near(fast.weights, plain.weights, "weight gradient, " + c.text());
    expect_near(fast.biases, plain.biases, "bias gradient, " + c.text());
    expect_near(fast.delta, plain.delta, "delta, " + c.text());
    ASSERT_NEAR(fast.loss, plain.loss, 1e-5 * (1.0 + plain.loss)) << c.text();
    for (std::size_t i = count * c.width; i < c.rows * c.width; ++i) {
      ASSERT_EQ(fast.delta[i], 0.0F) << "padding rows, " << c.text();
    }
  });
}

TEST_P(MlpKernels, CompressListsTheNonZeroElementsInOrder) {
  Rng rng(Stream{.seed = 5});
  for (std::size_t width = 0; width < 140; ++width) {
    Floats x = normals(rng, width);
    if (width % 5 > 0) sparsify(rng, x);  // otherwise all elements are non-zero
    const Lines expected(x.data(), 1, width, width, 1);
    Indices index(width);
    std::vector<float> value(width);
    const std::size_t count = kernel_->compress(x.data(), width, index.data(), value.data());
    index.resize(count);
    value.resize(count);
    EXPECT_EQ(index, expected.index);
    EXPECT_EQ(value, expected.value);
  }
}

// Compares with twelve steps of the published recurrences in double, from zero moments.
TEST_P(MlpKernels, OptimisersFollowTheirRecurrences) {
  Rng rng(Stream{.seed = 6});
  for (const MlpKernel* kernel : {kernel_, &portable()}) {
    for (const std::size_t size : {8U, 24U, 32U, 40U, 56U, 712U}) {
      for (const bool adam : {false, true}) {
        const Floats start = normals(rng, size);
        Floats weight = start, first(size), second(size);
        std::vector<double> w(start.begin(), start.end()), m(size), v(size);
        for (int t = 1; t <= 12; ++t) {
          const Floats g = normals(rng, size);
          OptimizerStep step{.rate = 0.003F, .keep2 = 0.99F, .take2 = 0.01F, .epsilon = 1e-8F};
          const double part1 = 1.0 - std::pow(0.9, t), part2 = 1.0 - std::pow(0.999, t);
          if (adam) {
            step = {.adam = true,
                    .rate = static_cast<float>(0.003 / part1),
                    .keep1 = 0.9F,
                    .take1 = 0.1F,
                    .keep2 = 0.999F,
                    .take2 = 0.001F,
                    .scale2 = static_cast<float>(1.0 / std::sqrt(part2)),
                    .epsilon = 1e-8F};
          }
          kernel->apply(g.data(), size, {weight.data(), first.data(), second.data()}, step);
          const double keep1 = adam ? 0.9 : 0.0, keep2 = adam ? 0.999 : 0.99;
          for (std::size_t i = 0; i < size; ++i) {
            const auto gi = static_cast<double>(g[i]);
            m[i] = keep1 * m[i] + (1.0 - keep1) * gi;
            v[i] = keep2 * v[i] + (1.0 - keep2) * gi * gi;
            w[i] -= adam ? 0.003 * (m[i] / part1) / (std::sqrt(v[i] / part2) + 1e-8)
                         : 0.003 * gi / (std::sqrt(v[i]) + 1e-8);
          }
        }
        for (std::size_t i = 0; i < size; ++i) {
          ASSERT_NEAR(weight[i], w[i], 2e-6 * (1.0 + std::abs(w[i]))) << "adam " << adam;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MlpKernels,
                         ::testing::Values("neon", "avx2", "avx512", "lanes4", "lanes16"),
                         [](const auto& set) { return set.param; });

}  // namespace
}  // namespace sau
