#include "sau/evaluate/estimators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "evaluate/moments.hpp"
#include "evaluate/slope.hpp"
#include "sau/core/error.hpp"
#include "sau/evaluate/intervals.hpp"

namespace sau {
namespace {

using detail::WeightedMoments;

// An estimate that is the mean of phi(choice).
template <class Phi>
class MeanEstimator final : public Estimator {
 public:
  explicit MeanEstimator(Phi phi) : phi_(phi) {}

  void add(const ScoredChoice& choice) noexcept override {
    moments_.add(phi_(choice), choice.importance);
  }
  double value() const noexcept override { return moments_.mean(); }
  double squared_error() const noexcept override { return moments_.squared_error(); }
  double contribution(const ScoredChoice& choice) const noexcept override {
    return moments_.contribution(phi_(choice), choice.importance);
  }

 private:
  Phi phi_;
  WeightedMoments moments_;
};

template <class Phi>
std::unique_ptr<Estimator> mean_of(Phi phi) {
  return std::make_unique<MeanEstimator<Phi>>(phi);
}

// direct + sum w x / sum w, with x = r for snips, where direct is 0, and x = r - r^ for sndr.
class RatioEstimator final : public Estimator {
 public:
  explicit RatioEstimator(bool robust) : robust_(robust) {}

  void add(const ScoredChoice& choice) noexcept override {
    const double u = choice.importance, w = choice.weight, x = rest(choice), d = direct(choice);
    ++count_;
    u_ += u;
    w_ += u * w;
    wx_ += u * w * x;
    d_ += u * d;
    const double uu = u * u, uuw = uu * w;
    uu_ += uu;
    uuw_ += uuw;
    uuwx_ += uuw * x;
    ww_ += uuw * w;
    wwx_ += uuw * w * x;
    wwxx_ += uuw * w * x * x;
    uud_ += uu * d;
    dd_ += uu * d * d;
    dw_ += uuw * d;
    dwx_ += uuw * d * x;
  }
  double value() const noexcept override {
    if (!(w_ > 0.0)) return kUndefined;
    return d_ / u_ + wx_ / w_;
  }
  // The sum of squares of (contribution - value) / n. Without `direct`, and with importances of 1,
  // this is sum w^2 (r - v)^2 / (sum w)^2.
  double squared_error() const noexcept override {
    if (!(w_ > 0.0) || count_ < 2) return kUndefined;
    const double ratio = wx_ / w_, mean = d_ / u_;
    const double of_weights = (wwxx_ - 2.0 * ratio * wwx_ + ratio * ratio * ww_) / (w_ * w_);
    const double of_direct = (dd_ - 2.0 * mean * uud_ + mean * mean * uu_) / (u_ * u_);
    const double both = (dwx_ - ratio * dw_ - mean * (uuwx_ - ratio * uuw_)) / (w_ * u_);
    return std::max(0.0, of_weights + of_direct + 2.0 * both);
  }
  // u (d - mean d) / (mean u) + u w (x - ratio) / (mean u w), and the value.
  double contribution(const ScoredChoice& choice) const noexcept override {
    const double ratio = wx_ / w_, mean = d_ / u_, n = static_cast<double>(count_);
    return value() +
           n * choice.importance *
               ((direct(choice) - mean) / u_ + choice.weight * (rest(choice) - ratio) / w_);
  }

 private:
  double rest(const ScoredChoice& choice) const noexcept {
    return robust_ ? choice.reward - choice.predicted : choice.reward;
  }
  double direct(const ScoredChoice& choice) const noexcept { return robust_ ? choice.direct : 0.0; }

  bool robust_;
  std::uint64_t count_ = 0;
  double u_ = 0.0, w_ = 0.0, wx_ = 0.0, d_ = 0.0;  // sums, each times u
  double uu_ = 0.0, uuw_ = 0.0, uuwx_ = 0.0, uud_ = 0.0;
  double ww_ = 0.0, wwx_ = 0.0, wwxx_ = 0.0, dd_ = 0.0, dw_ = 0.0, dwx_ = 0.0;  // each times u^2
};

double robust(const ScoredChoice& choice, double weight) noexcept {
  return choice.direct + weight * (choice.reward - choice.predicted);
}

// `dr` with weights changed by a function of the setting, which is given or chosen by SLOPE.
// Candidates are in the order of growing bias.
template <class Change>
class TamedEstimator final : public Estimator {
 public:
  TamedEstimator(std::string name, std::vector<double> candidates, Change change)
      : name_(std::move(name)),
        candidates_(std::move(candidates)),
        moments_(candidates_.size()),
        change_(change) {}

  void add(const ScoredChoice& choice) noexcept override {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      moments_[i].add(phi(choice, i), choice.importance);
    }
  }
  double value() const noexcept override { return moments_[chosen()].mean(); }
  double squared_error() const noexcept override { return moments_[chosen()].squared_error(); }
  double contribution(const ScoredChoice& choice) const noexcept override {
    const std::size_t i = chosen();
    return moments_[i].contribution(phi(choice, i), choice.importance);
  }
  std::string setting() const override {
    return fmt::format("{}={:.6g}", name_, candidates_[chosen()]);
  }

