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

// Kronrod's 21 points and the Gauss rule of 10 among them (Kronrod 1965; digits as in QUADPACK,
// Piessens et al. 1983): the points x >= 0 of [-1, 1] and their weights in both.
struct KronrodNode {
  double x;
  double kronrod;
  double gauss;
};

inline constexpr std::array<KronrodNode, 11> kKronrodHalf{{
    {0.995657163025808080735527280689003, 0.011694638867371874278064396062192, 0.0},
    {0.973906528517171720077964012084452, 0.032558162307964727478818972459390,
     0.066671344308688137593568809893332},
    {0.930157491355708226001207180059508, 0.054755896574351996031381300244580, 0.0},
    {0.865063366688984510732096688423493, 0.075039674810919952767043140916190,
     0.149451349150580593145863396957658},
    {0.780817726586416897063717578345042, 0.093125454583697605535065465083366, 0.0},
    {0.679409568299024406234327365114874, 0.109387158802297641899210590325805,
     0.219086362515982043995534934228163},
    {0.562757134668604683339000099272694, 0.123491976262065851077958109585166, 0.0},
    {0.433395394129247190799265943165784, 0.134709217311473325928054001771707,
     0.269266719309996355091226921569469},
    {0.294392862701460198131126603103866, 0.142775938577060080797094273138717, 0.0},
    {0.148874338981631210884826001129720, 0.147739104901338491374841515972068,
     0.295524224714752870173815619188769},
    {0.0, 0.149445554002916905664936468389821, 0.0},
}};

// All 21 points, those of the Gauss rule first, and one of weight 0 so that loops vectorise.
struct KronrodRule {
  static constexpr std::size_t kSize = 22, kGauss = 10;
  std::array<double, kSize> x{}, kronrod{};
  std::array<double, kGauss> gauss{};

  constexpr KronrodRule() {
    std::size_t next = 0, next_gauss = 0;
    for (const bool in_gauss : {true, false}) {
      for (const KronrodNode& node : kKronrodHalf) {
        if ((node.gauss > 0.0) != in_gauss) continue;
        for (const double sign : {1.0, -1.0}) {
          if (node.x == 0.0 && sign < 0.0) continue;
          if (in_gauss) gauss[next_gauss++] = node.gauss;
          x[next] = sign * node.x;
          kronrod[next++] = node.kronrod;
        }
      }
    }
  }
};
inline constexpr KronrodRule kKronrodRule;

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
  static constexpr std::size_t kNodes = kVectorised ? KronrodRule::kSize : 1;

  struct Panel {
    Position left;
    Position right;
    double below_left = 1.0;  // G at the ends
    double below_right = 1.0;
    int depth = 0;
  };

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
