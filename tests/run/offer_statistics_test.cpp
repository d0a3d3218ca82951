// Joint agents as a service uses them: it publishes a copy before every decision, draws the action
// by its probabilities, and learns the reward afterwards. Seeds are fixed, so a test always passes
// or always fails.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/core/rng.hpp"
#include "sau/stats/summary.hpp"
#include "support/hashed_features.hpp"

namespace sau {
namespace {

using testing::feature;
using testing::Features;

std::size_t draw_action(std::span<const Forecast> forecasts, Rng& rng) {
  double left = rng.uniform();
  std::size_t action = 0;
  while (action + 1 < forecasts.size() && left >= forecasts[action].probability) {
    left -= forecasts[action++].probability;
  }
  return action;
}

// Twenty articles on a page; every 200 visits one is replaced by a new one. Whether a visitor
// clicks depends on segment and topic, on age and topic, on price and device, and on a hidden
// property of the article. The logit is linear in features and crosses.
class ClickPage {
 public:
  static constexpr std::size_t kLive = 20;

  explicit ClickPage(std::uint64_t seed) : rng_(Stream{.seed = seed}) {
    for (auto& row : taste_) {
      for (double& weight : row) weight = rng_.normal();
    }
    for (std::size_t i = 0; i < kLive; ++i) live_.push_back(article());
  }

  void visit() {
    if (++visits_ % 200 == 0) live_[rng_.below(kLive)] = article();
    segment_ = rng_.below(4);
    device_ = rng_.below(2);
    age_ = 18.0 + 50.0 * rng_.uniform();
    luck_ = rng_.uniform();
    context_ = {feature("segment=" + std::to_string(segment_)), feature("age", age_),
                feature("device=" + std::to_string(device_))};
    offered_.clear();
    for (const Article& a : live_) offered_.push_back({a.id, a.features, false});
  }
  HashedFeatures context() const { return context_; }
  std::span<const OfferedAction> offered() const { return offered_; }

  double chance(std::size_t action) const {
    const Article& a = live_[action];
    const double odd = a.topic % 2 == 0 ? -1.0 : 1.0, phone = device_ == 0 ? -1.0 : 1.0;
    const double logit = -2.2 + a.charm + taste_[a.topic][segment_] + 0.02 * (age_ - 43.0) * odd -
                         0.005 * (a.price - 50.0) * phone;
    return 1.0 / (1.0 + std::exp(-logit));
  }
  bool clicks(std::size_t action) const { return luck_ < chance(action); }

 private:
  struct Article {
    std::string id;
    Features features;
    std::size_t topic;
    double price, charm;
  };

  Article article() {
    const std::size_t topic = rng_.below(6);
    const double price = 100.0 * rng_.uniform();
    return {"article " + std::to_string(made_++),
            {feature("topic=" + std::to_string(topic)), feature("price", price)},
            topic,
            price,
            0.6 * rng_.normal()};
  }

  Rng rng_;
  double taste_[6][4];  // topic x segment
  std::vector<Article> live_;
  std::uint64_t visits_ = 0, made_ = 0;
  std::size_t segment_ = 0, device_ = 0;
  double age_ = 0.0, luck_ = 0.0;
  Features context_;
  std::vector<OfferedAction> offered_;
};

// The mean chance of a click over 5,000 visits.
double mean_clicks(const char* spec, double exploration, std::uint64_t seed) {
  constexpr int kVisits = 5'000;
  ClickPage page(seed);
  Rng rng(Stream{.seed = seed, .role = Role::kServe});
  const auto agent = make_offer_agent(spec, seed);
  std::vector<Forecast> forecasts(ClickPage::kLive);
  double sum = 0.0;
  for (int i = 0; i < kVisits; ++i) {
    page.visit();
    agent->published()->decide(page.context(), page.offered(), exploration, forecasts);
    const std::size_t chosen = draw_action(forecasts, rng);
    sum += page.chance(chosen);
    agent->learn(page.context(), page.offered()[chosen], forecasts[chosen].value,
                 page.clicks(chosen) ? 1.0 : 0.0);
  }
  EXPECT_EQ(agent->fault(), "");
  return sum / kVisits;
}

// Measured on 2026-11-16: a gain of 0.034 +- 0.004 over epsilon-greedy with 0.1 and of 0.038 +-
// 0.006 with 0.2. The chance of a click is about 0.36.
TEST(JointStatistics, SamplingBeatsEpsilonGreedyWhenActionsComeAndGo) {
  for (const double exploration : {0.1, 0.2}) {
    std::vector<double> gains;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      gains.push_back(mean_clicks("hashed_linear+sau_sampling", exploration, seed) -
                      mean_clicks("hashed_linear+epsilon_greedy", exploration, seed));
    }
    const Summary gain = summarise(gains);
    RecordProperty(exploration == 0.1 ? "gain_over_0.1" : "gain_over_0.2",
                   std::to_string(gain.mean) + " +- " + std::to_string(gain.sem));
    EXPECT_GT(gain.mean, 3.0 * gain.sem) << exploration;
    EXPECT_GT(gain.mean, 0.01) << exploration;
  }
}

}  // namespace
}  // namespace sau
