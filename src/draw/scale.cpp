#include "draw/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sau::detail {
namespace {

constexpr double kSlack = 1e-9;  // share of the tick distance, so that ticks at the very ends count

// Whether the ends are equal up to rounding.
bool is_narrow(const Range& range) {
  return range.high - range.low <= 1e-12 * std::max(std::abs(range.low), std::abs(range.high));
}

Range widened_if_narrow(Range range) {
  if (range.empty()) return {.low = 0.0, .high = 1.0};
  if (!is_narrow(range)) return range;
  const double around = range.low == 0.0 ? 1.0 : 0.1 * std::abs(range.low);
  return {.low = range.low - around, .high = range.high + around};
}

// The nearest of ..., 0.5, 1, 2, 5, 10, 20, ..., by ratio.
double round_step(double size) {
  const double power = std::pow(10.0, std::floor(std::log10(size)));
  const double rest = size / power;
  return power * (rest < std::sqrt(2.0)    ? 1.0
                  : rest < std::sqrt(10.0) ? 2.0
                  : rest < std::sqrt(50.0) ? 5.0
                                           : 10.0);
}

// 10 to an integer power, accurate for negative exponents too.
double power_of_ten(int exponent) {
  return exponent >= 0 ? std::pow(10.0, exponent) : 1.0 / std::pow(10.0, -exponent);
}

std::vector<double> linear_ticks(double low, double high, int wanted) {
  const double step = round_step((high - low) / std::max(wanted, 1));
  std::vector<double> values;
  const double first = std::ceil(low / step - kSlack), last = std::floor(high / step + kSlack);
  if (first + 1.0 == first) return {low};  // too narrow: doubles cannot count the ticks
  // Computed from the tick's index, so that we get 0.3, not 0.30000000000000004, and 0, not -0.
  const double inverse = std::round(1.0 / step);
  for (double i = first; i <= last; ++i) {
    values.push_back(step < 1.0 ? i / inverse + 0.0 : i * step + 0.0);
  }
  // An axis with one number says nothing, however short it is.
  constexpr int kMost = 5;
  if (values.size() < 2 && wanted < kMost) return linear_ticks(low, high, wanted + 1);
  return values;
}

// The given multiples of powers of ten that lie within the ends.
std::vector<double> decade_ticks(double low, double high, const std::vector<double>& factors,
                                 int every) {
  std::vector<double> values;
  const int last = static_cast<int>(std::floor(std::log10(high) + kSlack));
  for (int exponent = static_cast<int>(std::floor(std::log10(low))); exponent <= last; ++exponent) {
    if (exponent % every != 0) continue;
    for (const double factor : factors) {
      const double value = factor * power_of_ten(exponent);
      if (value >= low * (1.0 - kSlack) && value <= high * (1.0 + kSlack)) values.push_back(value);
    }
  }
  return values;
}

std::vector<double> logarithmic_ticks(double low, double high, int wanted) {
  const double decades = std::log10(high / low);
  if (decades < 0.5) return linear_ticks(low, high, wanted);
  const auto few = static_cast<std::size_t>(std::max(wanted, 2));
  auto values = decade_ticks(low, high, {1.0}, 1);
  if (values.size() < 3 && decades < 3.0) return decade_ticks(low, high, {1.0, 2.0, 5.0}, 1);
  for (int every = 2; values.size() > 2 * few; ++every) {
    values = decade_ticks(low, high, {1.0}, every);
  }
  return values;
}

std::vector<double> symmetric_ticks(double low, double high, double threshold, int wanted) {
  const double largest = std::max(std::abs(low), std::abs(high));
  const int decades = std::max(0, static_cast<int>(std::log10(largest / threshold) + kSlack));
  for (int every = 1;; ++every) {
    std::vector<double> values = {0.0};
    for (int i = 0; i <= decades; i += every) {
      const double value = threshold * power_of_ten(i);
      values.insert(values.begin(), -value);
      values.push_back(value);
    }
    std::erase_if(values, [&](double value) { return value < low || value > high; });
    if (values.size() <= 2 * static_cast<std::size_t>(std::max(wanted, 2))) return values;
  }
}

// The fewest digits after the point that show all values exactly, at most 6.
int digits_needed(const std::vector<double>& values, double unit) {
  int digits = 0;
  for (const double value : values) {
    for (int more = digits; more <= 6; ++more) {
      const double scaled = value / unit * std::pow(10.0, more);
      digits = more;
      if (std::abs(scaled - std::round(scaled)) <= 1e-6 * std::max(1.0, std::abs(scaled))) break;
    }
  }
  return digits;
}

std::string with_sign(double value, const std::string& magnitude) {
  return value < 0.0 ? "\u2212" + magnitude : magnitude;
}

std::string without_trailing_zeros(std::string decimals) {
  if (decimals.find('.') == std::string::npos) return decimals;
  while (decimals.back() == '0') decimals.pop_back();
  if (decimals.back() == '.') decimals.pop_back();
  return decimals;
}

// A single number: 0.01, 5, 2000, 20k, 1M. From `thousands` on it is written with k.
std::string lone_label(double value, double thousands = 1e4) {
  const double size = std::abs(value);
  if (size == 0.0) return "0";
  if (size >= 1e15 || size < 1e-4) {
    const double exponent = std::floor(std::log10(size) + kSlack);
    return with_sign(
        value, without_trailing_zeros(fmt::format("{:.2f}", size / std::pow(10.0, exponent))) +
                   fmt::format("e{:.0f}", exponent));
  }
  const auto [unit, suffix] = size >= 1e9         ? std::pair(1e9, "G")
                              : size >= 1e6       ? std::pair(1e6, "M")
                              : size >= thousands ? std::pair(1e3, "k")
                                                  : std::pair(1.0, "");
  return with_sign(value, without_trailing_zeros(fmt::format("{:.6f}", size / unit)) + suffix);
}

std::string seconds_label(double value) {
  const auto [unit, suffix] = value >= 1.0    ? std::pair(1.0, " s")
                              : value >= 1e-3 ? std::pair(1e-3, " ms")
                              : value >= 1e-6 ? std::pair(1e-6, " \u00b5s")
                                              : std::pair(1e-9, " ns");
  return without_trailing_zeros(fmt::format("{:.3f}", value / unit)) + suffix;
}

// Evenly spaced values are written with the same unit and number of digits.
bool evenly_spaced(const std::vector<double>& values) {
  for (std::size_t i = 2; i < values.size(); ++i) {
    const double step = values[1] - values[0];
    if (std::abs(values[i] - values[i - 1] - step) > 1e-6 * std::abs(step)) return false;
  }
  return values.size() > 1;
}

}  // namespace

