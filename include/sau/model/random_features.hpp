#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sau/core/aligned.hpp"
#include "sau/core/setup.hpp"
#include "sau/core/spec.hpp"
#include "sau/core/types.hpp"
#include "sau/kernel/ridge_kernel.hpp"
#include "sau/model/ridge.hpp"

namespace sau {

struct RandomFeaturesOptions {
  std::uint64_t features = 64;
  double lambda = 4.0;
  double lowest = 0.5;
  double highest = 4.0;
  void fields(auto&& field) {
    field("features", features, "number of waves", Bounds{.min = 1.0, .max = 4096.0});
    field("lambda", lambda, "ridge penalty", kLambdaBounds);
    field("lowest", lowest, "frequency of the longest wave", Bounds{.min = 1e-3, .max = 1e3});
    field("highest", highest, "frequency of the shortest wave", Bounds{.min = 1e-3, .max = 1e3});
  }
  void check() const;
};

// Ridge regression of every action's reward on random waves of the context (random features; Rahimi
// & Recht 2007), which is nearly a kernel regression:
//     phi_i(x) = wave(w_i' z / sqrt(d) + b_i),   z_j = (x_j - mean_j) / deviation_j, within +-3,
// with d columns, w_i ~ f_i N(0, I), b_i uniform over a period, and the frequencies f_i spread
// evenly on a logarithmic scale from `lowest` to `highest`: a wave of frequency 1 tells contexts
// apart that are about as far from each other as two contexts usually are. An intercept is
// appended. Means and deviations are those of the contexts learned from so far; the waves of a step
// are computed when it is learned, and not again when these change.
//
// Deviation from the paper on random features: two parabolas take the place of the cosine. They are
// within 6 % of it, and need no function that C libraries round differently. A column that never
// varied is 0 in z, but counts in d.
//
// The waves are bounded, so that an outlier cannot lead to a wild prediction, and far from all
// earlier contexts a prediction goes back to the intercept. novelty() says where that is.
class RandomFeatures {
 public:
  static constexpr std::string_view kName = "random_features";
  static constexpr std::string_view kSummary =
      "ridge regression per action on random waves of the context";
  static constexpr bool kUsesContext = true;
  static constexpr RewardRange kRewards{};
  using Options = RandomFeaturesOptions;

  explicit RandomFeatures(const Setup& setup, const Options& options = {});

  std::span<const double> values(Context x) noexcept { return ridge_.values(waves(x)); }

  // phi' Lambda_a^-1 phi of every action.
  std::span<const double> novelty(Context x) noexcept { return ridge_.forms(waves(x)); }

  std::span<const double> widths(Context x) noexcept {
    const auto form = novelty(x);
    for (std::size_t a = 0; a < form.size(); ++a) width_[a] = std::sqrt(form[a]);
    return width_;
  }

  void update(Context x, Action action, double reward) noexcept {
    ridge_.update(waves(x), action, reward);
    follow(x);
  }

  // phi of this context; valid until the next call.
  Context waves(Context x) noexcept;

  const Ridge& ridge() const noexcept { return ridge_; }
  void describe(auto&& column) const { ridge_.describe(column); }

  void grow(Action actions) {
    ridge_.grow(actions);
    width_.resize(actions);
  }

  static void state(auto& self, auto&& field) {
    field("directions", self.direction_);
    field("phases", self.phase_);
    field("contexts", self.count_);
    field("context_means", self.mean_);
    field("context_variances", self.variance_);
    Ridge::state(self.ridge_, field);
  }
  void restored() noexcept { rescale(); }

 private:
  // Counts x in the means and variances.
  void follow(Context x) noexcept;
  void rescale() noexcept;

  const RidgeKernel* kernel_;
  std::size_t padded_;               // columns, as the kernel wants them
  AlignedVector<double> direction_;  // waves x padded; in periods, not in radians
  std::vector<double> phase_;        // in periods
  double count_ = 0.0;               // contexts, at most RunningMoments::kMemory
  std::vector<double> mean_, variance_;
  std::vector<double> scale_;  // 1 / (deviation sqrt(d)); 0 for a column that never varied
  AlignedVector<double> z_;    // padded
  std::vector<double> wave_, width_;
  Ridge ridge_;
};

}  // namespace sau
