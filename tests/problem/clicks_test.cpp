#include "sau/problem/clicks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/feature_hash.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using ::testing::HasSubstr;

constexpr Stream kClicksSetup{.seed = 7, .role = Role::kSetup};

// The weights, drawn as the header describes: topics, tastes, devices, prices, in this order.
struct Weights {
  explicit Weights(const ClicksOptions& options) : topics(options.topics) {
    Rng rng(kClicksSetup);
    for (std::uint64_t i = 0; i < topics; ++i) w.push_back(0.5 * rng.normal());
    for (std::uint64_t i = 0; i < options.segments * topics; ++i) {
      t.push_back(options.taste * rng.normal());
    }
    for (std::uint64_t i = 0; i < 3 * topics; ++i) d.push_back(options.taste / 2.0 * rng.normal());
    for (std::uint64_t i = 0; i < options.segments; ++i) m.push_back(options.taste * rng.normal());
  }
  std::uint64_t topics;
  std::vector<double> w, t, d, m;
};

// The value that a hash stands for: its index among the values of a feature.
std::size_t place_of(std::uint64_t side, const std::string& name,
                     const std::vector<std::string>& values, std::uint64_t hash) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (detail::FeatureHash(side).indicator(name, values[i]) == hash) return i;
  }
  ADD_FAILURE() << "no " << name << " has this hash";
  return 0;
}

std::vector<std::string> numbered(const char* letter, std::uint64_t count) {
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < count; ++i) names.push_back(letter + std::to_string(i));
  return names;
}

// Without appeal the features determine everything: the odds of two offered articles follow the
// formula, whatever b is.
TEST(Clicks, ChancesFollowTheFormula) {
  const ClicksOptions options{.turnover = 0.2, .appeal = 0.0};
  const Weights weights(options);
  Clicks problem(kClicksSetup, options);
  Rng rng(Stream{.seed = 7});
  std::vector<double> bases;
  for (int n = 0; n < 200; ++n) {
    const Situation now = problem.next(rng);
    ASSERT_EQ(now.context.size(), 2U);
    ASSERT_EQ(now.actions.size(), 10U);
    const std::size_t device =
        place_of(1, "device", {"mobile", "desktop", "tablet"}, now.context[0].hash);
    const std::size_t segment =
        place_of(1, "segment", numbered("s", options.segments), now.context[1].hash);
    std::vector<double> chance;  // without b
    for (const OfferedAction& action : now.actions) {
      ASSERT_EQ(action.features.size(), 2U);
      const std::size_t topic =
          place_of(2, "topic", numbered("t", options.topics), action.features[0].hash);
      EXPECT_EQ(action.features[1].hash, detail::FeatureHash(2).number("price"));
      const double price = action.features[1].value;
      chance.push_back(weights.w[topic] + weights.t[segment * options.topics + topic] +
                       weights.d[device * options.topics + topic] +
                       weights.m[segment] * (price - 0.5));
    }
    // p of the best article is not known, but two regrets give two equations for b.
    const auto best = static_cast<std::size_t>(std::ranges::max_element(chance) - chance.begin());
    const auto worst = static_cast<std::size_t>(std::ranges::min_element(chance) - chance.begin());
    EXPECT_EQ(problem.regret(static_cast<Action>(best)), 0.0);
    const auto sigmoid = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
    const auto difference = [&](double b) {
      return sigmoid(b + chance[best]) - sigmoid(b + chance[worst]);
    };
    // b lies far below the middle, where the difference grows with b.
    double low = -20.0, high = -(chance[best] + chance[worst]) / 2.0;
    for (int i = 0; i < 100; ++i) {
      const double middle = (low + high) / 2.0;
      (difference(middle) < problem.regret(static_cast<Action>(worst)) ? low : high) = middle;
    }
    if (chance[best] - chance[worst] > 1.0 && difference(high) > 0.02 && high < -1.0) {
      bases.push_back(high);
    }
    problem.pull(0, rng);
  }
  ASSERT_GT(bases.size(), 20U);
  const auto [smallest, largest] = std::ranges::minmax(bases);
  EXPECT_NEAR(smallest, largest, 1e-3);  // a price has single precision
}

TEST(Clicks, AUniformChoiceEarnsTheRate) {
  for (const double rate : {0.02, 0.1, 0.5}) {
    double clicks = 0.0;
    constexpr int kWorlds = 40, kUsers = 1000;
    for (std::uint64_t trial = 0; trial < kWorlds; ++trial) {
      Clicks problem({.seed = 3, .trial = trial, .role = Role::kSetup}, {.rate = rate});
      Rng rng(Stream{.seed = 3, .trial = trial});
      for (int n = 0; n < kUsers; ++n) {
        problem.next(rng);
        clicks += problem.pull(0, rng);  // the order of the offer is random
      }
    }
    EXPECT_NEAR(clicks / (kWorlds * kUsers), rate, 0.15 * rate) << rate;
  }
}

TEST(Clicks, ArticlesComeAndGo) {
  const auto ids_of = [](double turnover) {
    Clicks problem(kClicksSetup, {.articles = 20, .offered = 20, .turnover = turnover});
    Rng rng(Stream{.seed = 1});
    std::set<std::string> ids;
    for (int n = 0; n < 1000; ++n) {
      for (const OfferedAction& action : problem.next(rng).actions) ids.emplace(action.id);
    }
    return ids;
  };
  EXPECT_EQ(ids_of(0.0).size(), 20U);
  EXPECT_TRUE(ids_of(0.0).contains("a0") && ids_of(0.0).contains("a19"));
  const std::size_t seen = ids_of(0.1).size();
  EXPECT_GT(seen, 90U);  // 20 + Binomial(1000, 0.1)
  EXPECT_LT(seen, 150U);
  EXPECT_EQ(ids_of(1.0).size(), 1019U);  // one article is replaced before it is seen
}

TEST(Clicks, EveryArticleIsOfferedEquallyOften) {
  Clicks problem(kClicksSetup, {.articles = 10, .offered = 3, .turnover = 0.0});
  Rng rng(Stream{.seed = 1});
  std::map<std::string, int> count;
  for (int n = 0; n < 10'000; ++n) {
    for (const OfferedAction& action : problem.next(rng).actions) ++count[std::string(action.id)];
  }
  ASSERT_EQ(count.size(), 10U);
  for (const auto& [id, times] : count) EXPECT_NEAR(times, 3000, 230) << id;  // five sigma
}

TEST(Clicks, NoiseShowsSomeTopicsWrong) {
  const auto shown = [](double noise) {
    Clicks problem(kClicksSetup,
                   {.articles = 2000, .offered = 2000, .turnover = 0.0, .noise = noise});
    Rng rng(Stream{.seed = 1});
    std::map<std::string, std::uint64_t> topics;
    for (const OfferedAction& action : problem.next(rng).actions) {
      topics[std::string(action.id)] = action.features[0].hash;
    }
    return topics;
  };
  const auto right = shown(0.0), noisy = shown(0.4);
  int wrong = 0;
  for (const auto& [id, topic] : right) wrong += topic == noisy.at(id) ? 0 : 1;
  EXPECT_NEAR(wrong, 0.4 * 2000 * 7 / 8, 110);  // one in 8 random topics is right by chance
}

TEST(Clicks, OfferingMoreThanThereAreIsRefused) {
  EXPECT_THAT(testing::error_of<UsageError>([] { Clicks({}, {.articles = 5, .offered = 6}); }),
              HasSubstr("clicks: offered is 6, expected at most articles, 5"));
}

}  // namespace
}  // namespace sau
