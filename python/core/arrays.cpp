#include "arrays.hpp"

#include <cmath>
#include <limits>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau::python {
namespace {

using py::detail::npy_api;

// "(3, 4)"
std::string shape_of(const py::array& array) { return py::str(array.attr("shape")); }

std::string type_name(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }

bool is_numeric(char kind) { return kind == 'f' || kind == 'i' || kind == 'u' || kind == 'b'; }

}  // namespace

bool is_plain_row(PyObject* object, std::span<const double>& out) noexcept {
  // Looked up once: asking NumPy for its types takes longer than the rest.
  static PyTypeObject* const kArray = npy_api::get().PyArray_Type_;
  static PyObject* const kDouble = py::dtype::of<double>().release().ptr();
  if (Py_TYPE(object) != kArray) return false;
  const auto* array = py::detail::array_proxy(object);
  if (array->nd != 1 || array->descr != kDouble ||
      (array->flags & npy_api::NPY_ARRAY_ALIGNED_) == 0) {
    return false;
  }
  const py::ssize_t size = array->dimensions[0];
  if (size > 1 && array->strides[0] != static_cast<py::ssize_t>(sizeof(double))) return false;
  out = {reinterpret_cast<const double*>(array->data), static_cast<std::size_t>(size)};
  return true;
}

Doubles doubles_of(py::handle object, const char* what) {
  if (py::isinstance<py::array>(object) && py::hasattr(object, "mask")) {
    if (py::bool_(object.attr("mask").attr("any")())) {
      throw UsageError(std::string(what) + ": the array has masked elements; fill or drop them");
    }
  } else if (py::hasattr(object, "toarray")) {
    throw UsageError(std::string(what) + ": expected a dense array, found a sparse " +
                     type_name(object) + "; pass its toarray()");
  }
  const py::array array = py::array::ensure(object);
  if (!array) {
    throw UsageError(std::string(what) + ": expected an array of numbers, found a " +
                     type_name(object) + " that NumPy cannot turn into an array");
  }
  if (!is_numeric(array.dtype().kind())) {
    throw UsageError(std::string(what) + ": expected numbers, found dtype " +
                     std::string(py::str(array.dtype())));
  }
  const auto numbers =
      py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!numbers) throw py::error_already_set();
  // Contiguous, but not aligned: numbers from a packed record, for example.
  if ((numbers.flags() & npy_api::NPY_ARRAY_ALIGNED_) == 0) {
    return Doubles(numbers.attr("copy")());
  }
  return Doubles(numbers);
}

void ContextArgument::convert(PyObject* object) {
  const Doubles& numbers = copy_.emplace(doubles_of(object, "context"));
  if (numbers.ndim() != 1) {
    const char* hint = numbers.ndim() == 2 ? "; choose_batch() takes many at once" : "";
    throw UsageError("context: expected one dimension, found an array of shape " +
                     shape_of(numbers) + hint);
  }
  row_ = span_of(numbers);
}

Matrix::Matrix(py::handle object, const char* what) : array_(doubles_of(object, what)) {
  if (array_.ndim() != 2) {
    throw UsageError(std::string(what) + ": expected two dimensions, one row per context, found " +
                     "an array of shape " + shape_of(array_));
  }
  rows_ = static_cast<std::size_t>(array_.shape(0));
  columns_ = static_cast<std::size_t>(array_.shape(1));
  data_ = array_.data();
}

void Matrix::check(std::size_t dim) const {
  if (columns_ != dim) {
    throw UsageError("the contexts have " + std::to_string(columns_) + " numbers, expected " +
                     std::to_string(dim));
  }
  // Branch-free, so the compiler vectorises it. If a number is wrong, the second loop finds it.
  unsigned wrong = 0;
  for (std::size_t i = 0; i < rows_ * columns_; ++i) {
    wrong |= std::abs(data_[i]) <= std::numeric_limits<double>::max() ? 0U : 1U;
  }
  if (wrong == 0) return;
  for (std::size_t i = 0; i < rows_; ++i) {
    const auto x = row(i);
    for (std::size_t j = 0; j < dim; ++j) {
      if (std::isfinite(x[j])) continue;
      throw UsageError("row " + std::to_string(i) + ": the context's number " + std::to_string(j) +
                       " is not finite");
    }
  }
}

Doubles column_of(py::handle object, std::size_t rows, const char* what) {
  Doubles numbers = doubles_of(object, what);
  if (numbers.ndim() != 1 || static_cast<std::size_t>(numbers.size()) != rows) {
    throw UsageError(std::string(what) + ": expected one number for each of " +
                     std::to_string(rows) + " contexts, found an array of shape " +
                     shape_of(numbers));
  }
  return numbers;
}

std::vector<Action> actions_of(py::handle object, std::size_t rows, Action limit,
                               const char* what) {
  const Doubles numbers = column_of(object, rows, what);
  std::vector<Action> actions;
  actions.reserve(rows);
  for (const double number : span_of(numbers)) {
    if (!(number >= 0.0 && number < limit) || number != std::floor(number)) {
      throw UsageError("row " + std::to_string(actions.size()) + ": action " +
                       format_number(number) + " is not one of 0 to " + std::to_string(limit - 1));
    }
    actions.push_back(static_cast<Action>(number));
  }
  return actions;
}

void check_rewards(std::span<const double> rewards, const RewardRange& range) {
  for (std::size_t i = 0; i < rewards.size(); ++i) {
    if (range.contains(rewards[i])) continue;  // NaN is in no range
    throw UsageError("row " + std::to_string(i) + ": reward " + format_number(rewards[i]) +
                     " is not allowed; the agent learns from rewards from " +
                     format_number(range.min) + " to " + format_number(range.max));
  }
}

}  // namespace sau::python
