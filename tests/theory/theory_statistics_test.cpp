#include <gtest/gtest.h>

#include "sau/theory/theory.hpp"

namespace sau {
namespace {

// The default sizes of `sau paper --only theory`, on two seeds: nothing fails, and the statements
// that are wrong in print are found wrong. A false alarm has a chance of about 1e-4 per seed; the
// seeds are fixed.
TEST(Theory, HoldsAtFullSize) {
  for (const std::uint64_t seed : {1, 2}) {
    std::size_t corrected = 0;
    for (const TheoryCheck& check : check_theory({.seed = seed, .trials = 100})) {
      EXPECT_NE(check.verdict, Verdict::kFails) << seed << " " << check.id << " " << check.value;
      corrected += check.verdict == Verdict::kHoldsCorrected ? 1U : 0U;
    }
    EXPECT_EQ(corrected, 5U) << seed;
  }
}

}  // namespace
}  // namespace sau
