// Every problem of the catalogue runs these. Registering a problem is enough.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "problem/event_log.hpp"
#include "sau/catalog/catalog.hpp"
#include "support/catalogue_types.hpp"
#include "support/errors.hpp"
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
TYPED_TEST_SUITE(ProblemConformance, testing::AsTestTypes<testing::FixedProblems>::type,
                 testing::ComponentNames);

constexpr int kProblemSteps = 300;

TYPED_TEST(ProblemConformance, KeepsToItsShapeAndItsRewards) {
  const auto problem = this->make(0);
  const Shape shape = problem->shape();
  ASSERT_GE(shape.actions, 1U);
  EXPECT_GE(problem->default_steps(), 1U);
  Rng rng(Stream{.seed = 4});
  for (int n = 0; n < kProblemSteps; ++n) {
    const Context x = problem->next(rng);
    ASSERT_EQ(x.size(), shape.dim);
    EXPECT_TRUE(std::ranges::all_of(x, [](double xi) { return std::isfinite(xi); }));
    const auto action = static_cast<Action>(n) % shape.actions;
    EXPECT_TRUE(problem->rewards().contains(problem->pull(action, rng)));
    EXPECT_TRUE(std::isfinite(problem->regret(action)));
  }
}

// Two agents on the same streams get the same contexts, rewards and draws, whatever they play.
TYPED_TEST(ProblemConformance, IsTheSameForEveryAgent) {
  const auto one = this->make(1), other = this->make(1);
  const Action actions = one->shape().actions;
  Rng first(Stream{.seed = 5}), second(Stream{.seed = 5});
  for (int n = 0; n < kProblemSteps; ++n) {
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

template <class P>
class OfferProblemConformance : public ::testing::Test {
 public:
  std::string spec() { return testing::example_spec<P>(folders_); }
  std::unique_ptr<OfferProblem> make(std::uint64_t trial) {
    return make_offer_problem(spec(), {.seed = 4, .trial = trial, .role = Role::kSetup});
  }

 private:
  testing::DataFolders folders_;
};
TYPED_TEST_SUITE(OfferProblemConformance, testing::AsTestTypes<testing::OfferProblems>::type,
                 testing::ComponentNames);

bool all_finite(HashedFeatures features) {
  return std::ranges::all_of(features,
                             [](const HashedFeature& f) { return std::isfinite(f.value); });
}

// The index of the n-th action that may be chosen, counting in a cycle.
Action choice_of(const Situation& now, int n) {
  std::vector<Action> free;
  for (Action a = 0; a < now.actions.size(); ++a) {
    if (!now.actions[a].excluded) free.push_back(a);
  }
  return free.at(static_cast<std::size_t>(n) % free.size());
}

TYPED_TEST(OfferProblemConformance, OffersActionsAndKeepsToItsRewards) {
  const auto problem = this->make(0);
  EXPECT_GE(problem->default_steps(), 1U);
  EXPECT_TRUE(offers_by_id(this->spec()));
  Rng rng(Stream{.seed = 4});
  for (int n = 0; n < kProblemSteps; ++n) {
    const Situation now = problem->next(rng);
    ASSERT_FALSE(now.actions.empty());
    EXPECT_TRUE(all_finite(now.context));
    std::vector<std::string_view> ids;
    for (const OfferedAction& action : now.actions) {
      EXPECT_FALSE(action.id.empty());
      EXPECT_TRUE(all_finite(action.features));
      ids.push_back(action.id);
    }
    std::ranges::sort(ids);
    EXPECT_TRUE(std::ranges::adjacent_find(ids) == ids.end()) << "an id occurs twice";
    const Action action = choice_of(now, n);
    EXPECT_TRUE(problem->rewards().contains(problem->pull(action, rng)));
    EXPECT_GE(problem->regret(action), 0.0);
    double least = problem->regret(action);
    for (Action a = 0; a < now.actions.size(); ++a) {
      if (!now.actions[a].excluded) least = std::min(least, problem->regret(a));
    }
    EXPECT_EQ(least, 0.0) << "no action is the best";
  }
}

TYPED_TEST(OfferProblemConformance, IsTheSameForEveryAgent) {
  const auto one = this->make(1), other = this->make(1);
  Rng first(Stream{.seed = 5}), second(Stream{.seed = 5});
  for (int n = 0; n < kProblemSteps; ++n) {
    const Situation now = one->next(first), same = other->next(second);
    ASSERT_TRUE(std::ranges::equal(now.context, same.context));
    ASSERT_EQ(now.actions.size(), same.actions.size());
    for (std::size_t a = 0; a < now.actions.size(); ++a) {
      EXPECT_EQ(now.actions[a].id, same.actions[a].id);
      EXPECT_EQ(now.actions[a].excluded, same.actions[a].excluded);
      EXPECT_TRUE(std::ranges::equal(now.actions[a].features, same.actions[a].features));
    }
    const Action action = choice_of(now, n);
    const double reward = one->pull(action, first);
    const double paid = other->pull(n % 2 == 0 ? action : choice_of(now, 0), second);
    if (n % 2 == 0) {
      EXPECT_EQ(reward, paid);
    }
    EXPECT_EQ(one->regret(action), other->regret(action));
    ASSERT_EQ(first.position(), second.position());
  }
}

// The names in the request have the hashes of the offer.
TYPED_TEST(OfferProblemConformance, ItsRequestSaysWhatIsOnOffer) {
  const auto problem = this->make(2);
  Rng rng(Stream{.seed = 6});
  for (int n = 0; n < 20; ++n) {
    const Situation now = problem->next(rng);
    auto request = nlohmann::ordered_json::parse(problem->request());
    for (auto& action : request["actions"]) {
      EXPECT_FALSE(action.contains("reward"));
      action["reward"] = 0;
    }
    const detail::EventLog read(request.dump(), "request");
    EXPECT_TRUE(std::ranges::equal(read.context(0), now.context));
    const auto offers = read.offers(0);
    ASSERT_EQ(offers.size(), now.actions.size());
    for (std::size_t a = 0; a < offers.size(); ++a) {
      EXPECT_EQ(offers[a].id, now.actions[a].id);
      EXPECT_EQ(offers[a].excluded, now.actions[a].excluded);
      EXPECT_TRUE(std::ranges::equal(read.features(offers[a]), now.actions[a].features));
    }
  }
}

TYPED_TEST(OfferProblemConformance, IsRefusedAsAProblemWithAFixedSetOfActions) {
  EXPECT_THAT(testing::error_of<UsageError>([&] { make_problem(this->spec(), {}); }),
              ::testing::HasSubstr("come and go by id; expected a problem with a fixed set"));
  EXPECT_THAT(testing::error_of<UsageError>([&] { make_offer_problem("wheel", {}); }),
              ::testing::HasSubstr("the actions of the problem wheel are a fixed set"));
}

}  // namespace
}  // namespace sau
