#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/spec.hpp"
#include "sau/problem/offer_problem.hpp"

namespace sau {

struct ClicksOptions {
  std::uint64_t articles = 100;
  std::uint64_t offered = 10;
  double turnover = 0.01;
  std::uint64_t topics = 8;
  std::uint64_t segments = 6;
  double rate = 0.1;
  double taste = 1.0;
  double appeal = 0.5;
  double noise = 0.0;
  void fields(auto&& field) {
    field("articles", articles, "articles in the catalogue at a time",
          Bounds{.min = 1.0, .max = 1e6});
    field("offered", offered, "articles on offer in a step, drawn from the catalogue",
          Bounds{.min = 1.0, .max = 1e4});
    field("turnover", turnover, "chance per step that a new article replaces another",
          Bounds{.min = 0.0, .max = 1.0});
    field("topics", topics, "topics of articles", Bounds{.min = 1.0, .max = 1e4});
    field("segments", segments, "segments of users, each with its own taste",
          Bounds{.min = 1.0, .max = 1e4});
    field("rate", rate, "mean click rate of a uniform choice",
          Bounds{.min = 0.0, .max = 1.0, .open = true});
    field("taste", taste, "how much users of different segments and devices differ",
          Bounds{.min = 0.0, .max = 100.0});
    field("appeal", appeal, "how much articles differ in ways that their features do not show",
          Bounds{.min = 0.0, .max = 100.0});
    field("noise", noise, "chance that a topic or a segment is shown wrong",
          Bounds{.min = 0.0, .max = 1.0});
  }
  void check() const;
};

// A catalogue of articles with turnover. An article has a topic k, a price in [0, 1] and its own
// appeal. A user has a device d, one of three, and a segment s. A user clicks on an article with
// the probability
//     p = 1 / (1 + exp(-(b + W_k + T_sk + D_dk + M_s (price - 1/2) + appeal)))
// W is drawn from N(0, 1/4), T and M from N(0, taste^2), D from N(0, taste^2 / 4), all once per
// trial, and an article's appeal from N(0, appeal^2). b is such that the mean of p over 2000 pairs
// of a user and an article, drawn before the trial, is `rate`. Agents see the user's features
// device and segment, and an article's features topic and price. The ids of articles are a0, a1,
// ..., in the order in which they come. A click pays 1. Regret is expected: the largest p on offer
// minus that of the chosen article.
class Clicks final : public OfferProblem {
 public:
  static constexpr std::string_view kName = "clicks";
  static constexpr std::string_view kSummary =
      "clicks on articles that come and go, with features of their own (actions by id)";
  using Options = ClicksOptions;

  explicit Clicks(const Stream& stream, Options options = {});

  RewardRange rewards() const override { return {0.0, 1.0}; }
  std::uint64_t default_steps() const override { return 20'000; }

  Situation next(Rng& rng) override;
  std::string request() override;
  double pull(Action action, Rng& rng) override {
    return rng.uniform() < probability_[action] ? 1.0 : 0.0;
  }
  double regret(Action action) const override { return best_ - probability_[action]; }

 private:
  struct Article {
    std::string id;
    std::uint64_t topic = 0;
    std::uint64_t shown_topic = 0;  // another one if it is shown wrong
    double price = 0.0, appeal = 0.0;
    std::array<HashedFeature, 2> features;  // as they are shown
  };
  struct User {
    std::uint64_t device = 0, segment = 0;
    std::uint64_t shown_segment = 0;
    std::array<HashedFeature, 2> features;
  };

  Article new_article(Rng& rng);
  User new_user(Rng& rng) const;
  // Without b.
  double logit(const User& user, const Article& article) const noexcept;
  double base_for_rate(Rng& rng);

  Options options_;
  // The weights of the formula; T and D are stored segment by segment and device by device.
  std::vector<double> topic_, taste_, device_, money_;
  double base_ = 0.0;  // b
  std::vector<std::uint64_t> topic_hash_, segment_hash_, device_hash_;
  std::uint64_t price_hash_ = 0;

  std::uint64_t made_ = 0;  // articles made so far
  std::vector<Article> catalogue_;
  std::vector<std::uint32_t> order_;  // of the catalogue; those on offer come first
  User user_;
  std::vector<OfferedAction> offer_;
  std::vector<double> probability_;  // of a click, for each article on offer
  double best_ = 0.0;                // the largest of them
};

}  // namespace sau
