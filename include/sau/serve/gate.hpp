#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sau/core/time_text.hpp"
#include "sau/serve/configuration.hpp"

namespace sau {

// The gate: a candidate beside the policy that decides (docs/service.md). It is scored on the same
// events without deciding anything. It becomes the policy when it is surely better by more than a
// margin, or when somebody says so; it is given up when it is surely worse by more than the margin.

struct GateRequest {
  Policy policy;           // the candidate
  double margin = 0.0;     // in units of the reward, 0 or more
  double alpha = 0.05;     // how often a candidate that is no better may be promoted
  bool automatic = true;   // false: only somebody ends it
  bool scheduled = false;  // begun by automatic optimisation
};

enum class GateOutcome : std::uint8_t {
  kPromoted,  // the candidate is the policy now
  kWorse,     // it was shown to be worse
  kStopped,   // somebody ended it
  kReplaced,  // somebody set another policy
};
constexpr std::array<std::string_view, 4> enum_names(GateOutcome) {
  return {"promoted", "worse", "stopped", "replaced"};
}

// The state of a trial, running or ended.
struct GateState {
  std::string id;
  GateRequest request = {};
  Milliseconds begun = 0;
  std::uint64_t decisions = 0;  // scored
  double reward = 0.0;          // their mean reward
  // How much more the candidate would have earned, per decision, and an interval that holds at
  // every moment at once with confidence 1 - alpha.
  double gain = 0.0, low = 0.0, high = 0.0;
  std::optional<GateOutcome> outcome = {};  // nothing while it runs
  Milliseconds ended = 0;
};

std::string to_json(const GateState& state);

}  // namespace sau
