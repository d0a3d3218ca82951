// The committee, as a model of models of the catalogue, and the default agent, which is one.
#include "sau/model/committee.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/model/linear.hpp"
#include "sau/model/random_features.hpp"
#include "support/catalogue_types.hpp"
#include "support/errors.hpp"
#include "support/kept_notes.hpp"
#include "support/setups.hpp"

namespace sau {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::KeptNotes;
using testing::setup_of;

static_assert(ValueModel<Committee> && WidthModel<Committee> && DisagreementModel<Committee>);
static_assert(JointModel<JointCommittee>);

// Contexts of three numbers. The reward of action 0 is linear, that of the others is not.
class PartlyLinear {
 public:
  explicit PartlyLinear(double unit = 1.0) : unit_(unit) {}
  Context next() {
    for (double& xi : x_) xi = rng_.normal();
    noise_ = 0.3 * rng_.normal();
    return x_;
  }
  double reward(Action a) const {
    return unit_ * (noise_ + (a == 0 ? x_[0] : std::abs(x_[a % 3]) - 0.5));
  }

 private:
  Rng rng_{Stream{.seed = 12}};
  double unit_, noise_ = 0.0;
  std::vector<double> x_ = std::vector<double>(3);
};

// The value is that of the formula, computed here from two members that learn beside it.
TEST(Committee, WeighsItsMembersByTheirErrors) {
  const auto setup = setup_of(2, 3);
  Committee committee(setup, {.members = "linear(lambda=20)+linear(lambda=0.25)"});
  Linear stiff(setup, {.lambda = 20.0}), soft(setup, {.lambda = 0.25});
  Credibility credibility(2, 2);
  PartlyLinear world;
  for (int n = 0; n < 100; ++n) {
    const Context x = world.next();
    const auto one = stiff.values(x), two = soft.values(x);
    std::vector<double> opinion(one.begin(), one.end()), value(2), disagreement(2);
    opinion.insert(opinion.end(), two.begin(), two.end());
    credibility.judge(opinion, {}, value, disagreement);
    const auto found = committee.values(x), differs = committee.disagreement(x);
    ASSERT_EQ(std::vector<double>(found.begin(), found.end()), value);
    ASSERT_EQ(std::vector<double>(differs.begin(), differs.end()), disagreement);
    const auto action = static_cast<Action>(n % 2);
    const double reward = world.reward(action);
    credibility.observe(action, std::vector<double>{opinion[action], opinion[2 + action]}, reward);
    stiff.update(x, action, reward);
    soft.update(x, action, reward);
    committee.update(x, action, reward);
  }
}

// The value of the only member does not differ from itself, so all disagreement is novelty.
TEST(Committee, WhatAMemberDoesNotKnowCountsAsDisagreement) {
  const auto setup = setup_of(2, 3);
  Committee committee(setup, {.members = "random_features(features=8)"});
  RandomFeatures member({.shape = setup.shape, .stream = member_stream(setup.stream, 0)},
                        {.features = 8});
  PartlyLinear world;
  Credibility credibility(1, 2);
  for (int n = 0; n < 50; ++n) {
    const Context x = world.next();
    const auto action = static_cast<Action>(n % 2);
    credibility.observe(action, std::vector<double>{member.values(x)[action]},
                        world.reward(action));
    member.update(x, action, world.reward(action));
    committee.update(x, action, world.reward(action));
  }
  const Context x = world.next();
  const auto opinion = member.values(x);
  const std::vector<double> values(opinion.begin(), opinion.end());
  std::vector<double> value(2), disagreement(2);
  credibility.judge(values, member.novelty(x), value, disagreement);
  EXPECT_GT(disagreement[0], 0.0);
  EXPECT_THAT(committee.disagreement(x), ElementsAre(disagreement[0], disagreement[1]));
}

TEST(Committee, BelievesTheMemberThatIsRight) {
  Committee committee(setup_of(1, 3), {.members = "sample_mean+linear(lambda=0.25)"});
  PartlyLinear world;
  for (int n = 0; n < 200; ++n) {
    const Context x = world.next();
    committee.update(x, 0, world.reward(0));
  }
  const auto members = committee.members();
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].spec, "sample_mean");
  EXPECT_EQ(members[1].spec, "linear(lambda=0.25)");
  EXPECT_LT(members[0].weight, 0.01);
  EXPECT_GT(members[1].weight, 0.99);
}

