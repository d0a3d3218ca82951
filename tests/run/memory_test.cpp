#include "sau/run/memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sau/core/error.hpp"
#include "support/sanitizer.hpp"

namespace sau {
namespace {

using ::testing::HasSubstr;

Experiment experiment_needing(std::uint64_t bytes, std::uint64_t trials) {
  Cell cell{.problem = "p", .agent = "a", .problem_spec = "p", .agent_spec = "a", .trials = trials};
  cell.trial_bytes = bytes;
  return {.seed = 1, .cells = {cell}};
}

std::string refusal(const Experiment& experiment, unsigned threads, std::uint64_t memory) {
  try {
    check_memory(experiment, threads, memory);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Memory, TrialsAtTheSameTimeMustFit) {
  const Experiment experiment = experiment_needing(3'000'000'000, 100);
  EXPECT_EQ(refusal(experiment, 2, 8'000'000'000), "");
  EXPECT_THAT(refusal(experiment, 4, 8'000'000'000),
              HasSubstr("a on p needs about 3.0 GB for a trial, but this machine has 8.0 GB: run "
                        "at most 2 at a time (--threads)"));
  EXPECT_THAT(refusal(experiment, 1, 1'000'000'000),
              ::testing::EndsWith("this machine has 1.0 GB"));
}

TEST(Memory, FewTrialsNeedLess) {
  EXPECT_EQ(refusal(experiment_needing(3'000'000'000, 2), 8, 8'000'000'000), "");
}

TEST(Memory, NothingIsRefusedIfTheSystemDoesNotSay) {
  EXPECT_EQ(refusal(experiment_needing(3'000'000'000, 100), 8, 0), "");
}

TEST(Memory, TheMachineHasSome) { EXPECT_GT(machine_memory(), 100'000'000U); }

TEST(Memory, ACellKnowsWhatItsAgentTakes) {
  if (testing::kSanitizer) GTEST_SKIP() << "a sanitizer has its own heap";
  const Cell cell = make_cell("linear(dim=200,actions=10)", "linear+sau_ucb", 10, 1);
  // Half a matrix per action.
  EXPECT_GT(cell.trial_bytes, 10U * 200 * 200 / 2 * sizeof(double));
  EXPECT_LT(cell.trial_bytes, 10U * 200 * 200 * 2 * sizeof(double));
}

}  // namespace
}  // namespace sau
