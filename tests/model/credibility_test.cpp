#include "sau/model/credibility.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "model/naive_stacking.hpp"
#include "sau/core/archive.hpp"
#include "sau/core/rng.hpp"
#include "support/sanitizer.hpp"

namespace sau {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::naive_mixture;

struct Verdict {
  std::vector<double> value, disagreement;
};

Verdict judged(const Credibility& credibility, const std::vector<double>& opinion,
               std::size_t actions, const std::vector<double>& novelty = {}) {
  Verdict verdict{std::vector<double>(actions), std::vector<double>(actions)};
  credibility.judge(opinion, novelty, verdict.value, verdict.disagreement);
  return verdict;
}

TEST(Credibility, BelievesTheFirstOpinionBeforeTheFirstReward) {
  const Credibility credibility(2, 1);
  const Verdict verdict = judged(credibility, {1.0, 3.0}, 1);
  EXPECT_DOUBLE_EQ(verdict.value[0], 1.0);
  EXPECT_DOUBLE_EQ(verdict.disagreement[0], 1.0);
}

// Three rewards of action 1, so that L_k = L_ka:
//     2: every opinion counts as 0, both errors are 2,     L = 4 + 0.04
//     0: opinions are clipped to 2, both errors are -2,    L = 4.04 / 2 + 4 = 6.02
//     1: opinions 2 and 1 have the errors -1 and 0,        L = 6.02 * 2 / 3 + 0.01 + (1, 0)
// Then N = 2, R = (4 / 2 + 0) * 2 / 3 + 1, and s = (20, 1) / 21, see stacking_test.cpp.
TEST(Credibility, IsTheFormulaAfterThreeRewards) {
  Credibility credibility(2, 2);
  credibility.observe(1, std::vector<double>{-5.0, 7.0}, 2.0);
  credibility.observe(1, std::vector<double>{0.0, 5.0}, 0.0);
  credibility.observe(1, std::vector<double>{2.0, 1.0}, 1.0);
  const double loss = 6.02 * 2.0 / 3.0 + 0.01, floor = 0.1 * (4.0 / 3.0 + 1.0);
  const Verdict verdict = judged(credibility, {10.0, 1.0, 20.0, 2.0}, 2);
  const double power = std::sqrt(2.0) / 2.0, s = 1.0 / std::sqrt(20.0);
  const double w0 = s * std::pow(loss / (loss + 1.0), -power);
  const double w = w0 * std::pow(loss / (loss + 1.0), -power);
  const double v = std::pow((loss + floor) / (loss + 1.0 + floor), -2.0 * power);
  EXPECT_NEAR(verdict.value[1], (1.0 + w * 2.0) / (1.0 + w), 1e-9);
  // Action 0 was not played, so only L_k and s count there.
  EXPECT_NEAR(verdict.value[0], (10.0 + w0 * 20.0) / (1.0 + w0), 1e-9);
  // Two numbers at distance 1 with weights p and 1 - p have the deviation sqrt(p (1 - p)).
  const double p = v / (1.0 + v);
  EXPECT_NEAR(verdict.disagreement[1], std::sqrt(p * (1.0 - p)), 1e-14);
  EXPECT_NEAR(verdict.disagreement[0], 10.0 * std::sqrt(p * (1.0 - p)), 1e-13);
}

// Rewards 2, 1, 1. The errors are (2, 2), (-1, -1) and (-1, 0), and N = 2.
TEST(Credibility, WithoutAFixedSetOnlyTheLossesCount) {
  Credibility credibility(2, 0);
  EXPECT_THAT(credibility.shares(0), ElementsAre(0.5, 0.5));
  credibility.observe(0, std::vector<double>{0.0, 0.0}, 2.0);
  credibility.observe(0, std::vector<double>{2.0, 2.0}, 1.0);
  EXPECT_THAT(credibility.shares(0), ElementsAre(0.5, 0.5));  // both were clipped to 2
  credibility.observe(0, std::vector<double>{2.0, 1.0}, 1.0);
  const double loss = (4.04 / 2.0 + 1.01) * 2.0 / 3.0 + 0.01;
  const double w = std::pow(loss / (loss + 1.0), -std::sqrt(2.0));
  EXPECT_NEAR(credibility.shares(0)[1], w / (1.0 + w), 1e-14);
}

TEST(Credibility, NoveltyIsTheVarianceOfAnOpinion) {
  Credibility credibility(2, 1);
  credibility.observe(0, std::vector<double>{0.0, 0.0}, 2.0);  // both count as 0: L = 4 + 0.04
  credibility.observe(0, std::vector<double>{2.0, 2.0}, 2.0);  // both right: L = 4.04 / 2 + 0.04
  const double error = (4.04 / 2.0 + 0.04) / 1.5;              // N = (2 + 1) / 2
  // Equal weights: a distance of 2 has the variance 1; the mean novelty is (0.5 + 0.1) / 2.
  const Verdict verdict = judged(credibility, {1.0, 3.0}, 1, {0.5, 0.1});
  EXPECT_NEAR(verdict.disagreement[0], std::sqrt(1.0 + 0.3 * error), 1e-14);
  EXPECT_EQ(verdict.value[0], judged(credibility, {1.0, 3.0}, 1).value[0]);
  // One that is left out has no say in this either.
  credibility.leave_out(0);
  EXPECT_NEAR(judged(credibility, {1.0, 3.0}, 1, {0.5, 0.1}).disagreement[0],
              std::sqrt(0.1 * error), 1e-14);
}

TEST(Credibility, BeforeTheFirstRewardNoveltyHasNoUnit) {
  EXPECT_EQ(judged(Credibility(1, 1), {0.0}, 1, {5.0}).disagreement[0], 0.0);
}

// Straight from the formulas, with every error kept.
class Naive {
 public:
  Naive(std::size_t opinions, std::size_t actions) : opinions_(opinions), actions_(actions) {}

