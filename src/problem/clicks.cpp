#include "sau/problem/clicks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/json_text.hpp"
#include "model/feature_hash.hpp"

namespace sau {
namespace {

constexpr std::array<std::string_view, 3> kDevices = {"mobile", "desktop", "tablet"};
constexpr double kTopicScale = 0.5;
constexpr std::uint64_t kPairs = 2000;  // from which b is computed

double sigmoid(double x) noexcept { return 1.0 / (1.0 + std::exp(-x)); }

std::vector<double> normal_draws(std::uint64_t count, double scale, Rng& rng) {
  std::vector<double> draws(count);
  for (double& draw : draws) draw = scale * rng.normal();
  return draws;
}

// The values of topics and segments are a letter and a number.
constexpr char kTopic = 't', kSegment = 's';

// The hashes of the indicators name=<letter>0, name=<letter>1, ...
std::vector<std::uint64_t> indicator_hashes(std::uint64_t side, std::string_view name, char letter,
                                            std::uint64_t count) {
  const detail::FeatureHash space(side);
  std::vector<std::uint64_t> hashes(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    hashes[i] = space.indicator(name, letter + std::to_string(i));
  }
  return hashes;
}

}  // namespace

void ClicksOptions::check() const {
  if (offered <= articles) return;
  throw UsageError("clicks: offered is " + std::to_string(offered) +
                   ", expected at most articles, " + std::to_string(articles));
}

Clicks::Clicks(const Stream& stream, Options options) : options_(options) {
  options_.check();
  Rng rng(stream);
  topic_ = normal_draws(options_.topics, kTopicScale, rng);
  taste_ = normal_draws(options_.segments * options_.topics, options_.taste, rng);
  device_ = normal_draws(kDevices.size() * options_.topics, options_.taste / 2.0, rng);
  money_ = normal_draws(options_.segments, options_.taste, rng);
  topic_hash_ = indicator_hashes(detail::kActionSide, "topic", kTopic, options_.topics);
  segment_hash_ = indicator_hashes(detail::kContextSide, "segment", kSegment, options_.segments);
  const detail::FeatureHash of_user(detail::kContextSide);
  for (const std::string_view device : kDevices) {
    device_hash_.push_back(of_user.indicator("device", device));
  }
  price_hash_ = detail::FeatureHash(detail::kActionSide).number("price");
  base_ = base_for_rate(rng);
  made_ = 0;
  for (std::uint64_t i = 0; i < options_.articles; ++i) catalogue_.push_back(new_article(rng));
  order_.resize(catalogue_.size());
  std::iota(order_.begin(), order_.end(), 0U);
  offer_.resize(options_.offered);
  probability_.resize(options_.offered);
}

Clicks::Article Clicks::new_article(Rng& rng) {
  Article article;
  article.id = "a" + std::to_string(made_++);
  article.topic = rng.below(options_.topics);
  article.price = rng.uniform();
  article.appeal = options_.appeal * rng.normal();
  const bool wrong = rng.uniform() < options_.noise;
  const std::uint64_t other = rng.below(options_.topics);
  article.shown_topic = wrong ? other : article.topic;
  article.features = {HashedFeature{topic_hash_[article.shown_topic], 1.0F},
                      HashedFeature{price_hash_, static_cast<float>(article.price)}};
  return article;
}

Clicks::User Clicks::new_user(Rng& rng) const {
  User user;
  user.device = rng.below(kDevices.size());
  user.segment = rng.below(options_.segments);
  const bool wrong = rng.uniform() < options_.noise;
  const std::uint64_t other = rng.below(options_.segments);
  user.shown_segment = wrong ? other : user.segment;
  user.features = {HashedFeature{device_hash_[user.device], 1.0F},
                   HashedFeature{segment_hash_[user.shown_segment], 1.0F}};
  return user;
}

double Clicks::logit(const User& user, const Article& article) const noexcept {
  return topic_[article.topic] + taste_[user.segment * options_.topics + article.topic] +
         device_[user.device * options_.topics + article.topic] +
         money_[user.segment] * (article.price - 0.5) + article.appeal;
}

double Clicks::base_for_rate(Rng& rng) {
  std::vector<double> logits(kPairs);
  for (double& value : logits) {
    const User user = new_user(rng);
    value = logit(user, new_article(rng));
  }
  // The mean of p rises with b: bisect an interval around b until it is as short as possible.
  const auto [smallest, largest] = std::ranges::minmax(logits);
  const double target = std::log(options_.rate / (1.0 - options_.rate));
  double low = target - largest, high = target - smallest;
  while (true) {
    const double middle = low + (high - low) / 2.0;
    if (middle <= low || middle >= high) return middle;
    double sum = 0.0;
    for (const double value : logits) sum += sigmoid(middle + value);
    (sum < options_.rate * static_cast<double>(kPairs) ? low : high) = middle;
  }
}

Situation Clicks::next(Rng& rng) {
  if (rng.uniform() < options_.turnover) {
    const std::uint64_t place = rng.below(catalogue_.size());
    catalogue_[place] = new_article(rng);
  }
  user_ = new_user(rng);
  best_ = 0.0;
  for (std::size_t i = 0; i < offer_.size(); ++i) {
    std::swap(order_[i], order_[i + rng.below(order_.size() - i)]);
    const Article& article = catalogue_[order_[i]];
    offer_[i] = {.id = article.id, .features = article.features};
    probability_[i] = sigmoid(base_ + logit(user_, article));
    best_ = std::max(best_, probability_[i]);
  }
  return {.context = user_.features, .actions = offer_};
}

std::string Clicks::request() {
  std::string json = R"({"contextFeatures":[{"device":)";
  detail::append_json(json, kDevices[user_.device]);
  json += R"(,"segment":)";
  detail::append_json(json, kSegment + std::to_string(user_.shown_segment));
  json += R"(}],"actions":[)";
  for (std::size_t i = 0; i < offer_.size(); ++i) {
    const Article& article = catalogue_[order_[i]];
    json += i == 0 ? R"({"id":)" : R"(,{"id":)";
    detail::append_json(json, article.id);
    json += R"(,"features":[{"topic":)";
    detail::append_json(json, kTopic + std::to_string(article.shown_topic));
    json += R"(,"price":)";
    detail::append_json(json, article.price);
    json += "}]}";
  }
  return json + "]}";
}

}  // namespace sau
