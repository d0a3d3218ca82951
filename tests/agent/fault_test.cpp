#include <gtest/gtest.h>

#include "sau/agent/agent.hpp"
#include "sau/agent/agent_of.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/explore/greedy.hpp"
#include "support/diverging.hpp"
#include "support/fixed_values.hpp"

namespace sau {
namespace {

using testing::Diverging;
using testing::FixedValues;

constexpr Shape kShape{.actions = 2, .dim = 0};

TEST(Fault, IsEmptyForModelsThatCannotFail) {
  const Agent agent{FixedValues{1.0, 2.0}, Greedy{{kShape, {}}}};
  EXPECT_EQ(agent.fault(), "");
  EXPECT_EQ(make_agent("sau_ucb", {kShape, {}})->fault(), "");
}

TEST(Fault, IsReportedFromTheUpdateAtWhichTheModelBroke) {
  AgentOf<Diverging, Greedy> agent("diverging+greedy", kShape, Diverging(2, 3),
                                   Greedy({kShape, {}}));
  const AnyAgent& any = agent;
  Rng rng({});
  for (int n = 1; n <= 5; ++n) {
    agent.learn({}, agent.choose({}, rng), 1.0);
    EXPECT_EQ(any.fault().empty(), n < 3) << "after update " << n;
  }
  EXPECT_EQ(any.fault(), "the loss of update 3 is \"inf\", not finite; try less");
  EXPECT_EQ(any.clone()->fault(), any.fault());
}

TEST(Fault, IsSavedAndLoaded) {
  AgentOf<Diverging, Greedy> broken("diverging+greedy", kShape, Diverging(2, 1),
                                    Greedy({kShape, {}}));
  broken.learn({}, {.action = 0, .value = 0.0}, 1.0);
  StateWriter writer;
  broken.save(writer);
  AgentOf<Diverging, Greedy> loaded("diverging+greedy", kShape, Diverging(2, 0),
                                    Greedy({kShape, {}}));
  StateReader reader(writer.bytes());
  loaded.load(reader);
  EXPECT_FALSE(loaded.fault().empty());
}

}  // namespace
}  // namespace sau
