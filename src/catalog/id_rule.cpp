#include "catalog/id_rule.hpp"

#include <algorithm>
#include <concepts>
#include <utility>

#include "catalog/explore_list.hpp"
#include "catalog/type_list.hpp"
#include "sau/explore/strategy.hpp"

namespace sau {
namespace {

// S, and an empty evidence record of its kind, which does the computing.
template <Strategy S>
class IdRuleOf final : public IdRule {
 public:
  explicit IdRuleOf(const typename S::Options& options)
      : strategy_({.shape = {.actions = 1}, .stream = {}}, options),
        evidence_(strategy_.evidence()) {}

  RewardRange rewards(RewardRange model) const noexcept override { return rewards_with<S>(model); }
  SauPrior prior() const noexcept override {
    if constexpr (kSau) return evidence_.prior();
    return {};
  }
  bool adds_bonus() const noexcept override { return kSau; }
  bool keeps_own() const noexcept override {
    if constexpr (requires { evidence_.keeps_own(); }) return evidence_.keeps_own();
    return false;
  }
  bool uses_probability() const noexcept override {
    return requires { Evidence::kUsesProbability; };
  }
  bool restarts() const noexcept override {
    return requires(Evidence & evidence) { evidence.restart(); };
  }

  void known(std::span<const IdRecord* const> records, const IdTotals& totals,
             std::span<CountAndSquares> out) const noexcept override {
    for (std::size_t a = 0; a < records.size(); ++a) {
      const IdRecord* record = records[a];
      if (record == nullptr) {
        out[a] = {std::max(1.0, prior().prior), prior().start};
      } else if constexpr (requires { evidence_.known(*record, totals); }) {
        out[a] = evidence_.known(*record, totals);
        if constexpr (kSau) out[a].count += prior().prior;
      } else {
        out[a] = {static_cast<double>(record->count), record->squares};
      }
    }
  }
  void widths(std::span<const IdRecord* const> records, const IdTotals& totals,
              std::span<const CountAndSquares> known,
              std::span<double> out) const noexcept override {
    for (std::size_t a = 0; a < records.size(); ++a) {
      if constexpr (requires { evidence_.own_width(records[a], totals); }) {
        out[a] = evidence_.own_width(records[a], totals);
      } else if constexpr (requires { evidence_.width_of(1.0, 1.0); }) {
        out[a] = evidence_.width_of(known[a].count, known[a].squares);
      }
    }
  }
  double counted(const IdTotals& totals) const noexcept override {
    if constexpr (requires { evidence_.counted(totals); }) return evidence_.counted(totals);
    return static_cast<double>(totals.learned);
  }
  void observe(IdRecord& record, IdTotals& totals, const IdLesson& lesson) const noexcept override {
    if constexpr (requires { evidence_.observe_id(record, totals, lesson); }) {
      evidence_.observe_id(record, totals, lesson);
    } else {
      record.squares += lesson.residual * lesson.residual;
    }
  }
  void probabilities(const IdOffer& offer, std::span<double> out) const override {
    strategy_.probabilities(offer, out);
  }

 private:
  using Evidence = decltype(std::declval<const S&>().evidence());
  static constexpr bool kSau = std::same_as<Evidence, SauState>;

  S strategy_;
  Evidence evidence_;
};

// Calls f.operator()<S>(options) for the strategy named.
template <class F>
auto with_strategy(const Spec& spec, F&& f) {
  return with_named(Strategies{}, "strategy", spec.name, [&]<class S>() {
    return f.template operator()<S>(read_options<typename S::Options>(S::kName, spec.params));
  });
}

}  // namespace

std::shared_ptr<const IdRule> make_id_rule(const Spec& strategy) {
  return with_strategy(strategy, []<class S>(const auto& options) -> std::shared_ptr<const IdRule> {
    return std::make_shared<const IdRuleOf<S>>(options);
  });
}

std::string write_strategy(const Spec& strategy) {
  return with_strategy(strategy,
                       []<class S>(const auto& options) { return write_spec(S::kName, options); });
}

}  // namespace sau
