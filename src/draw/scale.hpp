#pragma once

#include <limits>
#include <string>
#include <vector>

namespace sau::detail {

// The least and the largest of the finite numbers that it was shown.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) noexcept;
  bool empty() const noexcept { return low > high; }
};

// From numbers to places on paper, along one axis.
class Scale {
 public:
  // Each takes a range of numbers; one that is empty or a single number is widened, so that every
  // figure has an axis.
  static Scale linear(Range range);
  // What is not positive has no place on it.
  static Scale logarithmic(Range range);
  // Linear within `threshold` of 0, logarithmic further out: asinh(v / threshold).
  static Scale symmetric(Range range, double threshold);

  // Puts the ends of the range at these places.
  Scale onto(double first, double last) const noexcept;
  // Adds room at both ends, as a share of the length.
  Scale widened(double below, double above) const noexcept;

  // NaN for what has no place; may lie beyond the ends.
  double operator()(double value) const noexcept;
  // Within the ends, for what may stick out: an interval on a logarithmic axis, say.
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
  double from_ = 0.0, to_ = 1.0;     // the ends, bent
  double first_ = 0.0, last_ = 1.0;  // their places
};

// Where numbers are written: multiples of 1, 2 or 5 times a power of ten, about `wanted` of them;
// on a logarithmic axis powers of ten, and with few of these 1, 2 and 5 times them.
std::vector<double> tick_values(const Scale& scale, int wanted);

// Where only a line is drawn: 2 to 9 times the powers of ten of a logarithmic axis.
std::vector<double> minor_tick_values(const Scale& scale);

enum class Unit { kNumber, kSeconds };

// As they are written beside each other: 0, 500, 1000, or 20k, 40k, or 1 ms, 10 ms.
std::vector<std::string> tick_labels(const std::vector<double>& values, Unit unit = Unit::kNumber);

// A number in the running text of a figure, to three digits: 0.0123, 12.3, 1230, 12.3k.
std::string short_number(double value);

}  // namespace sau::detail