  void observe(Action action, const std::vector<double>& opinion, double reward) {
    std::vector<double> error;
    for (const double f : opinion) {
      double clipped = 0.0;
      if (!rewards_.empty()) {
        clipped = std::fmin(std::fmax(f, *std::ranges::min_element(rewards_)),
                            *std::ranges::max_element(rewards_));
      }
      error.push_back(reward - clipped);
    }
    rewards_.push_back(reward);
    errors_.push_back(error);
    played_.push_back(action);
  }

  // L and N of opinion k, over all actions or one. Reward i of n has been multiplied by
  // i / (i + 1) * (i + 1) / (i + 2) * ... = i / n since it came.
  double loss(std::size_t k, int action) const {
    return faded(action, [&](std::size_t i) {
      return errors_[i][k] * errors_[i][k] + 0.01 * rewards_[i] * rewards_[i];
    });
  }
  template <class F>
  double faded(int action, F&& f) const {
    std::vector<double> of;
    for (std::size_t i = 0; i < played_.size(); ++i) {
      if (action < 0 || played_[i] == static_cast<Action>(action)) of.push_back(f(i));
    }
    double sum = 0.0;
    const auto n = static_cast<double>(of.size());
    for (std::size_t i = 0; i < of.size(); ++i) sum += of[i] * static_cast<double>(i + 1) / n;
    return sum;
  }
  double evidence(int action) const {
    return faded(action, [](std::size_t) { return 1.0; });
  }

  double value(std::size_t a, const std::vector<double>& opinion) const {
    const std::vector<double> mixture = naive_mixture(errors_, opinions_);
    double sum = 0.0, weights = 0.0;
    for (std::size_t k = 0; k < opinions_; ++k) {
      double w = std::sqrt(mixture[k]);
      for (const int scope : {-1, static_cast<int>(a)}) {
        if (evidence(scope) == 0.0) continue;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < opinions_; ++j) least = std::fmin(least, loss(j, scope));
        w *= std::pow(loss(k, scope) / least, -std::fmin(10.0, std::sqrt(evidence(scope))) / 2.0);
      }
      sum += w * opinion[k * actions_ + a];
      weights += w;
    }
    return sum / weights;
  }

  double disagreement(std::size_t a, const std::vector<double>& opinion,
                      const std::vector<double>& novelty) const {
    const double r = faded(-1, [&](std::size_t i) { return rewards_[i] * rewards_[i]; });
    std::vector<double> v;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < opinions_; ++k) least = std::fmin(least, loss(k, -1) + 0.1 * r);
    for (std::size_t k = 0; k < opinions_; ++k) {
      v.push_back(std::pow((loss(k, -1) + 0.1 * r) / least, -std::sqrt(evidence(-1))));
    }
    double mean = 0.0, weights = 0.0, square = 0.0;
    for (std::size_t k = 0; k < opinions_; ++k) {
      mean += v[k] * opinion[k * actions_ + a];
      weights += v[k];
    }
    mean /= weights;
    for (std::size_t k = 0; k < opinions_; ++k) {
      square += v[k] * std::pow(opinion[k * actions_ + a] - mean, 2.0);
      square += v[k] * novelty[k * actions_ + a] * loss(k, -1) / evidence(-1);
    }
    return std::sqrt(square / weights);
  }

 private:
  std::size_t opinions_, actions_;
  std::vector<double> rewards_;
  std::vector<std::vector<double>> errors_;
  std::vector<Action> played_;
};

