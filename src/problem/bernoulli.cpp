#include "sau/problem/bernoulli.hpp"

#include <algorithm>
#include <cmath>

namespace sau {

void BernoulliOptions::check() const {
  if (!means.empty()) {
    const BernoulliOptions usual;
    if (actions != usual.actions || gap != usual.gap || mean != usual.mean || best != usual.best) {
      throw UsageError("bernoulli: means replaces actions, gap, mean and best; give only means");
    }
    return;
  }
  check_place("bernoulli", best, actions);
  if (gap > mean && actions > 1) {
    throw UsageError("bernoulli: gap=" + format_number(gap) +
                     " is not allowed; expected at most mean, " + format_number(mean));
  }
}

Bernoulli::Bernoulli(const Stream& stream, Options options) : mean_(std::move(options.means)) {
  if (mean_.empty()) {
    mean_.assign(options.actions, options.mean - options.gap);
    mean_[best_action(options.best, options.actions, stream)] = options.mean;
  }
  const double top = *std::ranges::max_element(mean_);
  for (const double mean : mean_) {
    regret_.push_back(top - mean);
    // Draws are multiples of 2^-53, so u <= mu and u < next_above(mu) are the same event.
    const bool closed = options.rewards == BernoulliRewards::kUniform;
    threshold_.push_back(closed ? std::nextafter(mean, 2.0) : mean);
  }
}

}  // namespace sau
