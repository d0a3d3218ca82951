#include "sau/agent/offer_agent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/core/rng.hpp"
#include "support/errors.hpp"
#include "support/hashed_features.hpp"

namespace sau::offer_agent_test {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

using testing::feature;

// Actions by number, each with its own two features.
class Offer {
 public:
  explicit Offer(const std::vector<int>& numbers) {
    for (const int n : numbers) {
      ids_.push_back("action " + std::to_string(n));
      features_.push_back({feature("kind=" + std::to_string(n % 3)), feature("price", 0.5 * n)});
    }
    for (std::size_t i = 0; i < ids_.size(); ++i) actions_.push_back({ids_[i], features_[i]});
  }
  Offer(const Offer&) = delete;

  std::span<const OfferedAction> actions() const { return actions_; }
  OfferedAction& operator[](std::size_t i) { return actions_[i]; }

 private:
  std::vector<std::string> ids_;
  std::vector<std::vector<HashedFeature>> features_;
  std::vector<OfferedAction> actions_;
};

std::vector<HashedFeature> a_context(Rng& rng) {
  return {feature("hour=" + std::to_string(rng.below(4))), feature("age", 20.0 + rng.uniform())};
}

std::vector<Forecast> forecasts(const OfferAgent& agent, HashedFeatures context,
                                std::span<const OfferedAction> actions, double exploration = 0.2) {
  std::vector<Forecast> out(actions.size());
  agent.decide(context, actions, exploration, out);
  return out;
}

// Plays `events` events with ten actions; the rewards depend on context and action.
void play(OfferAgent& agent, std::uint64_t events, std::uint64_t seed) {
  Rng rng(Stream{.seed = seed});
  const Offer offer({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (std::uint64_t i = 0; i < events; ++i) {
    const auto context = a_context(rng);
    const auto seen = forecasts(agent, context, offer.actions());
    double left = rng.uniform();
    std::size_t chosen = 0;
    while (chosen + 1 < seen.size() && left >= seen[chosen].probability) {
      left -= seen[chosen++].probability;
    }
    const double mean = 0.1 * static_cast<double>(chosen % 4) + (context[1].value - 20.0F) * 0.2;
    agent.learn(context, offer.actions()[chosen], seen[chosen].value,
                rng.uniform() < mean ? 1.0 : 0.0, seen[chosen].probability);
  }
}

std::string bytes_of(const OfferAgent& agent) {
  StateWriter writer;
  agent.save(writer);
  return writer.bytes();
}

constexpr const char* kContextual = "hashed_linear+sau_sampling";

class EveryOfferAgent : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<OfferAgent> agent(std::uint64_t seed = 1) const {
    return make_offer_agent(GetParam(), seed);
  }
};

// Every model with every strategy that fits it; deep models are small, to be fast.
std::vector<std::string> every_pair() {
  std::vector<std::string> pairs;
  for (const ComponentInfo& strategy : list_strategies()) {
    for (const std::string& model : strategy.fits) {
      const bool deep = model == "mlp" || model == "langevin_mlp" || model.starts_with("neural_");
      pairs.push_back(model + (deep ? "(hidden=8x8,batch=8,every=5,start=10,updates=2)" : "") +
                      "+" + strategy.name);
      const bool joint = model == "hashed_linear" || model == "hashed_mlp";
      if (!joint) pairs.push_back(pairs.back() + "+ids(by=features)");
    }
  }
  pairs.emplace_back("sample_mean(discount=0.95)+sau_ucb(discount=0.95)");
  pairs.emplace_back("sample_mean+sau_sampling(discount=0.9)");
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(Pairs, EveryOfferAgent, ::testing::ValuesIn(every_pair()));

TEST_P(EveryOfferAgent, ContinuesByteForByteAfterSaveAndLoad) {
  const auto one = agent();
  play(*one, 150, 1);
  const std::string bytes = bytes_of(*one);
  const auto two = agent(7);
  StateReader reader(bytes);
  two->load(reader);
  reader.finish();
  EXPECT_EQ(bytes_of(*two), bytes);
  play(*one, 150, 2);
  play(*two, 150, 2);
  EXPECT_EQ(bytes_of(*two), bytes_of(*one));
  EXPECT_EQ(two->learned(), 300u);
}

TEST_P(EveryOfferAgent, DependsOnlyOnItsSeedAndWhatItLearned) {
  const auto one = agent(), two = agent();
  play(*one, 100, 1);
  play(*two, 50, 1);
  two->published();  // must make no difference
  const auto three = agent();
  play(*three, 50, 1);
  EXPECT_EQ(bytes_of(*two), bytes_of(*three));
  EXPECT_NE(bytes_of(*one), bytes_of(*two));
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
      GetParam().ends_with("+ids(by=features)") &&
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

TEST(OfferAgent, AModelOrStrategyAloneGetsTheFirstPartnerThatFits) {
  EXPECT_EQ(canonical_offer_agent("sau_ucb"), "hashed_linear+sau_ucb");
  EXPECT_EQ(canonical_offer_agent("thompson"), "linear_posterior+thompson");
  EXPECT_EQ(canonical_offer_agent("lin_ucb"), "linear+lin_ucb");
  EXPECT_EQ(canonical_offer_agent("mlp"), "mlp+sau_sampling");
  EXPECT_EQ(canonical_offer_agent("greedy+ids(dim=8)"), "hashed_linear+greedy+ids(dim=8)");
}

TEST(OfferAgent, ThePublishedCopyRefusesToLearn) {
  const auto made = make_offer_agent(kContextual, 1);
  const auto copy = std::const_pointer_cast<OfferAgent>(made->published());
  const Offer offer({0});
  EXPECT_THROW(copy->learn({}, offer.actions()[0], 0.0, 1.0), Error);
  EXPECT_THROW(copy->published(), Error);
  StateWriter writer;
  EXPECT_THROW(copy->save(writer), Error);
}

// S2 = 1 + (1 - 0.25)^2, n = 1.
TEST(OfferAgent, ForecastsFollowEquation5) {
  const auto made = make_offer_agent(kContextual, 1);
  const Offer offer({0, 1});
  made->learn({}, offer.actions()[0], 0.25, 1.0);
  const auto seen = forecasts(*made, {}, offer.actions());
  EXPECT_EQ(seen[0].count, 1u);
  EXPECT_DOUBLE_EQ(seen[0].variance, 1.5625);
  EXPECT_DOUBLE_EQ(seen[0].spread, 1.25);
  EXPECT_EQ(seen[1].count, 0u);
  EXPECT_EQ(seen[1].spread, 1.0);
  const auto records = made->actions(5);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].id, "action 0");
  EXPECT_EQ(records[0].reward_sum, 1.0);
}

TEST(OfferAgent, ANewActionIsExploredAtOnceButNotExclusively) {
  const auto made = make_offer_agent(kContextual, 1);
  play(*made, 3000, 1);
  const Offer offer({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1000});
  Rng rng(Stream{.seed = 9});
  const auto context = a_context(rng);
  const auto seen = forecasts(*made, context, offer.actions());
  EXPECT_GT(seen.back().probability, 0.1);
  EXPECT_LT(seen.back().probability, 0.9);
}

// Two new actions and no features: values 0, spreads 1. After one reward of 0 predicted exactly,
// that action has n = 1 and S2 = 1 as well.
TEST(OfferAgent, UcbAddsItsBonusAndMixesWithUniform) {
  const auto made = make_offer_agent("hashed_linear+sau_ucb(alpha=2)", 1);
  const Offer offer({0, 1, 2, 3});
  for (int i = 0; i < 3; ++i) made->learn({}, offer.actions()[0], 0.0, 0.0);
  // Action 0: sqrt(1) / 3; the others: 1. Ties go to the first, action 1.
  const auto seen = forecasts(*made, {}, offer.actions(), 0.2);
  EXPECT_DOUBLE_EQ(seen[0].probability, 0.05);
  EXPECT_DOUBLE_EQ(seen[1].probability, 0.85);
  EXPECT_DOUBLE_EQ(seen[2].probability, 0.05);
}

TEST(OfferAgent, SamplingProbabilitiesMatchTheFrequenciesOfDraws) {
  const auto made = make_offer_agent(kContextual, 1);
  play(*made, 200, 1);
  Rng rng(Stream{.seed = 9});
  const auto context = a_context(rng);
  const Offer offer({0, 1, 2, 3, 77});
  const auto seen = forecasts(*made, context, offer.actions());
  constexpr int kDraws = 100'000;
  std::vector<int> wins(seen.size());
  for (int i = 0; i < kDraws; ++i) {
    std::size_t best = 0;
    double top = -1e300;
    for (std::size_t a = 0; a < seen.size(); ++a) {
      const double draw = seen[a].value + seen[a].spread * rng.normal();
      if (draw > top) {
        top = draw;
        best = a;
      }
    }
    ++wins[best];
  }
  for (std::size_t a = 0; a < seen.size(); ++a) {
    const double p = seen[a].probability;
    EXPECT_NEAR(wins[a] / static_cast<double>(kDraws), p,
                5.0 * std::sqrt(p * (1.0 - p) / kDraws) + 1.0 / kDraws);
  }
}

TEST(OfferAgent, ActionsAreDistinguishedByTheirIds) {
  const auto made = make_offer_agent("hashed_linear+epsilon_greedy", 1);
  const OfferedAction good{"good", {}, false}, bad{"bad", {}, false};
  for (int i = 0; i < 500; ++i) {
    made->learn({}, good, 0.0, 1.0);
    made->learn({}, bad, 0.0, 0.0);
  }
  const std::vector<OfferedAction> both{bad, good};
  const auto seen = forecasts(*made, {}, both, 0.0);
  EXPECT_NEAR(seen[0].value, 0.0, 0.1);
  EXPECT_NEAR(seen[1].value, 1.0, 0.1);
  EXPECT_EQ(seen[1].probability, 1.0);
}

TEST(OfferAgent, RemembersABoundedNumberOfActions) {
  const auto made = make_offer_agent("hashed_linear(bits=8)+sau_sampling+ids(actions=64)", 1);
  for (int i = 0; i < 1000; ++i) {
    const std::string id = std::to_string(i);
    made->learn({}, {id, {}, false}, 0.0, 0.5);
    ASSERT_LE(made->action_count(), 64u);
  }
  EXPECT_EQ(made->learned(), 1000u);
}

TEST(OfferAgent, SpecsAreCanonicalAndRoundTrip) {
  const auto spec = [](const char* text) { return make_offer_agent(text, 1)->spec(); };
  EXPECT_EQ(spec("hashed_linear"), "hashed_linear+sau_sampling");
  EXPECT_EQ(spec("sau_ucb"), "hashed_linear+sau_ucb");
  EXPECT_EQ(spec("thompson"), "linear_posterior+thompson");
  EXPECT_EQ(spec("neural-sau-s"), "mlp+sau_sampling(initial_pulls=2)");
  EXPECT_EQ(spec("linear+sau_ucb+ids"), "linear+sau_ucb");
  EXPECT_EQ(spec("linear+sau_ucb+ids(actions=64,by=outputs)"), "linear+sau_ucb+ids(actions=64)");
  // As in folders of earlier versions.
  EXPECT_EQ(spec("hashed_linear+sau_ucb(actions=64)"), "hashed_linear+sau_ucb+ids(actions=64)");
  EXPECT_EQ(spec(" hashed_linear ( bits = 10 ) + sau_ucb ( alpha = 0.50 ) "),
            "hashed_linear(bits=10)+sau_ucb(alpha=0.5)");
  EXPECT_EQ(spec("hashed_mlp(hidden=8x4,bits=8)"), "hashed_mlp(bits=8,hidden=8x4)+sau_sampling");
  for (const std::string& pair : every_pair()) EXPECT_EQ(spec(pair.c_str()), pair);
}

TEST(OfferAgent, ErrorsForWrongSpecsListWhatIsKnown) {
  const auto error = [](const char* text) {
    return error_of<UsageError>([&] { make_offer_agent(text, 1); });
  };
  EXPECT_THAT(error("hashed_liner+sau_ucb"),
              HasSubstr("unknown model 'hashed_liner'; did you mean 'hashed_linear'?"));
  EXPECT_THAT(error("hashed_linear+sau_ucp"), HasSubstr("did you mean 'sau_ucb'?"));
  EXPECT_THAT(error("hashed_linear(bits=7)"), HasSubstr("bits=7 is not allowed"));
  EXPECT_THAT(error("hashed_linear(bits=8.5)"), HasSubstr("whole number"));
  EXPECT_THAT(error("hashed_linear+sau_ucb+sau_ucb"), HasSubstr("found 3 parts"));
  EXPECT_THAT(error("hashed_linear+thompson"),
              HasSubstr("thompson needs a model with a posterior; hashed_linear is not one"));
  EXPECT_THAT(error("linear+sau_ucb+ids(dim=0)"), HasSubstr("dim=0 is not allowed"));
  EXPECT_THAT(error("hashed_mlp(hidden=0)"), HasSubstr("hidden=0 is not allowed"));
  EXPECT_THAT(error(""), HasSubstr("expected a name"));
}

TEST(OfferAgent, AStateOfAnotherShapeIsRefused) {
  const auto small = make_offer_agent("hashed_linear(bits=8)", 1);
  const auto large = make_offer_agent("hashed_linear(bits=18)", 1);
  play(*large, 20, 1);
  const std::string bytes = bytes_of(*large);
  StateReader reader(bytes);
  EXPECT_THROW(small->load(reader), Error);
  for (const std::size_t size : {std::size_t{0}, std::size_t{40}, bytes.size() / 2}) {
    StateReader cut(std::string_view(bytes).substr(0, size));
    EXPECT_THROW(make_offer_agent("hashed_linear", 1)->load(cut), Error);
  }
}

}  // namespace
}  // namespace sau::offer_agent_test