TEST(Committee, NeuralLinearHasTwoOpinions) {
  const Committee committee(setup_of(2, 3), {.members = "neural_linear(hidden=4)+linear"});
  std::vector<std::string> names;
  for (const MemberRecord& member : committee.members()) names.push_back(member.spec);
  EXPECT_THAT(names, ElementsAre("neural_linear(hidden=4):network",
                                 "neural_linear(hidden=4):regression", "linear"));
}

TEST(Committee, EqualMembersHaveTheirOwnRandomNumbers) {
  Committee committee(setup_of(2, 3), {.members = "mlp(hidden=4)+mlp(hidden=4)"});
  const auto differs = committee.disagreement(std::vector<double>{1.0, -1.0, 0.5});
  EXPECT_GT(differs[0], 0.0);
}

TEST(Committee, WideContextsHaveTheirOwnUsualMembers) {
  const auto names = [](std::size_t dim) {
    std::string all;
    for (const MemberRecord& member : Committee(setup_of(2, dim)).members()) all += member.spec;
    return all;
  };
  EXPECT_EQ(canonical_models(Committee::kWideMembers), Committee::kWideMembers);
  EXPECT_EQ(names(3), names(Committee::kWide));
  EXPECT_THAT(names(Committee::kWide + 1), HasSubstr("columns=400"));
  EXPECT_THAT(names(Committee::kWide + 1), HasSubstr("lr=0.001"));
}

// Plays 50 steps with rewards of 1e60, which overflow the single precision of a network but not the
// double precision of a regression.
std::unique_ptr<AnyAgent> after_huge_rewards(const std::string& members) {
  auto agent = make_agent("committee(members=\"" + members + "\")+sau_ucb", setup_of(2, 3));
  PartlyLinear world;
  Rng rng({.seed = 1});
  for (int n = 0; n < 50; ++n) {
    const Context x = world.next();
    const Choice made = agent->choose(x, rng);
    EXPECT_TRUE(std::isfinite(made.value));
    agent->learn(x, made, 1e60 * world.reward(made.action));
  }
  return agent;
}
const std::string kSmallNetwork = "mlp(hidden=8,batch=4,every=5,start=5,updates=1)";

TEST(Committee, AMemberThatFailsIsLeftOutAndNamed) {
  const KeptNotes notes;
  const auto agent = after_huge_rewards("linear+" + kSmallNetwork);
  EXPECT_EQ(agent->fault(), "");
  const auto members = agent->members();
  EXPECT_EQ(members[0].fault, "");
  EXPECT_EQ(members[0].weight, 1.0);
  EXPECT_THAT(members[1].fault, HasSubstr("diverged"));
  EXPECT_EQ(members[1].weight, 0.0);
  EXPECT_THAT(notes.all(),
              ElementsAre(Field(&Note::text, HasSubstr("committee: left out mlp(hidden=8"))));
}

TEST(Committee, FailsWhenNoMemberIsLeft) {
  const KeptNotes notes;
  const auto agent = after_huge_rewards(kSmallNetwork);
  EXPECT_THAT(agent->fault(), AllOf(HasSubstr("no member is left"), HasSubstr("diverged")));
}

TEST(Committee, MembersAreWrittenInTheirCanonicalForm) {
  EXPECT_EQ(canonical_agent("committee(members=\"linear(lambda=1.0) + mlp()\")+sau_ucb", 3),
            "committee(members=linear+mlp)+sau_ucb");
  EXPECT_EQ(canonical_agent("committee(members=usual)+sau_ucb", 3), "committee+sau_ucb");
  const std::string usual = "committee(members=\"" + std::string(Committee::kUsualMembers) + "\")";
  const std::string written = canonical_agent(usual + "+greedy", 3);
  EXPECT_EQ(written, usual + "+greedy");
  EXPECT_EQ(canonical_models(JointCommittee::kUsualMembers), JointCommittee::kUsualMembers);
}

TEST(Committee, MembersThatCannotBeAreRefused) {
  const auto refused = [](const std::string& members) {
    return error_of([&] { canonical_agent("committee(members=\"" + members + "\")+sau_ucb", 3); });
  };
  EXPECT_THAT(refused("linea"), HasSubstr("unknown model 'linea'"));
  EXPECT_THAT(refused("committee"),
              HasSubstr("committee contains models, so it cannot itself be inside one"));
  EXPECT_THAT(refused("linear(lambda=-1)"), HasSubstr("lambda=-1 is not allowed"));
  EXPECT_NE(refused(""), "");
}

