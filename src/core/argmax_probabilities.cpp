#include "sau/core/argmax_probabilities.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/argmax_laws.hpp"
#include "core/argmax_sweep.hpp"
#include "sau/core/error.hpp"
#include "sau/core/stack_memory.hpp"

namespace sau {
namespace {

// Enough for about twenty actions.
using Memory = StackMemory<16'384>;

void normalise(std::span<double> out) {
  double sum = 0.0;
  for (const double p : out) sum += p;
  SAU_ASSERT(std::abs(sum - 1.0) < 1e-10, "the argmax probabilities must cover everything");
  for (double& p : out) p /= sum;
}

// If all marginals are equal, as at the beginning, there is nothing to integrate: fills `out`.
template <class Marginal>
bool all_equal(std::span<const Marginal> marginals, std::span<double> out) {
  const auto same = [&](const Marginal& m) { return m == marginals.front(); };
  if (!std::ranges::all_of(marginals, same)) return false;
  std::ranges::fill(out, 1.0 / static_cast<double>(out.size()));
  return true;
}

// After scaling by a power of two, spreads are 0 or between 2^-700 and 2^300, and means are not
// larger either, so that no product of a width and a density overflows.
struct Scaling {
  double factor;

  explicit Scaling(double largest) {
    constexpr int kTop = 300;
    int exponent = 0;
    std::frexp(largest, &exponent);
    factor = std::ldexp(1.0, std::min(kTop - exponent, 1000));
  }

  double spread(double x) const noexcept {
    const double scaled = x * factor;
    return scaled < 0x1p-700 ? 0.0 : scaled;
  }
};

// spread_of(m) is the spread of a marginal, make(m, mean, spread) its law.
template <class Law, class Marginal, class SpreadOf, class Make>
void with_atoms(std::span<const Marginal> marginals, std::span<double> out, SpreadOf&& spread_of,
                Make&& make) {
  SAU_ASSERT(out.size() == marginals.size(), "one probability for each marginal");
  if (marginals.empty()) return;
  double largest = 0.0;
  for (const Marginal& m : marginals) {
    SAU_ASSERT(std::isfinite(m.mean) && std::isfinite(spread_of(m)) && spread_of(m) >= 0.0,
               "a marginal has a finite mean and a finite spread, not negative");
    largest = std::max({largest, std::abs(m.mean), spread_of(m)});
  }
  const Scaling scaling(largest);
  if (scaling.spread(spread_of(marginals.front())) > 0.0 && all_equal(marginals, out)) return;

  Memory memory;
  std::pmr::vector<Law> laws(memory.resource());
  std::pmr::vector<std::size_t> actions(memory.resource());  // of the laws
  std::optional<std::size_t> atom;                           // the first of the highest atoms
  laws.reserve(marginals.size());
  actions.reserve(marginals.size());
  for (std::size_t a = 0; a < marginals.size(); ++a) {
    const double spread = scaling.spread(spread_of(marginals[a]));
    if (spread > 0.0) {
      laws.push_back(make(marginals[a], marginals[a].mean * scaling.factor, spread));
      actions.push_back(a);
    } else if (!atom || marginals[a].mean > marginals[*atom].mean) {
      atom = a;
    }
  }

  std::fill(out.begin(), out.end(), 0.0);
  std::pmr::vector<double> probabilities(laws.size(), 0.0, memory.resource());
  detail::ArgmaxSweep<Law> sweep(laws, memory.resource());
  detail::Position floor = detail::kBottom;
  if (atom) {
    floor = detail::Position{marginals[*atom].mean * scaling.factor};
    out[*atom] = sweep.largest_below(floor);
  }
  sweep.run(floor, probabilities);
  for (std::size_t i = 0; i < laws.size(); ++i) out[actions[i]] = probabilities[i];
  normalise(out);
}

}  // namespace

void argmax_probabilities(std::span<const NormalMarginal> marginals, std::span<double> out) {
  with_atoms<detail::NormalLaw>(
      marginals, out, [](const NormalMarginal& m) { return m.spread; },
      [](const NormalMarginal&, double mean, double spread) {
        return detail::NormalLaw{mean, spread};
      });
}

void argmax_probabilities(std::span<const StudentMarginal> marginals, std::span<double> out) {
  with_atoms<detail::StudentLaw>(
      marginals, out, [](const StudentMarginal& m) { return m.scale; },
      [](const StudentMarginal& m, double mean, double scale) {
        SAU_ASSERT(m.dof > 0.0, "the degrees of freedom are positive");
        return detail::StudentLaw(mean, scale, m.dof);
      });
}

void argmax_probabilities(std::span<const BetaMarginal> marginals, std::span<double> out) {
  SAU_ASSERT(out.size() == marginals.size(), "one probability for each marginal");
  if (marginals.empty()) return;
  Memory memory;
  std::pmr::vector<detail::BetaLaw> laws(memory.resource());
  laws.reserve(marginals.size());
  for (const BetaMarginal& m : marginals) {
    SAU_ASSERT(m.alpha > 0.0 && m.beta > 0.0, "the parameters of a beta law are positive");
    laws.emplace_back(m.alpha, m.beta);
  }
  if (all_equal(marginals, out)) return;
  std::fill(out.begin(), out.end(), 0.0);
  detail::ArgmaxSweep<detail::BetaLaw>(laws, memory.resource()).run(detail::kBottom, out);
  normalise(out);
}

}  // namespace sau
