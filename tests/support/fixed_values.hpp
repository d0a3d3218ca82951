#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "sau/model/value_model.hpp"

namespace sau::testing {

// A model whose values are set by hand and that learns nothing.
class FixedValues {
 public:
  static constexpr std::string_view kName = "fixed_values";
  static constexpr std::string_view kSummary = "values set by hand";
  static constexpr bool kUsesContext = false;
  static constexpr RewardRange kRewards{};
  using Options = NoOptions;

  explicit FixedValues(const Setup& setup, Options = {}) : values_(setup.shape.actions) {}
  FixedValues(std::initializer_list<double> values) : values_(values) {}

  std::span<const double> values(Context) const noexcept { return values_; }
  void update(Context, Action, double) noexcept {}
  static void state(auto& self, auto&& field) { field("values", self.values_); }

  double& operator[](Action action) { return values_[action]; }

 private:
  std::vector<double> values_;
};

// A posterior whose draws are fixed, one per action.
class FixedDraws {
 public:
  static constexpr std::string_view kName = "fixed_draws";
  static constexpr std::string_view kSummary = "posterior draws set by hand";
  static constexpr bool kUsesContext = false;
  static constexpr RewardRange kRewards{};
  using Options = NoOptions;

  explicit FixedDraws(const Setup& setup, Options = {})
      : values_(setup.shape.actions), draws_(setup.shape.actions) {}
  FixedDraws(std::initializer_list<double> values, std::initializer_list<double> draws)
      : values_(values), draws_(draws) {}

  std::span<const double> values(Context) const noexcept { return values_; }
  std::span<const double> sample(Context, Rng&) noexcept { return draws_; }
  std::vector<NormalMarginal> marginals(Context) const {
    std::vector<NormalMarginal> result;
    for (const double draw : draws_) result.push_back({draw, 0.0});
    return result;
  }
  void update(Context, Action, double) noexcept {}
  static void state(auto& self, auto&& field) { field("values", self.values_); }

 private:
  std::vector<double> values_, draws_;
};

}  // namespace sau::testing
