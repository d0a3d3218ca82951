#pragma once

#include <limits>
#include <string>
#include <vector>

namespace sau::detail {

// The smallest and the largest finite number that was added.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) noexcept;
  bool empty() const noexcept { return low > high; }
};

// Maps numbers to coordinates along one axis.
class Scale {
 public:
  // A range that is empty or a single number is widened, so that every figure has an axis.
  static Scale linear(Range range);
  // Has no coordinate for numbers that are not positive.
  static Scale logarithmic(Range range);
  // Linear within `threshold` of 0, logarithmic further out: asinh(v / threshold).
  static Scale symmetric(Range range, double threshold);

  // The same scale with the ends of the range at these coordinates.
  Scale onto(double first, double last) const noexcept;
  // Adds room at each end, as a share of the length.
  Scale widened(double below, double above) const noexcept;

  // NaN if the value has no coordinate. May lie beyond the ends.
  double operator()(double value) const noexcept;
  // Clamped to the ends, for values that may lie beyond, such as an interval on a logarithmic axis.
  double clamped(double value) const noexcept;

  double low() const noexcept;
  double high() const noexcept;
  bool is_logarithmic() const noexcept { return kind_ == Kind::kLogarithmic; }

 private:
  friend std::vector<double> tick_values(const Scale& scale, int wanted);
  enum class Kind { kLinear, kLogarithmic, kSymmetric };
  Scale(Kind kind, Range range, double threshold);
  double bent(double value) const noexcept;
  double straightened(double value) const noexcept;

  Kind kind_;
  double threshold_;
  double from_ = 0.0, to_ = 1.0;     // the ends, transformed
  double first_ = 0.0, last_ = 1.0;  // their coordinates
};

// Ticks with labels: about `wanted` multiples of 1, 2 or 5 times a power of ten. On a logarithmic
// axis powers of ten, and if there are few also 2 and 5 times them.
std::vector<double> tick_values(const Scale& scale, int wanted);

// Grid lines without labels: 2 to 9 times the powers of ten, on a logarithmic axis only.
std::vector<double> minor_tick_values(const Scale& scale);

enum class Unit { kNumber, kSeconds };

// Labels in one common style: 0, 500, 1000, or 20k, 40k, or 1 ms, 10 ms.
std::vector<std::string> tick_labels(const std::vector<double>& values, Unit unit = Unit::kNumber);

// A number with three digits, for text in a figure: 0.0123, 12.3, 1230, 12.3k.
std::string short_number(double value);

}  // namespace sau::detail
