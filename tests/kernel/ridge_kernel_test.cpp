#include "sau/kernel/ridge_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "sau/core/aligned.hpp"
#include "sau/core/rng.hpp"

namespace sau {
namespace {

constexpr std::size_t kDims[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 31, 40, 54, 117, 387};

// The arrays of `count` regressions, as the kernels expect them.
struct Stack {
  Stack(std::size_t regressions, std::size_t dim, double start)
      : count(regressions),
        padded(ridge_padded(dim)),
        factor(count * ridge_factor_size(padded)),
        scale(count * padded, start),
        theta(count * padded),
        x(padded),
        gain(padded),
        out(count) {
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t i = 0; i < padded; ++i) factor_of(a)[ridge_factor_index(i, i)] = 1.0;
    }
  }
  double* factor_of(std::size_t a) { return factor.data() + a * ridge_factor_size(padded); }
  double* scale_of(std::size_t a) { return scale.data() + a * padded; }

  std::size_t count, padded;
  AlignedVector<double> factor, scale, theta, x, gain;
  std::vector<double> out;
};

void expect_close(double a, double b, double size, const char* what, std::size_t dim) {
  EXPECT_NEAR(a, b, 1e-12 * size) << what << ", d = " << dim;
}

TEST(RidgeFactor, EveryElementHasItsOwnPlace) {
  for (const std::size_t dim : kDims) {
    const std::size_t padded = ridge_padded(dim);
    EXPECT_GE(padded, dim);
    EXPECT_EQ(padded % kRidgePad, 0U);
    std::set<std::size_t> places;
    for (std::size_t i = 0; i < padded; ++i) {
      for (std::size_t j = 0; j <= i; ++j) places.insert(ridge_factor_index(i, j));
    }
    EXPECT_EQ(places.size(), padded * (padded + 1) / 2);
    EXPECT_LT(*places.rbegin(), ridge_factor_size(padded));
  }
}

// P <- P - P x x' P / (1 + x' P x), computed directly.
TEST(RidgeKernelPortable, UpdateIsShermanMorrison) {
  const RidgeKernel& kernel = ridge_kernel(InstructionSet::kPortable);
  for (const std::size_t dim : {1U, 2U, 3U, 4U, 5U, 9U, 17U}) {
    Stack stack(1, dim, 2.0);
    std::vector<std::vector<long double>> p(dim, std::vector<long double>(dim));
    for (std::size_t i = 0; i < dim; ++i) p[i][i] = 2.0L;
    Rng rng(Stream{.seed = dim});
    for (int step = 0; step < 50; ++step) {
      for (std::size_t i = 0; i < dim; ++i) stack.x[i] = rng.normal();
      std::vector<long double> image(dim);
      long double alpha = 1.0L;
      for (std::size_t i = 0; i < dim; ++i) {
        for (std::size_t j = 0; j < dim; ++j) image[i] += p[i][j] * stack.x[j];
        alpha += image[i] * stack.x[i];
      }
      kernel.forms(stack.factor.data(), stack.scale.data(), 1, stack.padded, stack.x.data(),
                   stack.out.data());
      EXPECT_NEAR(stack.out[0], static_cast<double>(alpha - 1.0L), 1e-12);
      EXPECT_NEAR(kernel.update(stack.factor_of(0), stack.scale_of(0), stack.padded, stack.x.data(),
                                stack.gain.data()),
                  static_cast<double>(alpha), 1e-12 * static_cast<double>(alpha));
      for (std::size_t i = 0; i < dim; ++i) {
        EXPECT_NEAR(stack.gain[i], static_cast<double>(image[i]), 1e-12);
        for (std::size_t j = 0; j < dim; ++j) p[i][j] -= image[i] * image[j] / alpha;
      }
    }
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t j = 0; j < dim; ++j) {
        double element = 0.0;  // of W' D W
        for (std::size_t k = std::max(i, j); k < dim; ++k) {
          element += stack.factor[ridge_factor_index(k, i)] * stack.scale[k] *
                     stack.factor[ridge_factor_index(k, j)];
        }
        EXPECT_NEAR(element, static_cast<double>(p[i][j]), 1e-12);
      }
    }
  }
}

class RidgeKernelAvx2 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_instruction_set(InstructionSet::kAvx2)) GTEST_SKIP() << "this processor has no AVX2";
  }
  const RidgeKernel& plain_ = ridge_kernel(InstructionSet::kPortable);
  const RidgeKernel& fast_ = ridge_kernel(InstructionSet::kAvx2);
};

