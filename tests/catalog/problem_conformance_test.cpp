// Every problem of the catalogue runs these: registering is enrolling.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "support/catalogue_types.hpp"
#include "support/example_problems.hpp"

namespace sau {
namespace {

template <class P>
class ProblemConformance : public ::testing::Test {
 public:
  std::unique_ptr<Problem> make(std::uint64_t trial) {
    return make_problem(testing::example_spec<P>(folders_),
                        {.seed = 4, .trial = trial, .role = Role::kSetup});
  }

 private:
  testing::DataFolders folders_;
};
TYPED_TEST_SUITE(ProblemConformance, testing::AsTestTypes<Problems>::type, testing::ComponentNames);

constexpr int kSteps = 300;

TYPED_TEST(ProblemConformance, KeepsToItsShapeAndItsRewards) {
  const auto problem = this->make(0);
  const Shape shape = problem->shape();
  ASSERT_GE(shape.actions, 1U);
  EXPECT_GE(problem->default_steps(), 1U);
  Rng rng(Stream{.seed = 4});
  for (int n = 0; n < kSteps; ++n) {
    const Context x = problem->next(rng);
    ASSERT_EQ(x.size(), shape.dim);
    EXPECT_TRUE(std::ranges::all_of(x, [](double xi) { return std::isfinite(xi); }));
    const auto action = static_cast<Action>(n) % shape.actions;
    EXPECT_TRUE(problem->rewards().contains(problem->pull(action, rng)));
    EXPECT_TRUE(std::isfinite(problem->regret(action)));
  }
}

// Two agents on the same streams meet the same contexts, rewards and draws, whatever they play.
TYPED_TEST(ProblemConformance, IsTheSameForEveryAgent) {
  const auto one = this->make(1), other = this->make(1);
  const Action actions = one->shape().actions;
  Rng first(Stream{.seed = 5}), second(Stream{.seed = 5});
  for (int n = 0; n < kSteps; ++n) {
    ASSERT_TRUE(std::ranges::equal(one->next(first), other->next(second)));
    const auto action = static_cast<Action>(n) % actions;
    const double reward = one->pull(action, first);
    const double same = other->pull(n % 2 == 0 ? action : 0, second);
    if (n % 2 == 0) {
      EXPECT_EQ(reward, same);
    }
    EXPECT_EQ(one->regret(action), other->regret(action));
    ASSERT_EQ(first.position(), second.position());
  }
}

}  // namespace
}  // namespace sau
