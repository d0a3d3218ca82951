// What holds for every agent for actions by id.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catalog/offers.hpp"
#include "support/errors.hpp"

namespace sau::every_offer_agent_test {
namespace {

using testing::a_context;
using testing::bytes_of;
using testing::error_of;
using testing::feature;
using testing::Features;
using testing::forecasts;
using ::testing::HasSubstr;
using testing::Offer;
using testing::offer_pairs;
using testing::OfferPair;
using testing::play;

class EveryOfferAgent : public ::testing::TestWithParam<OfferPair> {
 protected:
  std::unique_ptr<OfferAgent> agent(std::uint64_t seed = 1) const {
    return make_offer_agent(GetParam().spec, seed);
  }
};

// Also with settings that change what is learned.
std::vector<OfferPair> every_agent() {
  std::vector<OfferPair> agents = offer_pairs();
  agents.push_back({"sau", "sau"});
  agents.push_back({"hashed_linear_pooled", "hashed_linear(bits=8)+sau_ucb(pool=2,start=0.5)"});
  agents.push_back({"hashed_linear_few", "hashed_linear(bits=8)+sau_sampling+ids(actions=16)"});
  agents.push_back({"hashed_mlp_adam",
                    "hashed_mlp(bits=8,hidden=8,batch=8,every=5,start=10,updates=2,history=40,"
                    "optimizer=adam)+greedy"});
  agents.push_back({"sample_mean_discounted", "sample_mean(discount=0.95)+sau_ucb(discount=0.95)"});
  agents.push_back({"sample_mean_forgetting", "sample_mean+sau_sampling(discount=0.9)"});
  agents.push_back({"windowed_small", "windowed(model=linear,window=12)+sau_sampling+ids(dim=4)"});
  agents.push_back({"linear_narrow", "linear+sau_ucb+ids(dim=2,outputs=3)"});
  return agents;
}

std::string agent_name(const ::testing::TestParamInfo<OfferPair>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Pairs, EveryOfferAgent, ::testing::ValuesIn(every_agent()), agent_name);

// As a log has it.
struct Lesson {
  Features context;
  int action;
  double value, reward;
};

// New actions and new features keep coming.
std::vector<Lesson> some_lessons(int count) {
  Rng rng(Stream{.seed = 4});
  std::vector<Lesson> lessons;
  for (int i = 0; i < count; ++i) {
    Features context = a_context(rng);
    context.push_back(feature("day=" + std::to_string(i / 10)));
    const auto actions = static_cast<std::uint64_t>(2 + i / 4);
    lessons.push_back({std::move(context), static_cast<int>(rng.below(actions)), rng.uniform(),
                       rng.uniform() < 0.3 ? 1.0 : 0.0});
  }
  return lessons;
}

// The service publishes, saves and loads whenever it happens to, so no moment may make a
// difference. Decisions about the next lesson are made on the agent and on what it publishes.
TEST_P(EveryOfferAgent, DependsOnlyOnItsSeedAndItsLessons) {
  const std::vector<Lesson> lessons = some_lessons(60);
  const auto learned = [&](auto&& before_lesson) {
    auto made = agent();
    for (const Lesson& lesson : lessons) {
      const Offer offer({lesson.action});
      before_lesson(made, lesson.context, offer.actions());
      made->learn(lesson.context, offer.actions()[0], lesson.value, lesson.reward, 0.5);
    }
    return bytes_of(*made);
  };
  const auto reload = [&](std::unique_ptr<OfferAgent>& made) {
    const std::string bytes = bytes_of(*made);
    made = agent(7);
    StateReader reader(bytes);
    made->load(reader);
    reader.finish();
  };
  using Actions = std::span<const OfferedAction>;
  const std::string alone = learned([](auto&, HashedFeatures, Actions) {});
  EXPECT_EQ(alone, learned([](auto& made, HashedFeatures context, Actions actions) {
              forecasts(*made->published(), context, actions);
              forecasts(*made, context, actions);
            }))
      << "when every lesson is published";
  Rng rng(Stream{.seed = 5});
  std::shared_ptr<const OfferAgent> copy;
  EXPECT_EQ(alone, learned([&](auto& made, HashedFeatures context, Actions actions) {
              if (rng.below(8) == 0) copy = made->published();
              if (rng.below(16) == 0) reload(made);
              if (copy) forecasts(*copy, context, actions);
            }))
      << "when it is published and loaded now and then";
}

TEST_P(EveryOfferAgent, ProbabilitiesSumToOneAndExcludedActionsHaveNone) {
  const auto made = agent();
  play(*made, 100, 1);
  Rng rng(Stream{.seed = 9});
  Offer offer({3, 11, 7, 0, 12});
  offer[1].excluded = offer[3].excluded = true;
  for (int i = 0; i < 50; ++i) {
    const auto context = a_context(rng);
    const auto seen = forecasts(*made, context, offer.actions());
    double sum = 0.0;
    for (const Forecast& forecast : seen) {
      EXPECT_GE(forecast.probability, 0.0);
      sum += forecast.probability;
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
    EXPECT_EQ(seen[1].probability, 0.0);
    EXPECT_EQ(seen[3].probability, 0.0);
    // Excluded actions do not affect the others.
    const Offer rest({3, 7, 12});
    const auto without = forecasts(*made, context, rest.actions());
    EXPECT_EQ(without[0].probability, seen[0].probability);
    EXPECT_EQ(without[1].value, seen[2].value);
    EXPECT_EQ(without[2].probability, seen[4].probability);
  }
}

TEST_P(EveryOfferAgent, ASingleActionIsCertain) {
  const auto made = agent();
  const Offer offer({4});
  EXPECT_EQ(forecasts(*made, {}, offer.actions())[0].probability, 1.0);
}

TEST_P(EveryOfferAgent, PermutingTheActionsPermutesTheForecasts) {
  const auto made = agent();
  play(*made, 100, 1);
  Rng rng(Stream{.seed = 9});
  const auto context = a_context(rng);
  const Offer one({0, 1, 2, 3, 4, 5}), other({5, 3, 1, 0, 2, 4});
  const auto p = forecasts(*made, context, one.actions());
  const auto q = forecasts(*made, context, other.actions());
  const std::size_t place[] = {5, 3, 1, 0, 2, 4};
  // A model without features then values all actions alike, and some strategies take the first.
  const bool alike =
      GetParam().spec.find("by=features") != std::string::npos &&
      std::ranges::all_of(p, [&](const Forecast& f) { return f.value == p[0].value; });
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(q[i].value, p[place[i]].value);
    EXPECT_EQ(q[i].spread, p[place[i]].spread);
    if (!alike) {
      EXPECT_NEAR(q[i].probability, p[place[i]].probability, 1e-9);
    }
  }
}

TEST_P(EveryOfferAgent, APublishedCopyDecidesTheSameAndNeverChanges) {
  const auto made = agent();
  play(*made, 60, 1);
  const auto copy = made->published();
  Rng rng(Stream{.seed = 9});
  const auto context = a_context(rng);
  const Offer offer({0, 1, 2, 3, 99});
  const auto before = forecasts(*copy, context, offer.actions());
  const auto own = forecasts(*made, context, offer.actions());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].value, own[i].value);
    EXPECT_EQ(before[i].probability, own[i].probability);
  }
  EXPECT_EQ(made->published(), copy);  // nothing was learned in between
  play(*made, 60, 2);
  const auto after = forecasts(*copy, context, offer.actions());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].value, after[i].value);
    EXPECT_EQ(before[i].probability, after[i].probability);
    EXPECT_EQ(before[i].count, after[i].count);
  }
  EXPECT_EQ(copy->learned(), 60u);
  EXPECT_EQ(copy->spec(), made->spec());
  EXPECT_EQ(copy->action_count(), copy->actions(1000).size());
  EXPECT_NE(made->published(), copy);
}

