#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sau/core/types.hpp"

namespace sau::python {

namespace py = pybind11;

// Numbers, contiguous and aligned.
using Doubles = py::array_t<double, py::array::c_style>;

// Sets `out` to the array's own numbers if it can be used as it is: one dimension, float64,
// contiguous. Otherwise returns false; nothing is converted and no error is set.
bool is_plain_row(PyObject* object, std::span<const double>& out) noexcept;

// The numbers of anything that NumPy can turn into an array, as contiguous float64: the array
// itself if it is that already, else a copy. Throws UsageError, naming `what`, for text, objects,
// complex numbers, masked and sparse arrays.
Doubles doubles_of(py::handle object, const char* what);

// One context; None is an empty one. Holds a copy if one had to be made.
class ContextArgument {
 public:
  explicit ContextArgument(PyObject* object) {
    if (object == nullptr || object == Py_None || is_plain_row(object, row_)) return;
    convert(object);
  }
  Context get() const noexcept { return row_; }

 private:
  void convert(PyObject* object);

  Context row_;
  std::optional<Doubles> copy_;  // optional, since even an empty array is a call to NumPy
};

// Contexts as rows. Throws UsageError if it is not a matrix.
class Matrix {
 public:
  Matrix(py::handle object, const char* what);

  std::size_t rows() const noexcept { return rows_; }
  std::size_t columns() const noexcept { return columns_; }
  std::span<const double> row(std::size_t i) const noexcept {
    return {data_ + i * columns_, columns_};
  }
  const Doubles& array() const noexcept { return array_; }

  // Throws UsageError unless every row has `dim` numbers, all of them finite.
  void check(std::size_t dim) const;

 private:
  Doubles array_;
  std::size_t rows_ = 0, columns_ = 0;
  const double* data_ = nullptr;
};

// Numbers, one per row. Throws UsageError otherwise.
Doubles column_of(py::handle object, std::size_t rows, const char* what);

// Whole numbers below `limit`, one per row. Throws UsageError otherwise.
std::vector<Action> actions_of(py::handle object, std::size_t rows, Action limit, const char* what);

// Throws UsageError, naming the row, unless every reward is in the range.
void check_rewards(std::span<const double> rewards, const RewardRange& range);

inline std::span<const double> span_of(const Doubles& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

}  // namespace sau::python
