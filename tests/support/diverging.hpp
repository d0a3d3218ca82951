#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/model/value_model.hpp"

namespace sau::testing {

// A model that diverges at its `limit`-th reward; 0: never.
class Diverging {
 public:
  static constexpr std::string_view kName = "diverging";
  static constexpr std::string_view kSummary = "diverges at a given update";
  static constexpr bool kUsesContext = false;
  static constexpr RewardRange kRewards{};
  using Options = NoOptions;

  explicit Diverging(const Setup& setup, Options = {}) : values_(setup.shape.actions) {}
  Diverging(Action actions, std::uint64_t limit) : values_(actions), limit_(limit) {}

  std::span<const double> values(Context) const noexcept { return values_; }
  void update(Context, Action action, double reward) noexcept {
    if (limit_ > 0 && updates_ == limit_) return;
    ++updates_;
    values_[action] = reward;
  }
  std::string fault() const {
    if (limit_ == 0 || updates_ < limit_) return "";
    return "the loss of update " + std::to_string(limit_) + " is \"inf\", not finite; try less";
  }
  static void state(auto& self, auto&& field) {
    field("values", self.values_);
    field("updates", self.updates_);
    field("limit", self.limit_);
  }

 private:
  std::vector<double> values_;
  std::uint64_t updates_ = 0, limit_ = 0;
};

}  // namespace sau::testing
