#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"
#include "sau/model/hashed_linear.hpp"

namespace sau::detail {

// How much each feature helps to predict rewards (permutation importance; Breiman 2001). A linear
// model goes through the log. It predicts the reward of each decision from those before, once with
// its features as they are, and once for each feature with the value that this feature had in
// another decision: one of the last 64 that had it, drawn at random. The importance is how much
// this increases the sum of squared errors, divided by the sum of squares of the rewards around
// their mean.
class FeatureImportance {
 public:
  FeatureImportance(std::uint64_t seed, const RewardRange& rewards);
  FeatureImportance(const FeatureImportance&) = delete;
  FeatureImportance& operator=(const FeatureImportance&) = delete;
  ~FeatureImportance();

  // A decision: the body of its request, the place of the chosen action, and its reward.
  void add(std::string_view request, std::size_t chosen, double reward);

  // Pairs of text, as Personalizer has them: name and importance, the largest first. Names are
  // paths in a request: "contextFeatures.user.age", "actions.features.price", "actions.id".
  nlohmann::ordered_json result() const;

 private:
  class Reader;
  // Features of a decision that have a name in common.
  struct Part {
    std::size_t name = 0;
    bool of_context = false;
    std::size_t first = 0, last = 0;
  };
  struct Named {
    double loss = 0.0;                               // what the sum of squared errors grew
    std::vector<std::vector<HashedFeature>> values;  // in the last decisions that had it, a ring
    std::size_t next = 0;                            // to be replaced there
  };

  double predicted(HashedFeatures context, HashedFeatures action) const;
  double predicted_with_other(std::size_t name);
  void keep_value(std::size_t name);
  std::size_t number_of(const std::string& name);

  RewardRange rewards_;
  HashedLinear model_;
  std::unique_ptr<Reader> reader_;
  std::map<std::string, std::size_t, std::less<>> numbers_;  // of the names
  std::vector<Named> named_;                                 // by number
  Rng rng_;
  std::uint64_t count_ = 0;
  double mean_ = 0.0, squares_ = 0.0;  // of rewards (Welford)
  // Of one decision:
  std::vector<HashedFeature> context_, action_, other_context_, other_action_;
  std::vector<Part> parts_;
  std::vector<std::size_t> names_;
};

}  // namespace sau::detail