std::vector<double> random_opinions(Rng& rng, std::size_t count) {
  std::vector<double> opinion(count);
  for (std::size_t k = 0; k < count; ++k) {
    opinion[k] = (1.0 + 0.2 * static_cast<double>(k)) * rng.normal();
  }
  return opinion;
}

TEST(Credibility, EqualsTheNaiveVersion) {
  constexpr std::size_t kOpinions = 4, kActions = 3;
  Rng rng({.seed = 3});
  Credibility credibility(kOpinions, kActions);
  Naive naive(kOpinions, kActions);
  for (int n = 0; n < testing::repeats(300); ++n) {
    const auto opinion = random_opinions(rng, kOpinions);
    const auto action = static_cast<Action>(rng.below(kActions));
    const double reward = rng.normal();
    credibility.observe(action, opinion, reward);
    naive.observe(action, opinion, reward);
    const auto asked = random_opinions(rng, kOpinions * kActions);
    std::vector<double> novelty(asked.size());
    for (double& h : novelty) h = rng.uniform();
    const Verdict verdict = judged(credibility, asked, kActions, novelty);
    for (std::size_t a = 0; a < kActions; ++a) {
      // A weight of rounding error, 1e-16, has a root of 1e-8.
      ASSERT_NEAR(verdict.value[a], naive.value(a, asked), 1e-6) << "reward " << n;
      ASSERT_NEAR(verdict.disagreement[a], naive.disagreement(a, asked, novelty), 1e-10)
          << "reward " << n;
    }
  }
}

TEST(Credibility, RewardsInAnotherUnitChangeNothingElse) {
  constexpr std::size_t kOpinions = 3, kActions = 2;
  for (const double unit : {1024.0, 1.0 / 4096.0}) {
    Rng rng({.seed = 4});
    Credibility plain(kOpinions, kActions), scaled(kOpinions, kActions);
    for (int n = 0; n < 200; ++n) {
      auto opinion = random_opinions(rng, kOpinions);
      const auto action = static_cast<Action>(rng.below(kActions));
      const double reward = rng.normal();
      plain.observe(action, opinion, reward);
      for (double& f : opinion) f *= unit;
      scaled.observe(action, opinion, unit * reward);
      auto asked = random_opinions(rng, kOpinions * kActions);
      const std::vector<double> novelty(asked.size(), 0.75);  // has no unit
      const Verdict one = judged(plain, asked, kActions, novelty);
      for (double& f : asked) f *= unit;
      const Verdict two = judged(scaled, asked, kActions, novelty);
      for (std::size_t a = 0; a < kActions; ++a) {
        ASSERT_EQ(two.value[a], unit * one.value[a]);
        ASSERT_EQ(two.disagreement[a], unit * one.disagreement[a]);
      }
    }
  }
}

