#include "sau/model/hashed_linear.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "sau/core/rng.hpp"
#include "support/hashed_features.hpp"

namespace sau::hashed_linear_test {
namespace {

using testing::feature;
using testing::Features;

double value_of(const HashedLinear& model, const Features& context, const Features& action) {
  const JointAction offered{action};
  double value = 0.0;
  model.weights().values(context, {&offered, 1}, {&value, 1});
  return value;
}

double weight_of(const HashedLinear& model, std::uint64_t hash, unsigned bits = 18) {
  return static_cast<double>(model.weights()[place_of(hash, bits)]);
}

// The formulas of the class comment, with a map as the table, in double precision.
class NaiveNag {
 public:
  explicit NaiveNag(double rate) : rate_(rate) {}

  double value(const Features& context, const Features& action) {
    double sum = 0.0;
    for (const auto& [hash, x] : phi(context, action)) sum += table_[hash].w * x;
    return sum;
  }

  void learn(const Features& context, const Features& action, double reward) {
    const auto features = phi(context, action);
    ++t_;
    double prediction = 0.0, h = 0.0;
    for (const auto& [hash, x] : features) {
      Weight& weight = table_[hash];
      if (std::abs(x) > weight.s) {
        const double shrink = weight.s / std::abs(x);
        weight.w *= shrink;
        weight.a *= shrink * shrink;
        weight.s = std::abs(x);
      }
      n_ += x * x / (weight.s * weight.s);
      prediction += weight.w * x;
    }
    const double e = reward - prediction, step = rate_ * std::sqrt(t_ / n_);
    for (const auto& [hash, x] : features) {
      Weight& weight = table_[hash];
      const double z = x / weight.s;
      weight.a += e * e * z * z;
      h += step * z * z / std::sqrt(weight.a);
    }
    for (const auto& [hash, x] : features) {
      Weight& weight = table_[hash];
      weight.w += step * e * (x / weight.s) / (weight.s * std::sqrt(weight.a)) / (1.0 + h);
    }
  }

 private:
  struct Weight {
    double w = 0.0, s = 0.0, a = 0.0;
  };
  static std::map<std::uint64_t, double> phi(const Features& context, const Features& action) {
    std::map<std::uint64_t, double> sum{{kBiasFeature.hash, 1.0}};
    for (const auto& c : context) sum[c.hash] += static_cast<double>(c.value);
    for (const auto& a : action) {
      sum[a.hash] += static_cast<double>(a.value);
      for (const auto& c : context) {
        sum[crossed(c.hash, a.hash)] += static_cast<double>(c.value) * static_cast<double>(a.value);
      }
    }
    return sum;
  }

