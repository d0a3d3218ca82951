#pragma once

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "sau/agent/offer_agent.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/rng.hpp"
#include "support/hashed_features.hpp"
#include "support/small_agents.hpp"

namespace sau::testing {

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

inline std::vector<HashedFeature> a_context(Rng& rng) {
  return {feature("hour=" + std::to_string(rng.below(4))), feature("age", 20.0 + rng.uniform())};
}

inline std::vector<Forecast> forecasts(const OfferAgent& agent, HashedFeatures context,
                                       std::span<const OfferedAction> actions,
                                       double exploration = 0.2) {
  std::vector<Forecast> out(actions.size());
  agent.decide(context, actions, exploration, out);
  return out;
}

// Plays `events` events with ten actions; the rewards depend on context and action.
inline void play(OfferAgent& agent, std::uint64_t events, std::uint64_t seed) {
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

inline std::string bytes_of(const OfferAgent& agent) {
  StateWriter writer;
  agent.save(writer);
  return writer.bytes();
}

struct OfferPair {
  std::string name, spec;
};
inline void PrintTo(const OfferPair& pair, std::ostream* out) { *out << pair.spec; }

// Every model with every strategy that fits it.
inline std::vector<OfferPair> offer_pairs() {
  std::vector<OfferPair> pairs;
  for (const ComponentInfo& strategy : list_strategies()) {
    for (const std::string& model : strategy.fits) {
      const std::string name = model + "_" + strategy.name;
      const std::string spec = small_model(model, true) + "+" + strategy.name;
      const bool joint = model == "hashed_linear" || model == "hashed_mlp";
      pairs.push_back({name, joint ? spec : spec + "+ids(dim=8)"});
      if (!joint) pairs.push_back({name + "_features", spec + "+ids(by=features,dim=8)"});
    }
  }
  return pairs;
}

}  // namespace sau::testing
