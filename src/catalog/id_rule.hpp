#pragma once

#include <memory>
#include <span>

#include "sau/core/spec.hpp"
#include "sau/core/types.hpp"
#include "sau/explore/evidence.hpp"
#include "sau/explore/offer.hpp"
#include "sau/explore/sau_state.hpp"

namespace sau {

// A strategy of the catalogue without its type, as an agent for actions by id needs it. So such
// agents are compiled once, not once for every pair of a model and a strategy. It never changes.
class IdRule {
 public:
  virtual ~IdRule() = default;

  // The rewards that a model which learns from these can learn from with this strategy.
  virtual RewardRange rewards(RewardRange model) const noexcept = 0;
  // What SAU's numbers are made with; the paper's if the strategy does not say.
  virtual SauPrior prior() const noexcept = 0;
  // Whether it adds a bonus for the disagreement of a committee.
  virtual bool adds_bonus() const noexcept = 0;
  // Whether the field `own` of records and totals is used.
  virtual bool keeps_own() const noexcept = 0;
  // Whether it learns from the probability with which an action was chosen.
  virtual bool uses_probability() const noexcept = 0;
  // Whether it starts anew with its model.
  virtual bool restarts() const noexcept = 0;

  // n_a and S2_a of every action, without pooled residuals. An id without a record, a null pointer,
  // counts as one whose only reward was predicted exactly.
  virtual void known(std::span<const IdRecord* const> records, const IdTotals& totals,
                     std::span<CountAndSquares> out) const noexcept = 0;
  // The number that the rule uses, for every action; nothing if it uses none. `known` is with
  // pooled residuals.
  virtual void widths(std::span<const IdRecord* const> records, const IdTotals& totals,
                      std::span<const CountAndSquares> known,
                      std::span<double> out) const noexcept = 0;
  // How many rewards count in ln n.
  virtual double counted(const IdTotals& totals) const noexcept = 0;
  virtual void observe(IdRecord& record, IdTotals& totals,
                       const IdLesson& lesson) const noexcept = 0;
  virtual void probabilities(const IdOffer& offer, std::span<double> out) const = 0;
};

// Throws UsageError for a strategy or settings that do not exist.
std::shared_ptr<const IdRule> make_id_rule(const Spec& strategy);
// The strategy as text, in canonical form.
std::string write_strategy(const Spec& strategy);

}  // namespace sau