  double rate_, t_ = 0.0, n_ = 0.0;
  std::map<std::uint64_t, Weight> table_;
};

// One feature of value 2 and the bias: z = (1, 1), N = 2, e = 1, A = (1, 1), so with rate 1
// step = sqrt(1/2), h = 2 step, and each normalised weight moves by step / (1 + h).
TEST(HashedLinear, TheFirstStepMatchesTheHandCalculation) {
  HashedLinear model(Stream{}, {.rate = 1.0});
  const Features context{feature("x", 2.0)};
  model.learn(context, {}, 1.0);
  const double step = std::sqrt(0.5), move = step / (1.0 + 2.0 * step);
  EXPECT_NEAR(weight_of(model, kBiasFeature.hash), move, 1e-7);
  EXPECT_NEAR(weight_of(model, context[0].hash), 0.5 * move, 1e-7);
  EXPECT_NEAR(value_of(model, context, {}), 2.0 * move, 1e-7);
}

TEST(HashedLinear, AgreesWithTheFormulasOverManyEvents) {
  HashedLinear model(Stream{}, {.bits = 26, .rate = 0.3});
  NaiveNag naive(0.3);
  Rng rng(Stream{.seed = 1});
  for (int i = 0; i < 500; ++i) {
    const Features context{feature("age", 50.0 * rng.uniform()),
                           feature("day=" + std::to_string(rng.below(7)))};
    const Features action{feature("id=" + std::to_string(rng.below(5))),
                          feature("price", std::pow(10.0, 4.0 * rng.uniform() - 2.0))};
    ASSERT_NEAR(value_of(model, context, action), naive.value(context, action), 1e-4) << i;
    const double reward = rng.normal();
    model.learn(context, {action}, reward);
    naive.learn(context, action, reward);
  }
}

TEST(HashedLinear, LearnsFromCrossesOfFeatures) {
  HashedLinear model(Stream{});
  const Features sunny{feature("sunny")}, rainy{feature("rainy")};
  const Features ice{feature("ice")}, tea{feature("tea")};
  for (int i = 0; i < 2000; ++i) {  // an exclusive or: only weights of crosses can learn it
    model.learn(sunny, {ice}, 1.0);
    model.learn(sunny, {tea}, 0.0);
    model.learn(rainy, {ice}, 0.0);
    model.learn(rainy, {tea}, 1.0);
  }
  EXPECT_NEAR(value_of(model, sunny, ice), 1.0, 0.01);
  EXPECT_NEAR(value_of(model, rainy, ice), 0.0, 0.01);
  EXPECT_GT(weight_of(model, crossed(sunny[0].hash, ice[0].hash)), 0.1);
  EXPECT_LT(weight_of(model, crossed(sunny[0].hash, tea[0].hash)), -0.1);
  EXPECT_NE(crossed(sunny[0].hash, ice[0].hash), crossed(ice[0].hash, sunny[0].hash));
}

// More features than the cache of sums over the context holds. Most occur in several actions, some
// twice in one.
TEST(HashedLinear, ActionsThatShareFeaturesGetTheSameValuesAsAlone) {
  HashedLinear model(Stream{}, {});
  Rng rng(Stream{.seed = 11, .role = Role::kProblem});
  Features context, all;
  for (int i = 0; i < 30; ++i) context.push_back(feature("c" + std::to_string(i), rng.uniform()));
  for (int i = 0; i < 700; ++i) all.push_back(feature("a" + std::to_string(i), rng.uniform()));
  std::vector<Features> actions(40);
  for (Features& action : actions) {
    for (int i = 0; i < 50; ++i) action.push_back(all[rng.below(all.size())]);
    action.push_back(action.front());
    model.learn(context, JointAction{action}, rng.uniform());
  }
  std::vector<JointAction> offered;
  for (const Features& action : actions) offered.push_back({action});
  std::vector<double> together(actions.size());
  model.weights().values(context, offered, together);
  for (std::size_t i = 0; i < actions.size(); ++i) {
    EXPECT_EQ(together[i], value_of(model, context, actions[i])) << i;
    double sum = 0.0;
    each_joint_feature(context, offered[i], [&](std::uint64_t hash, double value) {
      sum += weight_of(model, hash) * value;
    });
    EXPECT_NEAR(together[i], sum, 1e-12 * (1.0 + std::abs(sum))) << i;
  }
}

TEST(HashedLinear, TheScaleOfAFeatureDoesNotMatter) {
  for (const double scale : {1e-12, 1e-3, 1e6, 1e15}) {
    HashedLinear plain(Stream{}), scaled(Stream{});
    Rng rng(Stream{.seed = 2});
    for (int i = 0; i < 300; ++i) {
      const double x = rng.normal(), reward = 0.5 * x + 0.1 * rng.normal();
      const Features one{feature("x", x)}, other{feature("x", scale * x)};
      const Features action{feature("id=" + std::to_string(rng.below(3)))};
      ASSERT_NEAR(value_of(plain, one, action), value_of(scaled, other, action), 1e-4);
      plain.learn(one, {action}, reward);
      scaled.learn(other, {action}, reward);
    }
  }
}

TEST(HashedLinear, AStepNeverPassesItsReward) {
  HashedLinear model(Stream{}, {.rate = 100.0});
  Rng rng(Stream{.seed = 3});
  for (int i = 0; i < 500; ++i) {
    Features context;
    for (std::uint64_t k = rng.below(50); k > 0; --k) {
      context.push_back(feature("f" + std::to_string(rng.below(200)), 10.0 * rng.normal()));
    }
    const Features action{feature("id=" + std::to_string(rng.below(5)))};
    const double before = value_of(model, context, action), reward = rng.normal();
    model.learn(context, {action}, reward);
    const double after = value_of(model, context, action);
    // A new largest value of a feature shrinks its weight before the step.
    const double slack = 1e-3 * (1.0 + std::abs(before));
    ASSERT_LE(std::abs(after - reward), std::abs(before) + std::abs(reward) + slack) << i;
  }
  EXPECT_EQ(model.fault(), "");
}

TEST(HashedLinear, AFeatureGivenTwiceCountsAsTheSum) {
  HashedLinear twice(Stream{}), once(Stream{});
  const Features action{feature("id")};
  for (int i = 0; i < 20; ++i) {
    const double reward = i % 3;
    twice.learn(Features{feature("tag", 1.0), feature("tag", 2.0)}, {action}, reward);
    once.learn(Features{feature("tag", 3.0)}, {action}, reward);
  }
  EXPECT_EQ(value_of(twice, {feature("tag", 3.0)}, action),
            value_of(once, {feature("tag", 3.0)}, action));
}

TEST(HashedLinear, WithoutFeaturesItLearnsTheMean) {
  HashedLinear model(Stream{});
  Rng rng(Stream{.seed = 4});
  for (int i = 0; i < 5000; ++i) model.learn({}, {}, rng.uniform() < 0.3 ? 1.0 : 0.0);
  EXPECT_NEAR(value_of(model, {}, {}), 0.3, 0.06);
}

TEST(HashedLinear, FeaturesThatAreNearlyZeroTeachNothing) {
  HashedLinear model(Stream{});
  const Features tiny{feature("x", 1e-38), feature("y", 0.0)};
  model.learn(tiny, {}, 1.0);
  EXPECT_EQ(weight_of(model, tiny[0].hash), 0.0);
  EXPECT_EQ(model.fault(), "");
}

TEST(HashedLinear, AfterAnOverflowThereIsAFaultAndAllValuesAreZero) {
  HashedLinear reward_too_large(Stream{});
  reward_too_large.learn({}, {}, 1e100);
  EXPECT_NE(reward_too_large.fault(), "");
  reward_too_large.learn({}, {}, 1.0);
  EXPECT_EQ(value_of(reward_too_large, {}, {}), 0.0);
}

TEST(HashedLinear, ACrossBeyondSinglePrecisionIsNotLearnedAndTheRestIs) {
  HashedLinear model(Stream{});
  const Features usual{feature("u")}, huge{feature("x", 3e38), feature("v")};
  for (int i = 0; i < 20; ++i) model.learn(usual, {usual}, 0.5);
  const double before = value_of(model, usual, usual);
  model.learn(huge, {huge}, 1.0);  // one of the crosses is 9e76
  EXPECT_EQ(model.fault(), "");
  EXPECT_EQ(weight_of(model, crossed(huge[0].hash, huge[0].hash)), 0.0);
  EXPECT_NE(weight_of(model, crossed(huge[1].hash, huge[1].hash)), 0.0);
  EXPECT_NEAR(value_of(model, usual, usual), before, 0.5);
  for (int i = 0; i < 100; ++i) model.learn(usual, {usual}, 0.5);
  EXPECT_NEAR(value_of(model, usual, usual), 0.5, 0.05);
}

TEST(HashedLinear, LargeFeaturesAloneCauseNoFault) {
  HashedLinear model(Stream{});
  const Features context{feature("bytes", 1e18)}, action{feature("size", 1e15)};
  for (int i = 0; i < 100; ++i) model.learn(context, {action}, 0.5);
  EXPECT_EQ(model.fault(), "");
  EXPECT_NEAR(value_of(model, context, action), 0.5, 0.05);
}

TEST(HashedLinear, FewBitsMeanCollisionsNotFailure) {
  HashedLinear model(Stream{}, {.bits = 8});
  Rng rng(Stream{.seed = 5});
  for (int i = 0; i < 2000; ++i) {
    const Features context{feature("u" + std::to_string(rng.below(5000))),
                           feature("v", rng.normal())};
    model.learn(context, {Features{feature("a" + std::to_string(rng.below(500)))}}, rng.uniform());
  }
  EXPECT_EQ(model.fault(), "");
}

}  // namespace
}  // namespace sau::hashed_linear_test