TEST(Committee, CannotBeMerged) {
  const auto one = make_agent("committee+sau_ucb", setup_of(2, 3));
  const auto two = make_agent("committee+sau_ucb", setup_of(2, 3));
  EXPECT_THAT(error_of([&] { one->merge(*two); }), HasSubstr("cannot be merged"));
}

TEST(JointCommittee, AMemberThatFailsIsLeftOutAndNamed) {
  const KeptNotes notes;
  const auto agent = make_offer_agent(
      "committee(members=\"hashed_linear(bits=8)+linear\")+sau_sampling+ids(dim=4)", 1);
  const std::vector<OfferedAction> offered = {{.id = "a", .features = {}},
                                              {.id = "b", .features = {}}};
  std::vector<Forecast> forecast(2);
  for (int n = 0; n < 20; ++n) {
    agent->decide({}, offered, std::nullopt, forecast);
    agent->learn({}, offered[static_cast<std::size_t>(n % 2)], forecast[0].value,
                 n % 3 == 0 ? 1e60 : -1e60);
  }
  EXPECT_EQ(agent->fault(), "");
  EXPECT_THAT(agent->members()[0].fault, HasSubstr("single precision"));
  EXPECT_EQ(agent->members()[1].weight, 1.0);
  EXPECT_EQ(agent->published()->members()[1].weight, 1.0);
  EXPECT_THAT(notes.all(),
              ElementsAre(Field(&Note::text, HasSubstr("committee: left out hashed_linear"))));
}

TEST(JointCommittee, ForecastsCarryTheDisagreement) {
  const auto agent = make_offer_agent("committee+sau_sampling", 1);
  const std::vector<OfferedAction> offered = {{.id = "a", .features = {}},
                                              {.id = "b", .features = {}}};
  std::vector<Forecast> forecast(2);
  for (int n = 0; n < 60; ++n) {
    agent->decide({}, offered, std::nullopt, forecast);
    agent->learn({}, offered[static_cast<std::size_t>(n % 2)], forecast[0].value, n % 2);
  }
  agent->decide({}, offered, std::nullopt, forecast);
  EXPECT_GT(forecast[0].disagreement, 0.0);
  const auto other = make_offer_agent("hashed_linear+sau_sampling", 1);
  other->decide({}, offered, std::nullopt, forecast);
  EXPECT_EQ(forecast[0].disagreement, 0.0);
}

// One member cannot disagree with itself, so this is what it does not know.
TEST(JointCommittee, WhatAMemberDoesNotKnowCountsAsDisagreement) {
  const auto disagreement_with = [](const std::string& member) {
    const auto agent =
        make_offer_agent("committee(members=\"" + member + "\")+sau_sampling+ids(dim=4)", 1);
    const std::vector<OfferedAction> offered = {{.id = "known", .features = {}},
                                                {.id = "new", .features = {}}};
    for (int n = 0; n < 20; ++n) agent->learn({}, offered[0], 0.5, n % 2);
    std::vector<Forecast> forecast(2);
    agent->decide({}, offered, std::nullopt, forecast);
    return std::vector<double>{forecast[0].disagreement, forecast[1].disagreement};
  };
  EXPECT_THAT(disagreement_with("linear"), ElementsAre(0.0, 0.0));
  const auto found = disagreement_with("random_features(features=8)");
  EXPECT_GT(found[0], 0.0);
  EXPECT_GT(found[1], 2.0 * found[0]);
}

// Rewards 1 and 0, each predicted as 0.5: T = 0.25, and pool=4 adds 1 to every S2_a.
TEST(JointCommittee, KnownActionsHaveTheSpreadThatTheStrategySees) {
  const auto agent = make_offer_agent("committee+sau_sampling(pool=4,start=0)", 1);
  const OfferedAction one{.id = "a", .features = {}};
  agent->learn({}, one, 0.5, 1.0);
  agent->learn({}, one, 0.5, 0.0);
  EXPECT_DOUBLE_EQ(agent->actions(1)[0].squares, 0.5 + 1.0);
  EXPECT_DOUBLE_EQ(agent->published()->actions(1)[0].squares, 0.5 + 1.0);
  std::vector<Forecast> forecast(1);
  agent->decide({}, {&one, 1}, std::nullopt, forecast);
  EXPECT_DOUBLE_EQ(forecast[0].spread, std::sqrt(1.5) / 2.0);
}