TEST(Credibility, AnOpinionThatIsNotFiniteDoesNotCount) {
  Credibility credibility(3, 1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  // The first would be believed, but has no number: then those that have one share the weight.
  EXPECT_DOUBLE_EQ(judged(credibility, {nan, 1.0, 3.0}, 1).value[0], 2.0);
  EXPECT_DOUBLE_EQ(judged(credibility, {nan, infinity, nan}, 1).value[0], 0.0);
  EXPECT_DOUBLE_EQ(judged(credibility, {nan, infinity, nan}, 1).disagreement[0], 0.0);
  credibility.observe(0, std::vector<double>{nan, 1.0, 1.0}, 1.0);
  EXPECT_TRUE(credibility.left_out(0));
  EXPECT_FALSE(credibility.left_out(1));
  EXPECT_DOUBLE_EQ(judged(credibility, {5.0, 1.0, 3.0}, 1).value[0], 1.0);
}

TEST(Credibility, OneThatIsLeftOutStaysOut) {
  Credibility credibility(2, 2);
  credibility.leave_out(0);
  EXPECT_THAT(judged(credibility, {5.0, 5.0, 1.0, 2.0}, 2).value, ElementsAre(1.0, 2.0));
  credibility.observe(0, std::vector<double>{1.0, 0.0}, 1.0);
  EXPECT_THAT(judged(credibility, {5.0, 5.0, 1.0, 2.0}, 2).value, ElementsAre(1.0, 2.0));
  EXPECT_THAT(credibility.mean_shares(), ElementsAre(0.0, 1.0));
}

// The mixture believes only the second opinion, and on action 1 only the first one was right.
TEST(Credibility, WhereMixtureAndLossesBelieveNobodyTogetherTheLossesDecide) {
  Credibility credibility(2, 2);
  credibility.observe(0, std::vector<double>{0.0, 0.0}, 1.0);
  credibility.observe(0, std::vector<double>{0.0, 0.0}, 0.0);  // opinions are clipped to this range
  for (int n = 0; n < 20; ++n) credibility.observe(0, std::vector<double>{0.0, 0.9}, 1.0);
  credibility.observe(1, std::vector<double>{0.0, 0.001}, 0.0);
  EXPECT_LT(credibility.shares(0)[0], 1e-6);
  EXPECT_THAT(credibility.shares(1), ElementsAre(1.0, 0.0));
  EXPECT_DOUBLE_EQ(judged(credibility, {1.0, 7.0, 2.0, 8.0}, 2).value[1], 7.0);
  const auto mean = credibility.mean_shares();
  EXPECT_NEAR(mean[0] + mean[1], 1.0, 1e-12);
}

// All errors are 0, so that every loss is 0.
TEST(Credibility, AmongExactOpinionsOnRewardsOfZeroTheFirstIsBelieved) {
  Credibility credibility(2, 1);
  credibility.observe(0, std::vector<double>{0.0, 0.0}, 0.0);
  EXPECT_THAT(credibility.shares(0), ElementsAre(1.0, 0.0));
  credibility.observe(0, std::vector<double>{0.0, 1.0}, 0.0);  // clipped to 0
  EXPECT_THAT(credibility.shares(0), ElementsAre(1.0, 0.0));
  credibility.observe(0, std::vector<double>{0.0, 0.0}, 1.0);
  EXPECT_THAT(credibility.shares(0), ElementsAre(1.0, 0.0));
}

TEST(Credibility, MeanSharesWeighActionsByTheirRewards) {
  Credibility credibility(2, 2);
  for (int n = 0; n < 3; ++n) credibility.observe(0, std::vector<double>{1.0, 0.0}, 1.0);
  credibility.observe(1, std::vector<double>{0.0, 1.0}, 1.0);
  const auto first = credibility.shares(0), second = credibility.shares(1);
  EXPECT_THAT(credibility.mean_shares(),
              ElementsAre(DoubleNear(0.75 * first[0] + 0.25 * second[0], 1e-15),
                          DoubleNear(0.75 * first[1] + 0.25 * second[1], 1e-15)));
}

TEST(Credibility, ContinuesAfterSaveAndLoad) {
  for (const bool leave_one_out : {false, true}) {
    Rng rng({.seed = 5});
    Credibility saved(3, 2);
    const auto observe = [](Credibility& credibility, Rng& draws) {
      const auto action = static_cast<Action>(draws.below(2));
      const auto opinion = random_opinions(draws, 3);
      credibility.observe(action, opinion, draws.normal());
    };
    for (int n = 0; n < 40; ++n) observe(saved, rng);
    if (leave_one_out) saved.leave_out(0);  // the one with the smallest losses
    StateWriter writer;
    Credibility::state(saved, writer);
    Credibility loaded(3, 2);
    StateReader reader(writer.bytes());
    Credibility::state(loaded, reader);
    reader.finish();
    loaded.restored();
    for (int n = 0; n < 10; ++n) {
      const auto asked = random_opinions(rng, 6);
      ASSERT_EQ(judged(saved, asked, 2).value, judged(loaded, asked, 2).value);
      ASSERT_EQ(judged(saved, asked, 2).disagreement, judged(loaded, asked, 2).disagreement);
      Rng again = rng;
      observe(saved, rng);
      observe(loaded, again);
    }
  }
}

}  // namespace
}  // namespace sau
