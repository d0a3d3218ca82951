#include "sau/problem/changing.hpp"

#include <algorithm>
#include <numeric>

#include "sau/core/error.hpp"

namespace sau {

void ChangingOptions::check() {
  problem = canonical_problem(problem);
  if (problem.starts_with("changing") || problem.find('+') != std::string::npos) {
    throw UsageError("changing: problem=\"" + problem +
                     "\" is not allowed; expected one that neither changes nor pays late");
  }
  if (over > every) {
    throw UsageError("changing: over=" + std::to_string(over) +
                     " is not allowed; expected at most every, " + std::to_string(every));
  }
}

// Starts far along the stream, at a place that the problem inside never reaches.
Changing::Changing(const Stream& stream, const Options& options)
    : options_(options),
      stream_(stream),
      slow_(stream, std::uint64_t{1} << 60U),
      inside_(make_problem(options.problem, stream)),
      x_(inside_->shape().dim) {
  if (options_.what != ChangeOf::kActions && x_.empty()) {
    throw UsageError(
        "changing: what=" +
        std::string(enum_names(options_.what)[static_cast<std::size_t>(options_.what)]) +
        " needs contexts, which " + options_.problem + " does not have");
  }
}

void Changing::enter(Phase& phase, std::uint64_t number) const {
  if (options_.seasons > 0) number %= options_.seasons;
  if (phase.number == number) return;
  phase.number = number;
  const std::size_t size =
      options_.what == ChangeOf::kActions ? inside_->shape().actions : x_.size();
  Rng rng(stream_, (std::uint64_t{1} << 61U) + (number << 32U));
  if (options_.what == ChangeOf::kContexts) {
    phase.normal.resize(size);
    for (double& element : phase.normal) element = number == 0 ? 0.0 : rng.normal();
    return;
  }
  phase.order.resize(size);
  std::iota(phase.order.begin(), phase.order.end(), 0U);
  if (number > 0) rng.shuffle(std::span(phase.order));
}

Context Changing::next(Rng& rng) {
  const std::uint64_t number = step_ / options_.every, since = step_ % options_.every;
  ++step_;
  enter(present_, number);
  current_ = &present_;
  if (number > 0 && since < options_.over) {
    enter(past_, number - 1);
    const double share = static_cast<double>(since) / static_cast<double>(options_.over);
    if (slow_.uniform() >= share) current_ = &past_;
  }
  if (options_.what == ChangeOf::kContexts) return wanted_context(rng);
  const Context x = inside_->next(rng);
  if (options_.what == ChangeOf::kActions) return x;
  for (std::size_t i = 0; i < x.size(); ++i) x_[i] = x[current_->order[i]];
  return x_;
}

// The first context on the right side of the plane, but at most the twentieth.
Context Changing::wanted_context(Rng& rng) {
  for (int left = 20;; --left) {
    const Context x = inside_->next(rng);
    if (current_->number == 0) return x;
    const double height = std::inner_product(x.begin(), x.end(), current_->normal.begin(), 0.0);
    seen_ += 1.0;
    level_ += (height - level_) / seen_;
    if (left == 1 || height >= level_ || slow_.uniform() < 0.1) return x;
  }
}

}  // namespace sau