// A new id begins with the spread of four rewards of the usual error, T = 0.25 here.
TEST(JointCommittee, APriorMakesTheSpreadOfANewIdSmaller) {
  const auto agent = make_offer_agent("committee+sau_sampling(pool=1,start=0,prior=4)", 1);
  const std::vector<OfferedAction> offered = {{.id = "old", .features = {}},
                                              {.id = "new", .features = {}}};
  agent->learn({}, offered[0], 0.5, 1.0);
  agent->learn({}, offered[0], 0.5, 0.0);
  std::vector<Forecast> forecast(2);
  agent->decide({}, offered, std::nullopt, forecast);
  EXPECT_DOUBLE_EQ(forecast[0].spread, std::sqrt(0.5 + 0.25) / 6.0);
  EXPECT_DOUBLE_EQ(forecast[1].spread, std::sqrt(0.25) / 4.0);
}

// The same members with and without the bonus: it is reported, and chances differ by it.
TEST(JointCommittee, TheBonusForDisagreementCanBeLeftOut) {
  const std::string model = "committee(members=\"hashed_linear+sample_mean\")";
  const auto with = make_offer_agent(model + "+sau_sampling", 1),
             without = make_offer_agent(model + "+sau_sampling(disagreement=0)", 1),
             twice = make_offer_agent(model + "+sau_sampling(disagreement=2)", 1);
  const std::vector<OfferedAction> offered = {{.id = "a", .features = {}},
                                              {.id = "b", .features = {}}};
  std::vector<Forecast> one(2), none(2), two(2);
  for (std::size_t n = 0; n < 20; ++n) {
    for (const auto& agent : {with.get(), without.get(), twice.get()}) {
      agent->learn({}, offered[n % 2], 0.5, n % 6 == 0 ? 1.0 : 0.0);
    }
  }
  with->decide({}, offered, std::nullopt, one);
  without->decide({}, offered, std::nullopt, none);
  twice->decide({}, offered, std::nullopt, two);
  EXPECT_GT(one[0].disagreement, 0.0);
  EXPECT_EQ(none[0].disagreement, one[0].disagreement);
  EXPECT_GT(one[0].bonus, 0.0);
  EXPECT_EQ(none[0].bonus, 0.0);
  EXPECT_EQ(two[0].bonus, 2.0 * one[0].bonus);
  EXPECT_NE(none[0].probability, one[0].probability);
  EXPECT_NE(two[0].probability, one[0].probability);
}

// The actions that the default agent plays when rewards are in another unit.
std::vector<Action> played_in_unit(const std::string& agent, double unit, int steps) {
  const auto player = make_agent(agent, setup_of(4, 3));
  PartlyLinear world(unit);
  Rng rng({.seed = 6});
  return testing::play_steps(*player, world, rng, steps);
}

TEST(DefaultAgent, IsFreeOfUnits) {
  constexpr int kSteps = 1200;
  for (const std::string agent :
       {"sau", "committee+sau_sampling(pool=5,start=0)",
        "committee+sau_sampling(pool=5,start=0)+ids", "mlp(standardise=true)+greedy"}) {
    const auto plain = played_in_unit(agent, 1.0, kSteps);
    EXPECT_EQ(played_in_unit(agent, 1024.0, kSteps), plain) << agent;
    EXPECT_EQ(played_in_unit(agent, 1.0 / 1024.0, kSteps), plain) << agent;
  }
}

// Multiplying by 1000 rounds the rewards in their last bit. The choices stay the same until that
// reaches a tie, which takes the network's single precision a while.
TEST(DefaultAgent, AUnitThatIsNoPowerOfTwoOnlyChangesRounding) {
  const auto plain = played_in_unit("sau", 1.0, 300);
  EXPECT_EQ(played_in_unit("sau", 1000.0, 300), plain);
}

TEST(DefaultAgent, IsOneNameInEverySetting) {
  EXPECT_EQ(canonical_agent("sau", 0), "sample_mean+sau_ucb");
  EXPECT_THAT(canonical_agent("sau", 3), HasSubstr("committee+sau_ucb("));
  EXPECT_THAT(canonical_offer_agent("sau"), HasSubstr("committee+sau_sampling("));
  EXPECT_EQ(agent_name("sau", 3), "sau");
  EXPECT_EQ(agent_name("sau", 0), "SAU-UCB");  // the name says which agent it is
  EXPECT_EQ(offer_agent_name("sau"), "sau");
}

}  // namespace
}  // namespace sau