 private:
  double phi(const ScoredChoice& choice, std::size_t i) const noexcept {
    return robust(choice, change_(choice.weight, candidates_[i]));
  }
  std::size_t chosen() const noexcept {
    std::vector<detail::SlopeCandidate> found;
    found.reserve(moments_.size());
    for (const WeightedMoments& moments : moments_) {
      const double error = moments.squared_error();
      if (std::isnan(error)) return 0;
      found.push_back({moments.mean(), 1.96 * std::sqrt(error)});
    }
    return detail::slope_choice(found);
  }

  std::string name_;
  std::vector<double> candidates_;
  std::vector<WeightedMoments> moments_;
  Change change_;
};

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

template <class Change>
std::unique_ptr<Estimator> tamed(const char* name, double given, std::vector<double> usual,
                                 Change change) {
  if (given > 0.0) usual = {given};
  return std::make_unique<TamedEstimator<Change>>(name, std::move(usual), change);
}

std::unique_ptr<Estimator> make_ips(const EstimatorSettings& settings) {
  const double most = settings.clip > 0.0 ? settings.clip : kNoLimit;
  return mean_of([most](const ScoredChoice& c) { return std::min(c.weight, most) * c.reward; });
}
std::unique_ptr<Estimator> make_snips(const EstimatorSettings&) {
  return std::make_unique<RatioEstimator>(false);
}
std::unique_ptr<Estimator> make_dm(const EstimatorSettings&) {
  return mean_of([](const ScoredChoice& c) { return c.direct; });
}
std::unique_ptr<Estimator> make_dr(const EstimatorSettings&) {
  return mean_of([](const ScoredChoice& c) { return robust(c, c.weight); });
}
std::unique_ptr<Estimator> make_sndr(const EstimatorSettings&) {
  return std::make_unique<RatioEstimator>(true);
}
std::unique_ptr<Estimator> make_switch(const EstimatorSettings& settings) {
  return tamed("tau", settings.tau, {kNoLimit, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1, 0.5},
               [](double w, double tau) { return w <= tau ? w : 0.0; });
}
std::unique_ptr<Estimator> make_dros(const EstimatorSettings& settings) {
  return tamed("lambda", settings.lambda,
               {kNoLimit, 1e6, 1e5, 1e4, 3e3, 1e3, 300, 100, 30, 10, 3, 1, 0.3, 0.1},
               [](double w, double lambda) {
                 return std::isinf(lambda) ? w : lambda * w / (w * w + lambda);
               });
}
std::unique_ptr<Estimator> make_mips(const EstimatorSettings&) {
  return mean_of([](const ScoredChoice& c) { return c.group_weight * c.reward; });
}

struct EstimatorEntry {
  EstimatorInfo info;
  std::unique_ptr<Estimator> (*make)(const EstimatorSettings&);
};

constexpr std::array kEstimators = {
    EstimatorEntry{{"ips", "mean of w r", true, false}, make_ips},
    EstimatorEntry{{"snips", "sum of w r / sum of w", true, false}, make_snips},
    EstimatorEntry{{"dm", "what the reward model predicts; no weights", false, true}, make_dm},
    EstimatorEntry{{"dr", "dm, and w times what the reward model got wrong", true, true}, make_dr},
    EstimatorEntry{{"sndr", "dr with weights that sum to one", true, true}, make_sndr},
    EstimatorEntry{{"switch", "dr without the decisions whose w is above tau", true, true},
                   make_switch},
    EstimatorEntry{{"dros", "dr with w shrunk to lambda w / (w^2 + lambda)", true, true},
                   make_dros},
    EstimatorEntry{{"mips", "ips with w of all actions that have the same features", true, false},
                   make_mips},
};

const EstimatorEntry& find(std::string_view name) {
  const auto found =
      std::ranges::find(kEstimators, name, [](const EstimatorEntry& e) { return e.info.name; });
  if (found != kEstimators.end()) return *found;
  std::string known;
  for (const EstimatorEntry& entry : kEstimators) {
    known += (known.empty() ? "" : ", ") + std::string(entry.info.name);
  }
  throw UsageError(fmt::format("unknown estimator '{}'; known: {}", name, known));
}

}  // namespace

std::span<const EstimatorInfo> list_estimators() {
  static const auto kInfos = [] {
    std::array<EstimatorInfo, kEstimators.size()> infos{};
    std::ranges::transform(kEstimators, infos.begin(), &EstimatorEntry::info);
    return infos;
  }();
  return kInfos;
}

const EstimatorInfo& estimator_info(std::string_view name) { return find(name).info; }

std::unique_ptr<Estimator> make_estimator(std::string_view name,
                                          const EstimatorSettings& settings) {
  return find(name).make(settings);
}

}  // namespace sau
