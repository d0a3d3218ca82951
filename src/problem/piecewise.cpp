#include "sau/problem/piecewise.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau {

void PiecewiseOptions::check() const {
  const std::size_t phases = changes.size() + 1;
  if (means.empty() || means.size() % phases != 0) {
    throw UsageError("piecewise: means has " + std::to_string(means.size()) +
                     " numbers, expected as many for each of " + std::to_string(phases) +
                     " phases");
  }
  double before = 0.0;
  for (const double step : changes) {
    if (step != std::floor(step) || step <= before) {
      throw UsageError("piecewise: changes=" + format_number(step) +
                       " is not allowed; expected whole numbers in rising order");
    }
    before = step;
  }
  if (steps > 0 && static_cast<double>(steps) <= before) {
    throw UsageError("piecewise: steps=" + std::to_string(steps) +
                     " is not allowed; expected more than the last change, " +
                     format_number(before));
  }
}

Piecewise::Piecewise(const Stream&, const Options& options)
    : means_((options.check(), options.means)),
      start_{0},
      over_(options.over),
      repeat_(options.repeat),
      now_(means_.size() / (options.changes.size() + 1)) {
  for (const double step : options.changes) start_.push_back(static_cast<std::uint64_t>(step));
  const std::uint64_t phases = start_.size();
  // With one phase there is nothing to take the length from.
  period_ = options.steps > 0 ? options.steps
            : phases == 1     ? 5000
                              : start_.back() + start_.back() / (phases - 1);
}

Context Piecewise::next(Rng& rng) {
  if (step_ >= until_) enter(step_);
  ++step_;
  draw_ = rng.uniform();
  return {};
}

// Sets the chances of this step.
void Piecewise::enter(std::uint64_t step) {
  const std::uint64_t place = repeat_ ? step % period_ : step;
  phase_ = static_cast<std::uint64_t>(std::ranges::upper_bound(start_, place) - start_.begin()) - 1;
  const std::size_t actions = now_.size();
  const double* to = means_.data() + phase_ * actions;
  std::copy_n(to, actions, now_.begin());
  const std::uint64_t since = place - start_[phase_];
  const std::uint64_t end = phase_ + 1 < start_.size() ? start_[phase_ + 1]
                            : repeat_                  ? period_
                                                       : ~std::uint64_t{0} - step + place;
  until_ = step + (end - place);
  if (since < over_ && (phase_ > 0 || step >= period_)) {
    const std::uint64_t old = phase_ > 0 ? phase_ - 1 : start_.size() - 1;
    const double* from = means_.data() + old * actions;
    const double share = static_cast<double>(since) / static_cast<double>(over_);
    for (std::size_t a = 0; a < actions; ++a) now_[a] = from[a] + share * (to[a] - from[a]);
    until_ = step + 1;
  }
  top_ = *std::ranges::max_element(now_);
}

}  // namespace sau
