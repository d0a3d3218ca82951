#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"
#include "sau/explore/evidence.hpp"
#include "sau/model/value_model.hpp"

namespace sau {

// The offer of a fixed set of actions: the candidates are the actions 0, 1, ... in every step. A
// view of model and evidence for one choice.
template <ValueModel M, class Evidence>
class FixedOffer {
 public:
  FixedOffer(M& model, Context x, const Evidence& evidence, std::uint64_t step) noexcept
      : model_(model), x_(x), evidence_(evidence), step_(step) {}

  std::size_t size() const noexcept { return evidence_.actions(); }
  std::uint64_t step() const noexcept { return step_; }
  const Evidence& evidence() const noexcept { return evidence_; }
  static constexpr double share(double own) noexcept { return own; }

  // The model computes them once.
  std::span<const double> values() const noexcept {
    if (value_.data() == nullptr) value_ = model_.values(x_);
    return value_;
  }

  bool in_opening(std::uint64_t rounds) const noexcept { return step_ <= rounds * size(); }
  Action opening_action() const noexcept { return static_cast<Action>((step_ - 1) % size()); }

  std::span<const double> widths() const noexcept requires WidthModel<M> {
    return model_.widths(x_);
  }
  // How far the members of a committee differ.
  std::span<const double> disagreement() const noexcept requires DisagreementModel<M> {
    return model_.disagreement(x_);
  }
  std::span<const double> sample(Rng& rng) const noexcept requires PosteriorModel<M> {
    return model_.sample(x_, rng);
  }
  auto marginals() const requires PosteriorModel<M> { return model_.marginals(x_); }

 private:
  M& model_;
  Context x_;
  const Evidence& evidence_;
  std::uint64_t step_;
  mutable std::span<const double> value_;
};

// What the model of an offer by id says about the candidates besides their values, for a strategy
// that wants it.
class IdSource {
 public:
  virtual ~IdSource() = default;
  virtual std::span<const double> widths() const = 0;
  // The chance of every candidate that its draw from the posterior is the largest.
  virtual void best_chances(std::span<double> out) const = 0;
};

// The offer of actions that come and go by id: the candidates of one decision, without those that
// are excluded. Steps count the rewards learned from: with many decisions in flight, choices have
// no order.
class IdOffer {
 public:
  struct Numbers {
    std::span<const double> value;     // predicted means
    std::span<const double> width;     // evidence; empty if the strategy wants none
    std::span<const double> variance;  // tau2_a
    // How far the members of a committee differ; empty for other models.
    std::span<const double> disagreement;
    std::uint64_t learned = 0;          // rewards learned from, of all actions
    double counted = 0.0;               // those that count in ln n
    std::optional<double> exploration;  // share of uniform choices that the caller asks for
  };

  // The posterior of the candidates.
  struct Marginals {
    const IdSource& source;
    friend void argmax_probabilities(const Marginals& marginals, std::span<double> out) {
      marginals.source.best_chances(out);
    }
  };

  IdOffer(const Numbers& numbers, const IdSource& source) noexcept
      : numbers_(numbers), source_(source) {}

  std::size_t size() const noexcept { return numbers_.value.size(); }
  std::uint64_t step() const noexcept { return numbers_.learned + 1; }
  OfferedEvidence evidence() const noexcept {
    return {numbers_.width, numbers_.variance, numbers_.counted};
  }
  double share(double own) const noexcept { return numbers_.exploration.value_or(own); }
  std::span<const double> values() const noexcept { return numbers_.value; }

  static constexpr bool in_opening(std::uint64_t) noexcept { return false; }
  static constexpr Action opening_action() noexcept { return 0; }

  std::span<const double> widths() const { return source_.widths(); }
  std::span<const double> disagreement() const noexcept { return numbers_.disagreement; }
  Marginals marginals() const noexcept { return {source_}; }

 private:
  Numbers numbers_;
  const IdSource& source_;
};

}  // namespace sau
