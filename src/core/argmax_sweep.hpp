#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory_resource>
#include <numeric>
#include <span>
#include <vector>

#include "core/kronrod_rule.hpp"

namespace sau::detail {

// A point of the real line as an unevaluated sum (Dekker 1971), |low| <= ulp(high) / 2. A point at
// mean + 8 spreads stays exact to the last digit of the spread, however small next to the mean.
struct Position {
  double high = 0.0;
  double low = 0.0;

  auto operator<=>(const Position&) const = default;

  double minus(double x) const noexcept { return (high - x) + low; }
  double minus(Position other) const noexcept { return (high - other.high) + (low - other.low); }

  Position plus(double x) const noexcept {
    const Position sum = two_sum(high, x);
    return two_sum(sum.high, sum.low + low);
  }

 private:
  static Position two_sum(double a, double b) noexcept {
    const double sum = a + b;
    const double part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
  }
};

inline constexpr Position kBottom{-std::numeric_limits<double>::infinity()};

// All argmax probabilities of continuous laws in one sweep from the top of the line to the bottom.
//
// G(z), the product of all F_b(z), is P(largest < z), so the contributions of a panel to all
// actions add up to the difference of G over it. We use this three times: the sweep ends where G is
// negligible; a panel over which G does not change is skipped; and a panel whose contributions miss
// the difference is halved, so that a narrow law cannot be overlooked.
//
// Laws are sorted by the point above which their F is 1, the highest first. So the laws that matter
// at z are the first few. A panel does not pass the upper end of a law much narrower than itself,
// and is no wider than the narrowest law in it allows. Below the lower end of that law G is 0, so a
// scale takes a few panels, however many laws there are.
template <class Law>
class ArgmaxSweep {
 public:
  ArgmaxSweep(std::span<const Law> laws, std::pmr::memory_resource* memory)
      : order_(laws.size(), memory),
        laws_(memory),
        upper_(memory),
        inverse_scale_(memory),
        cdf_(laws.size(), memory),
        density_(laws.size(), memory),
        kronrod_(laws.size(), memory),
        gauss_(laws.size(), memory),
        total_(laws.size(), memory),
        stack_(memory) {
    std::pmr::vector<Position> upper(laws.size(), memory);
    for (std::size_t a = 0; a < laws.size(); ++a)
      upper[a] = Position{laws[a].location}.plus(laws[a].upper * laws[a].scale);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return upper[a] > upper[b] || (upper[a] == upper[b] && a < b);
    });
    laws_.reserve(laws.size());
    upper_.reserve(laws.size());
    inverse_scale_.reserve(laws.size());
    stack_.reserve(2 * kMaxDepth);
    cdf_.reserve(laws.size() * kNodes);
    density_.reserve(laws.size() * kNodes);
    for (const std::size_t a : order_) {
      laws_.push_back(laws[a]);
      upper_.push_back(upper[a]);
      inverse_scale_.push_back(1.0 / laws[a].scale);
    }
  }

  // P(largest < z).
  double largest_below(Position z) const noexcept {
    double product = 1.0;
    for (std::size_t b = 0; b < laws_.size() && upper_[b] > z && product > kNothing; ++b) {
      const double t = z.minus(laws_[b].location) * inverse_scale_[b];
      if (t < laws_[b].upper) product *= laws_[b].cdf(t);
    }
    return product;
  }

  // Adds to out[a] the probability that the draw of law a is the largest and above `floor`.
  void run(Position floor, std::span<double> out) {
    if (laws_.empty()) return;
    if constexpr (kVectorised) {
      if (floor == kBottom && run_in_equal_steps()) {
        for (std::size_t i = 0; i < laws_.size(); ++i) out[order_[i]] += total_[i];
        return;
      }
    }
    Panel panel{.left = upper_.front(), .right = upper_.front()};
    while (panel.below_left > kNothing && panel.left > floor) {
      panel.right = panel.left;
      panel.below_right = panel.below_left;
      const std::size_t live = live_at(panel.right);
      if (live == 1) {  // alone up here: no need to integrate
        panel.left = std::max(laws_.size() > 1 ? upper_[1] : floor, floor);
        panel.below_left = largest_below(panel.left);
        total_[0] += panel.below_right - panel.below_left;
      } else {
        panel.left = std::max(next_left(panel.right, live), floor);
        if (!(panel.left < panel.right)) break;  // no endless loop if a number is not finite
        panel.below_left = largest_below(panel.left);
        trim(panel);
        integrate(panel);
      }
    }
    for (std::size_t i = 0; i < laws_.size(); ++i) out[order_[i]] += total_[i];
  }

 private:
  // Mass that may be lost at a time, of the 1e-9 allowed in total.
  static constexpr double kNothing = 1e-14;
  static constexpr double kTolerance = 1e-12;
  static constexpr int kMaxDepth = 10;
  // Whether a law computes its values at all nodes of a panel in one call.
  static constexpr bool kVectorised = requires(const Law& law, double* out) {
    law.values(0.0, 0.0, kKronrodRule.x, out, out);
  };
  static constexpr std::size_t kSteps = 16;  // points at a time in equal steps
  static constexpr std::size_t kNodes = kVectorised ? KronrodRule::kSize : 1;

  struct Panel {
    Position left;
    Position right;
    double below_left = 1.0;  // G at the ends
    double below_right = 1.0;
    int depth = 0;
  };

  // Equal steps over the whole line (the trapezoidal rule) need the fewest points if the laws are
  // analytic and about equally wide: the error falls like exp(-c / step^2). Leaves the result in
  // total_; false, and total_ as it was, if the laws differ too much or the result is not good
  // enough.
  bool run_in_equal_steps() {
    constexpr double kEnd = 7.5;  // spreads; the tail of a normal law beyond it is 3e-14
    constexpr double kMostUnequal = 4.0;
    // The more laws, the narrower the law of the largest draw.
    constexpr std::size_t kFew = 8, kMostLaws = 14;
    constexpr double kStepOfFew = 0.3, kStepOfMore = 0.25;
    Position low = kBottom;  // below it the largest of the draws is not
    for (const Law& law : laws_)
      low = std::max(low, Position{law.location}.plus(-kEnd * law.scale));
    Position top = low;
    double narrow = std::numeric_limits<double>::infinity(), wide = 0.0;
    std::size_t live = 0;
    for (; live < laws_.size() && upper_[live] > low; ++live) {
      const Law& law = laws_[live];
      top = std::max(top, Position{law.location}.plus(kEnd * law.scale));
      narrow = std::min(narrow, law.scale);
      wide = std::max(wide, law.scale);
    }
    if (live < 2 || live > kMostLaws || !(wide < kMostUnequal * narrow)) return false;
    const double step = narrow * (live <= kFew ? kStepOfFew : kStepOfMore);
    std::fill_n(kronrod_.begin(), live, 0.0);
    std::fill_n(gauss_.begin(), live, 0.0);
    const double range = top.minus(low);
    for (double from_top = 0.0; from_top < range; from_top += kSteps * step)
      if (add_equal_steps(top, from_top, step, live) < kNothing) break;
    // gauss_ has every other point, as with twice the step. Half the step squares an error at least
    // twice, so what passes is far below the square of the difference.
    double sum = 0.0, difference = 0.0;
    for (std::size_t b = 0; b < live; ++b) {
      sum += kronrod_[b];
      difference += std::abs(kronrod_[b] - gauss_[b]);
    }
    if (!(difference * difference < 10.0 * kTolerance && std::abs(sum - 1.0) < kTolerance))
      return false;
    std::copy_n(kronrod_.begin(), live, total_.begin());
    return true;
  }

  // Adds the points from `from_top` below the top on; returns G at the last of them.
  double add_equal_steps(Position top, double from_top, double step, std::size_t live) {
    static constexpr auto kPlaces = [] {
      std::array<double, kSteps> places{};
      for (std::size_t i = 0; i < kSteps; ++i)
        places[i] = 1.0 - 2.0 * static_cast<double>(i) / (kSteps - 1);
      return places;
    }();
    const double half = 0.5 * (kSteps - 1) * step;
    cdf_.resize(std::max(cdf_.size(), live * kSteps));
    density_.resize(cdf_.size());
    std::array<double, kSteps> others;  // product of the cdfs so far
    others.fill(1.0);
    for (std::size_t b = 0; b < live; ++b) {
      double* cdf = cdf_.data() + b * kSteps;
      double* density = density_.data() + b * kSteps;
      const double middle = top.minus(laws_[b].location) - (from_top + half);
      laws_[b].values(middle * inverse_scale_[b], half * inverse_scale_[b], kPlaces, cdf, density);
      for (std::size_t i = 0; i < kSteps; ++i) {
        density[i] *= others[i];
        others[i] *= cdf[i];
      }
    }
    const double last = others.back();
    others.fill(1.0);
    for (std::size_t b = live; b-- > 0;) {
      const double* cdf = cdf_.data() + b * kSteps;
      const double* density = density_.data() + b * kSteps;
      std::array<double, 2> sums{};  // of the even and of the odd points
      for (std::size_t i = 0; i < kSteps; i += 2) {
        for (std::size_t lane = 0; lane < 2; ++lane) {
          sums[lane] += density[i + lane] * others[i + lane];
          others[i + lane] *= cdf[i + lane];
        }
      }
      const double width = step * inverse_scale_[b];
      kronrod_[b] += width * (sums[0] + sums[1]);
      gauss_[b] += 2.0 * width * sums[0];
    }
    return last;
  }

  std::size_t live_at(Position z) const noexcept {
    std::size_t live = 1;
    while (live < laws_.size() && upper_[live] >= z) ++live;
    return live;
  }

  // Left end of the panel that ends at `right`, where the first `live` laws matter.
  Position next_left(Position right, std::size_t live) const noexcept {
    const auto reach = [&](std::size_t b) {
      const double t = right.minus(laws_[b].location) * inverse_scale_[b];
      return laws_[b].scale * laws_[b].reach(t);
    };
    double width = reach(0);
    for (std::size_t b = 1; b < live; ++b) width = std::min(width, reach(b));
    Position left = right.plus(-width);
    for (std::size_t b = live; b < laws_.size() && upper_[b] > left; ++b) {
      const Position allowed = right.plus(-reach(b));
      left = std::max(left, std::min(allowed, upper_[b]));
    }
    return left;
  }

  // Raises the left end of the last panel to where G begins to matter. Evaluates G once per try.
  void trim(Panel& panel) const noexcept {
    while (panel.below_left <= kNothing) {
      const Position middle = panel.left.plus(0.5 * panel.right.minus(panel.left));
      const double below = largest_below(middle);
      if (!(below <= kNothing) || !(panel.left < middle)) return;
      panel.left = middle;
      panel.below_left = below;
    }
  }

  void integrate(const Panel& whole) {
    const std::size_t live = live_at(whole.left);
    stack_.assign(1, whole);
    while (!stack_.empty()) {
      Panel panel = stack_.back();
      stack_.pop_back();
      const double mass = panel.below_right - panel.below_left;
      if (!(mass > kNothing)) continue;
      if (apply_rule(panel, live, mass) || panel.depth == kMaxDepth) {
        for (std::size_t b = 0; b < live; ++b) total_[b] += kronrod_[b];
        continue;
      }
      const Position middle = panel.left.plus(0.5 * panel.right.minus(panel.left));
      const double below = largest_below(middle);
      ++panel.depth;
      stack_.push_back({middle, panel.right, below, panel.below_right, panel.depth});
      stack_.push_back({panel.left, middle, panel.below_left, below, panel.depth});
    }
  }

  // Leaves the contributions of the panel in kronrod_; false if they are not good enough.
  bool apply_rule(const Panel& panel, std::size_t live, double mass) {
    const double half = 0.5 * panel.right.minus(panel.left);
    const Position middle = panel.left.plus(half);
    if constexpr (kVectorised) {
      add_all_nodes(middle, half, live);
    } else {
      std::fill_n(kronrod_.begin(), live, 0.0);
      std::fill_n(gauss_.begin(), live, 0.0);
      for (const KronrodNode& node : kKronrodHalf) {
        const double offset = half * node.x;
        add_node(middle.plus(offset), live, half * node.kronrod, half * node.gauss);
        if (offset != 0.0)
          add_node(middle.plus(-offset), live, half * node.kronrod, half * node.gauss);
      }
    }
    double sum = 0.0, difference = 0.0;
    for (std::size_t b = 0; b < live; ++b) {
      sum += kronrod_[b];
      difference += std::abs(kronrod_[b] - gauss_[b]);
    }
    // The difference is the error of the 10-point rule; we always found the error of the 21-point
    // rule below its square. At most 3e-7 passes here, so even its power 1.5, the guess of
    // QUADPACK, would do. Halving does not cure the rounding of the cdfs: allow twice as much of it
    // each time.
    const double tolerance = std::ldexp(kTolerance, panel.depth);
    return 10.0 * difference * difference < tolerance * mass && std::abs(sum - mass) < tolerance;
  }

  // The same as add_node for every node, but law by law instead of node by node, so that the
  // products vectorise.
  void add_all_nodes(Position middle, double half, std::size_t live) {
    constexpr std::size_t kSize = KronrodRule::kSize;
    const KronrodRule& rule = kKronrodRule;
    cdf_.resize(std::max(cdf_.size(), live * kSize));
    density_.resize(cdf_.size());
    std::array<double, kSize> others;  // product of the cdfs so far
    others.fill(1.0);
    for (std::size_t b = 0; b < live; ++b) {
      double* cdf = cdf_.data() + b * kSize;
      double* density = density_.data() + b * kSize;
      laws_[b].values(middle.minus(laws_[b].location) * inverse_scale_[b], half * inverse_scale_[b],
                      rule.x, cdf, density);
      for (std::size_t i = 0; i < kSize; ++i) {
        density[i] *= others[i];
        others[i] *= cdf[i];
      }
    }
    others.fill(1.0);
    for (std::size_t b = live; b-- > 0;) {
      const double* cdf = cdf_.data() + b * kSize;
      const double* density = density_.data() + b * kSize;
      std::array<double, 2> kronrod{}, gauss{};  // of the even and of the odd nodes
      const auto add = [&](std::size_t i, bool in_gauss) {
        for (std::size_t lane = 0; lane < 2; ++lane) {
          const double integrand = density[i + lane] * others[i + lane];
          kronrod[lane] += rule.kronrod[i + lane] * integrand;
          if (in_gauss) gauss[lane] += rule.gauss[i + lane] * integrand;
          others[i + lane] *= cdf[i + lane];
        }
      };
      for (std::size_t i = 0; i < KronrodRule::kGauss; i += 2) add(i, true);
      for (std::size_t i = KronrodRule::kGauss; i < kSize; i += 2) add(i, false);
      const double width = half * inverse_scale_[b];
      kronrod_[b] = width * (kronrod[0] + kronrod[1]);
      gauss_[b] = width * (gauss[0] + gauss[1]);
    }
  }

  void add_node(Position z, std::size_t live, double kronrod, double gauss) {
    double above = 1.0;  // product of the cdfs so far
    for (std::size_t b = 0; b < live; ++b) {
      const double t = z.minus(laws_[b].location) * inverse_scale_[b];
      double cdf = 1.0, density = 0.0;
      if (t < laws_[b].upper) {
        const auto value = laws_[b].value(t);
        cdf = value.cdf;
        density = value.density * inverse_scale_[b];
      }
      density_[b] = density * above;
      cdf_[b] = cdf;
      above *= cdf;
      if (above == 0.0 && density_[b] == 0.0) return;
    }
    double after = 1.0;
    for (std::size_t b = live; b-- > 0;) {
      const double integrand = density_[b] * after;
      kronrod_[b] += kronrod * integrand;
      gauss_[b] += gauss * integrand;
      after *= cdf_[b];
    }
  }

  std::pmr::vector<std::size_t> order_;  // place in the sweep -> action
  std::pmr::vector<Law> laws_;           // this and the rest in the order of the sweep
  std::pmr::vector<Position> upper_;
  std::pmr::vector<double> inverse_scale_;
  std::pmr::vector<double> cdf_, density_, kronrod_, gauss_, total_;
  std::pmr::vector<Panel> stack_;
};

}  // namespace sau::detail
