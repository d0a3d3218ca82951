#include "sau/model/credibility.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace sau {
namespace {

constexpr double kMostPower = 10.0;   // of a loss
constexpr double kFloor = 0.01;       // of r^2 in every loss
constexpr double kSpreadFloor = 0.1;  // of R, for the disagreement

double evidence(std::uint64_t rewards) noexcept {
  return std::sqrt((static_cast<double>(rewards) + 1.0) / 2.0);
}

}  // namespace

Credibility::Credibility(std::size_t opinions, std::size_t actions)
    : loss_(opinions),
      action_loss_(opinions * actions),
      action_count_(actions),
      out_(opinions),
      mixture_(actions == 0 ? 0 : opinions),
      loss_weight_(opinions, 1.0),
      weight_(opinions, 1.0),
      action_weight_(opinions * actions, 1.0),
      spread_weight_(opinions, 1.0),
      error_(opinions),
      mistake_(opinions) {
  refresh();
}

void Credibility::observe(Action action, std::span<const double> opinion, double reward) noexcept {
  const auto keep = [](std::uint64_t n) {
    return static_cast<double>(n) / (static_cast<double>(n) + 1.0);
  };
  const bool by_action = !action_count_.empty();
  const double kept = keep(count_), kept_here = by_action ? keep(action_count_[action]) : 0.0;
  const double square = reward * reward;
  for (std::size_t k = 0; k < loss_.size(); ++k) {
    mistake_[k] = 0.0;
    if (left_out(k)) continue;
    const double error = reward - std::clamp(opinion[k], lowest_, highest_);
    mistake_[k] = error;
    const double grown = error * error + kFloor * square;
    loss_[k] = loss_[k] * kept + grown;
    if (by_action) {
      double& here = action_loss_[action * loss_.size() + k];
      here = here * kept_here + grown;
    }
    if (!std::isfinite(loss_[k])) leave_out(k);
  }
  if (by_action) mixture_.observe(mistake_);
  reward_squares_ = reward_squares_ * kept + square;
  lowest_ = count_ == 0 ? reward : std::min(lowest_, reward);
  highest_ = count_ == 0 ? reward : std::max(highest_, reward);
  ++count_;
  refresh();
  if (by_action) {
    ++action_count_[action];
    refresh(action);
  }
}

void Credibility::clip(std::span<double> opinion) const noexcept {
  for (double& f : opinion) f = std::clamp(f, lowest_, highest_);
}

void Credibility::leave_out(std::size_t k) noexcept {
  out_[k] = 1;
  if (!action_count_.empty()) mixture_.leave_out(k);
  refresh_all();
}

void Credibility::weigh(std::span<const double> loss, double add, double power,
                        std::span<double> weight) const noexcept {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < loss.size(); ++k) {
    if (!left_out(k)) least = std::min(least, loss[k] + add);
  }
  for (std::size_t k = 0; k < loss.size(); ++k) {
    const double own = loss[k] + add;
    if (left_out(k)) {
      weight[k] = 0.0;
    } else if (own == least) {
      weight[k] = 1.0;
    } else {
      weight[k] = std::exp(-power * std::log(own / least));  // 0 if only the least is 0
    }
  }
}

double Credibility::power(std::uint64_t rewards) const noexcept {
  const double q = std::min(kMostPower, evidence(rewards));
  return action_count_.empty() ? q : 0.5 * q;
}

void Credibility::refresh() noexcept {
  weigh(loss_, 0.0, power(count_), loss_weight_);
  weight_ = loss_weight_;
  const std::span<const double> mixture = mixture_.weights();
  for (std::size_t k = 0; k < mixture.size(); ++k) weight_[k] *= std::sqrt(mixture[k]);
  const double root = evidence(count_);
  weigh(loss_, kSpreadFloor * reward_squares_, root, spread_weight_);
  for (std::size_t k = 0; k < loss_.size(); ++k) error_[k] = loss_[k] / (root * root);
}

void Credibility::refresh(Action action) noexcept {
  const std::size_t place = action * loss_.size();
  weigh(std::span(action_loss_).subspan(place, loss_.size()), 0.0, power(action_count_[action]),
        std::span(action_weight_).subspan(place, loss_.size()));
}

void Credibility::refresh_all() noexcept {
  refresh();
  for (std::size_t a = 0; a < action_count_.size(); ++a) {
    if (action_count_[a] > 0) refresh(static_cast<Action>(a));
  }
}

void Credibility::restored() noexcept {
  if (!action_count_.empty()) mixture_.restored(count_, out_);
  refresh_all();
}

double Credibility::weight_of(std::span<const double> weight, std::size_t k,
                              Action action) const noexcept {
  return weight[k] * (action_count_.empty() ? 1.0 : action_weight_[action * loss_.size() + k]);
}

void Credibility::judge(std::span<const double> opinion, std::span<const double> novelty,
                        std::span<double> value, std::span<double> disagreement) const noexcept {
  const std::size_t actions = value.size(), members = loss_.size();
  for (std::size_t a = 0; a < actions; ++a) {
    const auto counts = [&](std::size_t k) {
      return !left_out(k) && std::isfinite(opinion[k * actions + a]);
    };
    value[a] = 0.0;
    for (const auto& weight : {std::cref(weight_), std::cref(loss_weight_)}) {
      double sum = 0.0, weights = 0.0;
      for (std::size_t k = 0; k < members; ++k) {
        if (!counts(k)) continue;
        const double w = weight_of(weight.get(), k, static_cast<Action>(a));
        sum += w * opinion[k * actions + a];
        weights += w;
      }
      if (!(weights > 0.0)) continue;
      value[a] = sum / weights;
      break;
    }
    double spread_sum = 0.0, spread_weights = 0.0, variance = 0.0;
    for (std::size_t k = 0; k < members; ++k) {
      if (!counts(k)) continue;
      spread_sum += spread_weight_[k] * opinion[k * actions + a];
      spread_weights += spread_weight_[k];
    }
    const double mean = spread_weights > 0.0 ? spread_sum / spread_weights : 0.0;
    for (std::size_t k = 0; k < members; ++k) {
      if (!counts(k) || spread_weight_[k] == 0.0) continue;
      const double f = opinion[k * actions + a];
      const double own = novelty.empty() ? 0.0 : novelty[k * actions + a] * error_[k];
      variance += spread_weight_[k] * ((f - mean) * (f - mean) + own);
    }
    disagreement[a] = spread_weights > 0.0 ? std::sqrt(variance / spread_weights) : 0.0;
  }
}

std::vector<double> Credibility::shares(Action action) const {
  std::vector<double> share(loss_.size());
  for (const auto& weight : {std::cref(weight_), std::cref(loss_weight_)}) {
    double sum = 0.0;
    for (std::size_t k = 0; k < share.size(); ++k) {
      share[k] = left_out(k) ? 0.0 : weight_of(weight.get(), k, action);
      sum += share[k];
    }
    if (!(sum > 0.0)) continue;
    for (double& s : share) s /= sum;
    break;
  }
  return share;
}

std::vector<double> Credibility::mean_shares() const {
  if (action_count_.empty() || count_ == 0) return shares(0);
  std::vector<double> mean(loss_.size());
  for (std::size_t a = 0; a < action_count_.size(); ++a) {
    const double part = static_cast<double>(action_count_[a]) / static_cast<double>(count_);
    if (part == 0.0) continue;
    const std::vector<double> share = shares(static_cast<Action>(a));
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += part * share[k];
  }
  return mean;
}

}  // namespace sau