TEST_P(EveryOfferAgent, CopiesMayBeReadWhileItLearns) {
  const auto made = agent();
  play(*made, 40, 1);
  auto copy = made->published();
  const Offer offer({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  Rng rng(Stream{.seed = 9});
  const auto context = a_context(rng);
  const auto expected = forecasts(*copy, context, offer.actions());
  std::vector<std::thread> readers;
  std::vector<int> wrong(2, 0);
  for (std::size_t r = 0; r < 2; ++r) {
    readers.emplace_back([&, r, mine = copy]() mutable {
      for (int i = 0; i < 100; ++i) {
        const auto seen = forecasts(*mine, context, offer.actions());
        for (std::size_t a = 0; a < seen.size(); ++a) {
          wrong[r] += seen[a].value != expected[a].value ? 1 : 0;
        }
      }
      mine.reset();
    });
  }
  copy.reset();
  for (std::uint64_t i = 0; i < 10; ++i) {
    play(*made, 10, i);
    made->published();
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, (std::vector<int>{0, 0}));
}

TEST_P(EveryOfferAgent, WrongCallsAreRefused) {
  const auto made = agent();
  const Offer offer({0, 1});
  const HashedFeature bad = feature("x", std::nan(""));
  std::vector<Forecast> two(2), three(3);
  EXPECT_THAT(error_of([&] {
                made->decide({&bad, 1}, offer.actions(), 0.2, two);
              }),
              HasSubstr("not a finite number"));
  EXPECT_THAT(error_of([&] { made->decide({}, offer.actions(), 0.2, three); }),
              HasSubstr("room for 3 actions, expected 2"));
  EXPECT_THAT(error_of([&] { made->decide({}, offer.actions(), 1.5, two); }),
              HasSubstr("exploration 1.5 is not allowed"));
  EXPECT_THAT(error_of([&] { made->decide({}, {}, 0.2, {}); }), HasSubstr("excluded"));
  EXPECT_THAT(error_of([&] { made->learn({}, offer.actions()[0], 0.0, std::nan("")); }),
              HasSubstr("is not allowed"));
  EXPECT_THAT(error_of([&] {
                made->learn({&bad, 1}, offer.actions()[0], 0.0, 1.0);
              }),
              HasSubstr("not a finite number"));
  EXPECT_EQ(made->learned(), 0u);
}

}  // namespace
}  // namespace sau::every_offer_agent_test
