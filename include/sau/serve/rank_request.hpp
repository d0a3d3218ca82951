#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sau/agent/offer_agent.hpp"
#include "sau/store/failure.hpp"

namespace sau {

// Limits on one request. Each bounds the work or the memory that a caller can cause.
struct RequestLimits {
  std::size_t actions = 1000;
  std::size_t body_bytes = 1'048'576;
  std::size_t id_bytes = 256;
  std::size_t depth = 3;            // of objects and arrays within a features object
  std::size_t features = 100'000;   // of the context and of all actions together
  std::size_t crosses = 1'000'000;  // pairs of a context feature and an action feature

  // For requests that were accepted before, maybe under other limits, and for imported ones.
  static RequestLimits none() {
    constexpr std::size_t kAny = SIZE_MAX / 2, kDeep = 64;
    return {kAny, kAny, kAny, kDeep, kAny, kAny};
  }
};

// A rank request, read and hashed. An object in `contextFeatures` or in an action's `features` is a
// list of named values, and a nested object is a namespace. A string or boolean becomes an
// indicator of "name=value", a number keeps its value, each element of an array is one feature, and
// null is no feature.
struct RankRequest {
  struct Action {
    std::string id;
    bool excluded = false;
    std::size_t first = 0, last = 0;  // of its features in `features`
  };

  std::string event_id;  // empty when the caller gave none
  bool defer_activation = false;
  std::vector<HashedFeature> features;  // of the context, then of the actions in their order
  std::size_t context_end = 0;
  std::vector<Action> actions;
  // A hash of everything that was asked, however the JSON spells it: the same for a retry.
  std::uint64_t fingerprint = 0;

  HashedFeatures context() const noexcept { return {features.data(), context_end}; }
  OfferedAction offered(std::size_t i) const noexcept {
    const Action& a = actions[i];
    return {a.id, {features.data() + a.first, a.last - a.first}, a.excluded};
  }
};

// Thread-safe.
Result<RankRequest> read_rank_request(std::string_view body, const RequestLimits& limits);

// Reads only what is learned from, in a request that was accepted before: the context and the
// chosen action, which is the only one in the result. Thread-safe.
Result<RankRequest> read_chosen_action(std::string_view body, std::size_t chosen);

// {"value": 0.7}: any finite number. bounded_reward() (configuration.hpp) applies the bounds.
Result<double> read_reward_request(std::string_view body);

}  // namespace sau
