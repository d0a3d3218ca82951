#include "features.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>

#include "arrays.hpp"
#include "sau/core/error.hpp"

namespace sau::python {
namespace {

// The limits of a request to the service.
constexpr std::size_t kMaxDepth = 3, kMaxFeatures = 100'000;

constexpr std::string_view kIdKey = "id", kFeaturesKey = "features";

[[noreturn]] void refuse_feature(const FeaturePlace& place, std::string_view what) {
  throw UsageError(fmt::format("{}: {}", place.text(), what));
}

std::string name_of_type(PyObject* object) { return Py_TYPE(object)->tp_name; }

// Keeps a value alive while the caller's code may run and drop it.
py::object held(PyObject* object) { return py::reinterpret_borrow<py::object>(object); }

bool is_number(PyObject* value) {
  return PyFloat_Check(value) || (PyLong_Check(value) && !PyBool_Check(value));
}

double number_of(PyObject* value, const FeaturePlace& place) {
  if (PyFloat_CheckExact(value)) return PyFloat_AS_DOUBLE(value);
  const double number = PyFloat_AsDouble(value);
  if (number != -1.0 || PyErr_Occurred() == nullptr) return number;
  if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) throw py::error_already_set();
  PyErr_Clear();
  refuse_feature(place, "the number is too large; expected a number within +-3.4e38");
}

bool is_list(PyObject* value) { return PyList_Check(value) || PyTuple_Check(value); }

// Whether read_value() can read it without conversion.
bool is_native(PyObject* value) {
  return PyUnicode_Check(value) || is_number(value) || value == Py_None || PyBool_Check(value) ||
         PyDict_Check(value) || is_list(value);
}

bool is_other_mapping(PyObject* value) {
  return PyMapping_Check(value) != 0 && PyObject_HasAttrString(value, "keys") != 0;
}

// Converts a value that is not native: NumPy's arrays and numbers, decimals, and mappings that are
// not a dict.
py::object native_of(PyObject* value, const FeaturePlace& place) {
  if (PyObject_HasAttrString(value, "dtype") != 0 && PyObject_HasAttrString(value, "tolist") != 0) {
    py::object plain = py::handle(value).attr("tolist")();
    if (is_native(plain.ptr())) return plain;
  }
  if (is_other_mapping(value)) return py::dict(held(value));
  const PyNumberMethods* numeric = Py_TYPE(value)->tp_as_number;
  if (numeric != nullptr && numeric->nb_float != nullptr) {
    return py::float_(number_of(value, place));
  }
  refuse_feature(place, fmt::format("expected a text, a number, True, False, None, a list or a "
                                    "dictionary, found {}",
                                    name_of_type(value)));
}

void check_depth(std::size_t depth, const FeaturePlace& place) {
  if (depth <= kMaxDepth) return;
  refuse_feature(place, fmt::format("features are nested deeper than {}", kMaxDepth));
}

// Calls f(item, index) for each element of a list or tuple, which f may change meanwhile.
template <class F>
void for_elements(PyObject* list, F&& f) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); ++i) {
    const py::object item = held(PySequence_Fast_GET_ITEM(list, i));
    f(item.ptr(), static_cast<std::size_t>(i));
  }
}

// Calls f(name, value, place of the value) for each entry of a dictionary.
template <class F>
void for_entries(PyObject* dictionary, const FeaturePlace& place, F&& f) {
  Py_ssize_t position = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  while (PyDict_Next(dictionary, &position, &key, &value) != 0) {
    const py::object name = held(key), kept = held(value);
    if (!PyUnicode_Check(key)) {
      refuse_feature(place, fmt::format("the key {} is not a text; expected the name of a feature",
                                        std::string(py::repr(name))));
    }
    const std::string_view text = utf8_of(key, place);
    f(text, value, FeaturePlace{.outer = &place, .name = text});
  }
}

}  // namespace

std::string FeaturePlace::text() const {
  constexpr std::size_t kShown = 64;  // bytes of a key
  if (outer == nullptr && index == kNoIndex) return std::string(name);
  if (outer == nullptr) return fmt::format("{}[{}]", name, index);
  return fmt::format("{}.{}", outer->text(), name.substr(0, kShown));
}