TEST_F(RidgeKernelAvx2, ProductsAndSumsMatchThePortableOnes) {
  for (const std::size_t dim : kDims) {
    for (const std::size_t count : {1U, 2U, 4U, 5U, 20U}) {
      Stack stack(count, dim, 1.0);
      Rng rng(Stream{.seed = dim, .trial = count});
      for (std::size_t i = 0; i < dim; ++i) stack.x[i] = rng.normal();
      for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t i = 0; i < dim; ++i) stack.theta[a * stack.padded + i] = rng.normal();
      }
      std::vector<double> expected(count);
      plain_.products(stack.theta.data(), count, stack.padded, stack.x.data(), expected.data());
      fast_.products(stack.theta.data(), count, stack.padded, stack.x.data(), stack.out.data());
      for (std::size_t a = 0; a < count; ++a) {
        expect_close(stack.out[a], expected[a], static_cast<double>(dim), "product", dim);
      }
      AlignedVector<double> sum = stack.x;
      plain_.add(0.7, stack.theta.data(), stack.padded, sum.data());
      fast_.add(0.7, stack.theta.data(), stack.padded, stack.x.data());
      for (std::size_t i = 0; i < stack.padded; ++i) {
        expect_close(stack.x[i], sum[i], 10.0, "sum", dim);
      }
    }
  }
}

TEST_F(RidgeKernelAvx2, UpdateAndFormsMatchThePortableOnes) {
  for (const std::size_t dim : kDims) {
    Stack plain(3, dim, 0.5), fast(3, dim, 0.5);
    Rng rng(Stream{.seed = 9, .trial = dim});
    for (int step = 0; step < 60; ++step) {
      for (std::size_t i = 0; i < dim; ++i) fast.x[i] = plain.x[i] = rng.normal();
      const auto a = static_cast<std::size_t>(step) % 3;
      const double alpha = plain_.update(plain.factor_of(a), plain.scale_of(a), plain.padded,
                                         plain.x.data(), plain.gain.data());
      expect_close(fast_.update(fast.factor_of(a), fast.scale_of(a), fast.padded, fast.x.data(),
                                fast.gain.data()),
                   alpha, alpha, "alpha", dim);
      for (std::size_t i = 0; i < plain.padded; ++i) {
        expect_close(fast.gain[i], plain.gain[i], 10.0, "gain", dim);
      }
    }
    for (std::size_t i = 0; i < plain.factor.size(); ++i) {
      expect_close(fast.factor[i], plain.factor[i], 100.0, "factor", dim);
    }
    for (std::size_t i = 0; i < plain.scale.size(); ++i) {
      expect_close(fast.scale[i], plain.scale[i], plain.scale[i] * 100.0, "scale", dim);
    }
    plain_.forms(plain.factor.data(), plain.scale.data(), 3, plain.padded, plain.x.data(),
                 plain.out.data());
    fast_.forms(fast.factor.data(), fast.scale.data(), 3, fast.padded, fast.x.data(),
                fast.out.data());
    for (std::size_t a = 0; a < 3; ++a) {
      expect_close(fast.out[a], plain.out[a], plain.out[a] * 100.0, "form", dim);
    }
  }
}

TEST(RidgeKernel, KeepsTheDiagonalAndThePadding) {
  for (const InstructionSet set : {InstructionSet::kPortable, InstructionSet::kAvx2}) {
    if (!has_instruction_set(set)) continue;
    for (const std::size_t dim : {1U, 5U, 6U, 11U}) {
      Stack stack(1, dim, 1.0);
      Rng rng(Stream{.seed = 4});
      for (int step = 0; step < 200; ++step) {
        for (std::size_t i = 0; i < dim; ++i) stack.x[i] = rng.normal();
        ridge_kernel(set).update(stack.factor_of(0), stack.scale_of(0), stack.padded,
                                 stack.x.data(), stack.gain.data());
      }
      for (std::size_t i = 0; i < stack.padded; ++i) {
        const std::size_t width = kRidgePad * (i / kRidgePad + 1);
        EXPECT_EQ(stack.factor[ridge_factor_index(i, i)], 1.0);
        for (std::size_t j = i + 1; j < width; ++j) {
          EXPECT_EQ(stack.factor[ridge_factor_index(i, 0) + j], 0.0);
        }
        if (i < dim) {
          EXPECT_GT(stack.scale[i], 0.0);
          continue;
        }
        EXPECT_EQ(stack.scale[i], 1.0);
        EXPECT_EQ(stack.gain[i], 0.0);
        for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(stack.factor[ridge_factor_index(i, j)], 0.0);
      }
    }
  }
}

TEST(InstructionSet, HasNamesAndPortableIsAlwaysAvailable) {
  EXPECT_EQ(instruction_set_name(InstructionSet::kPortable), "portable");
  EXPECT_EQ(instruction_set_name(InstructionSet::kAvx2), "avx2");
  EXPECT_TRUE(has_instruction_set(InstructionSet::kPortable));
  EXPECT_TRUE(has_instruction_set(instruction_set()));
}

}  // namespace
}  // namespace sau