void Range::add(double value) noexcept {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

Scale::Scale(Kind kind, Range range, double threshold) : kind_(kind), threshold_(threshold) {
  from_ = bent(range.low);
  to_ = bent(range.high);
}

Scale Scale::linear(Range range) { return {Kind::kLinear, widened_if_narrow(range), 1.0}; }

Scale Scale::logarithmic(Range range) {
  if (range.empty() || range.high <= 0.0) range = {.low = 1.0, .high = 10.0};
  if (range.low <= 0.0) range.low = range.high / 1e3;
  if (is_narrow(range)) range = {.low = range.low / 2.0, .high = range.high * 2.0};
  return {Kind::kLogarithmic, range, 1.0};
}

Scale Scale::symmetric(Range range, double threshold) {
  return {Kind::kSymmetric, widened_if_narrow(range), threshold > 0.0 ? threshold : 1.0};
}

Scale Scale::onto(double first, double last) const noexcept {
  Scale moved = *this;
  moved.first_ = first;
  moved.last_ = last;
  return moved;
}

Scale Scale::widened(double below, double above) const noexcept {
  Scale wider = *this;
  const double length = to_ - from_;
  wider.from_ -= below * length;
  wider.to_ += above * length;
  return wider;
}

double Scale::bent(double value) const noexcept {
  switch (kind_) {
    case Kind::kLogarithmic:
      return value > 0.0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
    case Kind::kSymmetric:
      return std::asinh(value / threshold_);
    case Kind::kLinear:
      break;
  }
  return value;
}

double Scale::straightened(double value) const noexcept {
  switch (kind_) {
    case Kind::kLogarithmic:
      return std::pow(10.0, value);
    case Kind::kSymmetric:
      return threshold_ * std::sinh(value);
    case Kind::kLinear:
      break;
  }
  return value;
}

double Scale::operator()(double value) const noexcept {
  if (!std::isfinite(value)) return std::numeric_limits<double>::quiet_NaN();
  return first_ + (bent(value) - from_) / (to_ - from_) * (last_ - first_);
}

double Scale::clamped(double value) const noexcept {
  if (std::isnan(value)) return value;
  return (*this)(std::clamp(value, low(), high()));
}

double Scale::low() const noexcept { return straightened(from_); }
double Scale::high() const noexcept { return straightened(to_); }

std::vector<double> tick_values(const Scale& scale, int wanted) {
  const double low = scale.low(), high = scale.high();
  switch (scale.kind_) {
    case Scale::Kind::kLogarithmic:
      return logarithmic_ticks(low, high, wanted);
    case Scale::Kind::kSymmetric:
      return symmetric_ticks(low, high, scale.threshold_, wanted);
    case Scale::Kind::kLinear:
      break;
  }
  return linear_ticks(low, high, wanted);
}

std::vector<double> minor_tick_values(const Scale& scale) {
  if (!scale.is_logarithmic() || std::log10(scale.high() / scale.low()) > 8.0) return {};
  return decade_ticks(scale.low(), scale.high(), {2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0}, 1);
}

std::vector<std::string> tick_labels(const std::vector<double>& values, Unit unit) {
  std::vector<std::string> labels;
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  if (unit == Unit::kSeconds) {
    std::ranges::transform(values, std::back_inserter(labels), seconds_label);
  } else if (evenly_spaced(values) && largest >= 1e-3 && largest < 1e12) {
    const auto [size, suffix] = largest >= 1e9   ? std::pair(1e9, "G")
                                : largest >= 1e6 ? std::pair(1e6, "M")
                                : largest >= 1e4 ? std::pair(1e3, "k")
                                                 : std::pair(1.0, "");
    const int digits = digits_needed(values, size);
    for (const double value : values) {
      const std::string magnitude =
          fmt::format("{:.{}f}{}", std::abs(value) / size, digits, suffix);
      labels.push_back(value == 0.0 ? "0" : with_sign(value, magnitude));
    }
  } else {
    // Next to 10k, write 2000 as 2k.
    for (const double value : values) {
      labels.push_back(lone_label(value, largest >= 1e4 ? 1e3 : 1e4));
    }
  }
  return labels;
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "\u2013";
  if (value == 0.0) return "0";
  const double power = std::pow(10.0, 2.0 - std::floor(std::log10(std::abs(value))));
  return lone_label(std::round(value * power) / power);
}

}  // namespace sau::detail