std::string_view utf8_of(PyObject* text, const FeaturePlace& place) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes != nullptr) return {bytes, static_cast<std::size_t>(size)};
  if (PyErr_ExceptionMatches(PyExc_UnicodeError) == 0) throw py::error_already_set();
  PyErr_Clear();
  refuse_feature(place, "a text is not valid Unicode");
}

void DictionaryReader::read(PyObject* given, std::uint64_t side, const FeaturePlace& place) {
  if (given == nullptr || given == Py_None) return;
  const FeatureHash space(side);
  if (PyDict_Check(given)) return read_dictionary(given, space, place, 1);
  if (is_other_mapping(given)) {
    return read_dictionary(py::dict(held(given)).ptr(), space, place, 1);
  }
  const auto refuse = [&place](PyObject* found) {
    refuse_feature(place, fmt::format("expected a dictionary of features, or a list of them, found "
                                      "{}",
                                      name_of_type(found)));
  };
  if (!is_list(given)) refuse(given);
  for_elements(given, [&](PyObject* item, std::size_t) {
    if (!PyDict_Check(item)) refuse(item);
    read_dictionary(item, space, place, 1);
  });
}

void DictionaryReader::read_action(PyObject* action, const FeaturePlace& place) {
  const FeatureHash space(detail::kActionSide);
  for_entries(action, place,
              [&](std::string_view name, PyObject* value, const FeaturePlace& inner) {
                if (name == kIdKey) return;
                if (name == kFeaturesKey) return read(value, detail::kActionSide, inner);
                read_value(value, space, inner, 1);
              });
}

void DictionaryReader::read_dictionary(PyObject* dictionary, const FeatureHash& space,
                                       const FeaturePlace& place, std::size_t depth) {
  check_depth(depth, place);
  for_entries(dictionary, place, [&](std::string_view, PyObject* value, const FeaturePlace& inner) {
    read_value(value, space, inner, depth);
  });
}

void DictionaryReader::read_value(PyObject* value, const FeatureHash& space,
                                  const FeaturePlace& place, std::size_t depth) {
  const std::string_view name = place.name;
  if (PyUnicode_Check(value)) return add(space.indicator(name, utf8_of(value, place)), 1.0, place);
  if (is_number(value)) return add(space.number(name), number_of(value, place), place);
  if (value == Py_None) return;
  if (PyBool_Check(value)) {
    return add(space.indicator(name, value == Py_True ? "true" : "false"), 1.0, place);
  }
  if (PyDict_Check(value)) return read_dictionary(value, space.with(name), place, depth + 1);
  if (is_list(value)) return read_list(value, space, place, depth + 1);
  std::span<const double> row;
  if (!is_plain_row(value, row)) {
    return read_value(native_of(value, place).ptr(), space, place, depth);
  }
  check_depth(depth + 1, place);
  for (std::size_t i = 0; i < row.size(); ++i) add(space.element(name, i), row[i], place);
}

void DictionaryReader::read_list(PyObject* list, const FeatureHash& space,
                                 const FeaturePlace& place, std::size_t depth) {
  check_depth(depth, place);
  for_elements(list, [&](PyObject* item, std::size_t index) {
    const py::object native = is_native(item) ? held(item) : native_of(item, place);
    if (is_number(native.ptr())) {
      add(space.element(place.name, index), number_of(native.ptr(), place), place);
    } else {
      read_value(native.ptr(), space, place, depth);
    }
  });
}

void DictionaryReader::add(std::uint64_t hash, double value, const FeaturePlace& place) {
  if (!(std::abs(value) <= std::numeric_limits<float>::max())) {
    refuse_feature(place,
                   fmt::format("the number is {}; expected a number within +-3.4e38", value));
  }
  if (out_.size() >= kMaxFeatures) {
    refuse_feature(place, fmt::format("more than {} features in one call", kMaxFeatures));
  }
  // A zero contributes nothing and would cost as much as any other number.
  if (value != 0.0) out_.push_back({hash, static_cast<float>(value)});
}

}  // namespace sau::python
