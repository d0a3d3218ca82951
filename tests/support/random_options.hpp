#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "sau/core/rng.hpp"
#include "sau/core/spec.hpp"

namespace sau::testing {

// Random settings within their bounds, to test properties of the spec grammar.
class RandomSettings {
 public:
  explicit RandomSettings(std::uint64_t seed) : rng_(Stream{.seed = seed}) {}

  // Options::check() may still refuse the combination.
  template <class Options>
  Options draw() {
    Options options;
    options.fields([&](std::string_view, auto& value, std::string_view, Bounds bounds = {}) {
      if (rng_.below(4) != 0) fill(value, bounds);
    });
    return options;
  }

  void fill(double& value, const Bounds& bounds) {
    const double low = std::max(bounds.min, -1e300), high = std::min(bounds.max, 1e300);
    switch (rng_.below(5)) {
      case 0:
        value = bounds.open || std::isinf(bounds.min) ? std::nextafter(low, high) : low;
        break;
      case 1:
        value = bounds.open || std::isinf(bounds.max) ? std::nextafter(high, low) : high;
        break;
      case 2:  // short numbers
        value = static_cast<double>(rng_.below(1000)) / 100.0;
        break;
      case 3:  // numbers of any size
        value = std::pow(10.0, 600.0 * rng_.uniform() - 300.0);
        break;
      default:
        value = rng_.uniform_positive();
    }
    const bool end = value == low || value == high;
    if (!(low < value && value < high) && !(end && !bounds.open)) {
      value = low + (high - low) / 3.0;
    }
  }
  void fill(std::uint64_t& value, const Bounds& bounds) {
    const auto low = static_cast<std::uint64_t>(std::max(bounds.min, 0.0));
    const bool bounded = bounds.max < 1e18;
    const std::uint64_t most = bounded ? static_cast<std::uint64_t>(bounds.max) - low : ~low;
    value = low + (rng_.below(2) == 0 ? rng_.below(std::min<std::uint64_t>(most, 20) + 1)
                                      : (bounded ? rng_.below(most + 1) : rng_.bits() % most));
  }
  void fill(CountOrAll& value, const Bounds& bounds) {
    value.limit = 0;
    if (rng_.below(2) == 0) fill(value.limit, bounds);
  }
  void fill(CountRange& value, const Bounds& bounds) {
    fill(value.min, bounds);
    fill(value.max, bounds);
    if (value.min > value.max) std::swap(value.min, value.max);
  }
  void fill(bool& value, const Bounds&) { value = rng_.below(2) == 1; }
  void fill(std::string& value, const Bounds&) {
    static constexpr std::string_view kAlphabet = "abxyz019,()=\"\\ \t\n+-._";
    value.clear();
    for (std::uint64_t left = rng_.below(12); left > 0; --left) {
      value += kAlphabet[rng_.below(kAlphabet.size())];
    }
  }
  void fill(std::vector<double>& value, const Bounds& bounds) {
    value.assign(rng_.below(6), 0.0);
    for (double& element : value) fill(element, bounds);
  }
  template <NamedEnum E>
  void fill(E& value, const Bounds&) {
    value = static_cast<E>(rng_.below(enum_names(E{}).size()));
  }

 private:
  Rng rng_;
};

}  // namespace sau::testing
