#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/core/rng.hpp"
#include "sau/model/joint_features.hpp"

namespace sau {

// An action as a joint model sees it: its features, the first of which is the indicator of its id.
struct JointAction {
  HashedFeatures features;
};

// A feature that every event has, with the value 1.
inline constexpr HashedFeature kBiasFeature{.hash = 0x243F6A8885A308D3U, .value = 1.0F};

// A place in a table of 2^bits, and the value of the feature that belongs there.
struct PlacedFeature {
  std::uint32_t place = 0;
  double value = 0.0;
};

inline std::uint32_t place_of(std::uint64_t hash, unsigned bits) noexcept {
  return static_cast<std::uint32_t>(hash >> (64U - bits));
}

// Calls add(hash, value) for all of phi(x, a): the bias, the features of the context, those of the
// action, and every cross of a context feature and an action feature.
template <class Add>
void each_joint_feature(HashedFeatures context, const JointAction& action, Add&& add) {
  add(kBiasFeature.hash, 1.0);
  for (const HashedFeature& c : context) add(c.hash, static_cast<double>(c.value));
  for (const HashedFeature& a : action.features) {
    const auto scale = static_cast<double>(a.value);
    add(a.hash, scale);
    for (const HashedFeature& c : context) {
      add(crossed(c.hash, a.hash), scale * static_cast<double>(c.value));
    }
  }
}

// A model mu(x, a) of context and action, for actions that come and go. The part that decides,
// M::Weights, is separate from the part that learns, so that others can decide with a copy of it.
// Any number of threads may call the const functions of such a copy.
//  - weights.values(context, actions, out): the value of every action; 0 where it is not finite.
//  - weights.widths(context, actions, out) and weights.marginals(context, actions): optional, as in
//    WidthModel and PosteriorModel.
template <class M>
concept JointModel = requires(M& model, const M& constant, const typename M::Weights& weights,
                              HashedFeatures context, const JointAction& action,
                              std::span<const JointAction> actions, std::span<double> out,
                              StateWriter& writer, StateReader& reader) {
  { M::kName } -> std::convertible_to<std::string_view>;
  { M::kSummary } -> std::convertible_to<std::string_view>;
  weights.values(context, actions, out);
  { constant.weights() } -> std::same_as<const typename M::Weights&>;
  { model.published() } -> std::same_as<typename M::Weights>;
  model.learn(context, action, 0.0);
  { constant.fault() } -> std::same_as<std::string>;
  constant.save(writer);
  model.load(reader);
};

}  // namespace sau
