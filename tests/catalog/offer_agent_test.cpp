#include "sau/agent/offer_agent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "catalog/offers.hpp"
#include "support/errors.hpp"

namespace sau::offer_agent_test {
namespace {

using testing::a_context;
using testing::bytes_of;
using testing::error_of;
using testing::forecasts;
using ::testing::HasSubstr;
using testing::Offer;
using testing::offer_pairs;
using testing::play;

constexpr const char* kContextual = "hashed_linear+sau_sampling";

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
  for (const testing::OfferPair& pair : offer_pairs()) {
    const std::string canonical = spec(pair.spec.c_str());
    EXPECT_EQ(spec(canonical.c_str()), canonical);
  }
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
