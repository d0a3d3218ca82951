#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/error.hpp"
#include "sau/core/rng.hpp"

namespace sau {

namespace detail {

// The floating-point type that T consists of; no Type if it is something else.
template <class T>
struct ScalarOf {};
template <>
struct ScalarOf<float> {
  using Type = float;
};
template <>
struct ScalarOf<double> {
  using Type = double;
};
template <class T, std::size_t N>
struct ScalarOf<std::array<T, N>> : ScalarOf<T> {};

}  // namespace detail

// Learned state as bytes. A component describes its state once, for both directions:
//     static void state(auto& self, auto&& field) { field("mean", self.mean_); }
// A field is its name, its length in bytes and its little-endian contents. Reading requires the
// same names in the same order with the same sizes; anything else is an error.
class StateWriter {
 public:
  // A field that is an array of floating-point numbers, and where it is in the bytes.
  struct NumberField {
    std::string name;
    bool single = false;  // float, not double
    std::size_t start = 0, count = 0;
  };

  template <class T>
  void operator()(std::string_view name, const T& value) {
    text(name);
    put(value);
    if constexpr (requires { typename detail::ScalarOf<typename T::value_type>::Type; }) {
      using Scalar = typename detail::ScalarOf<typename T::value_type>::Type;
      const std::size_t size = value.size() * sizeof(typename T::value_type);
      numbers_.push_back({std::string(name), sizeof(Scalar) == sizeof(float), bytes_.size() - size,
                          size / sizeof(Scalar)});
    }
  }

  const std::string& bytes() const noexcept { return bytes_; }
  const std::vector<NumberField>& numbers() const noexcept { return numbers_; }

 private:
  template <class T>
  void number(T value) {
    static_assert(std::endian::native == std::endian::little, "state is stored little-endian");
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void text(std::string_view value) {
    number(static_cast<std::uint64_t>(value.size()));
    bytes_.append(value);
  }

  template <class T>
  requires std::is_arithmetic_v<T>
  void put(T value) {
    number(static_cast<std::uint64_t>(sizeof(T)));
    number(value);
  }
  template <class T, class A>
  void put(const std::vector<T, A>& values) {
    const std::size_t size = values.size() * sizeof(T);
    number(static_cast<std::uint64_t>(size));
    bytes_.append(reinterpret_cast<const char*>(values.data()), size);
  }
  void put(const std::string& text) {
    number(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
  }
  void put(const Rng& rng) {
    const Stream& stream = rng.stream();
    put(std::vector<std::uint64_t>{stream.seed, stream.trial, stream.scope,
                                   static_cast<std::uint64_t>(stream.role), rng.position()});
  }

  std::string bytes_;
  std::vector<NumberField> numbers_;
};

struct FieldSize {
  std::string name;
  std::uint64_t bytes = 0;
};

class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void operator()(std::string_view name, T& value) {
    expect(name);
    get(name, value);
  }

  // A field of any length.
  template <class T>
  std::vector<T> take_vector(std::string_view name) {
    const std::string_view from = take_named(name);
    if (from.size() % sizeof(T) != 0) {
      throw Error("the field '" + std::string(name) + "' has " + std::to_string(from.size()) +
                  " bytes, expected a multiple of " + std::to_string(sizeof(T)));
    }
    std::vector<T> values(from.size() / sizeof(T));
    if (!from.empty()) std::memcpy(values.data(), from.data(), from.size());
    return values;
  }
  std::string take_string(std::string_view name) { return std::string(take_named(name)); }

  // Skips a field. Returns its name and the size of its contents.
  FieldSize skip() {
    FieldSize field{.name = std::string(take(length("name"), "name")), .bytes = 0};
    field.bytes = length(field.name);
    take(field.bytes, field.name);
    return field;
  }

  // Bytes not read yet.
  std::uint64_t left() const noexcept { return bytes_.size(); }

  // Call it after reading the last field.
  void finish() const {
    if (!bytes_.empty()) throw Error(std::to_string(bytes_.size()) + " bytes are left over");
  }

 private:
  std::string_view take(std::uint64_t size, std::string_view name) {
    if (size > bytes_.size()) throw Error("it ends inside the field '" + std::string(name) + "'");
    const std::string_view part = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return part;
  }
  void expect(std::string_view name) {
    const std::string_view found = take(length(name), name);
    if (found != name) {
      throw Error("expected the field '" + std::string(name) + "', found '" + std::string(found) +
                  "'");
    }
  }
  std::string_view take_named(std::string_view name) {
    expect(name);
    return take(length(name), name);
  }
  std::uint64_t length(std::string_view name) {
    std::uint64_t size = 0;
    std::memcpy(&size, take(sizeof size, name).data(), sizeof size);
    return size;
  }
  void fill(std::string_view name, void* to, std::uint64_t size) {
    const std::uint64_t found = length(name);
    if (found != size) {
      throw Error("the field '" + std::string(name) + "' has " + std::to_string(found) +
                  " bytes, expected " + std::to_string(size));
    }
    const std::string_view from = take(size, name);
    if (size > 0) std::memcpy(to, from.data(), size);
  }

  template <class T>
  requires std::is_arithmetic_v<T>
  void get(std::string_view name, T& value) { fill(name, &value, sizeof(T)); }
  template <class T, class A>
  void get(std::string_view name, std::vector<T, A>& values) {
    fill(name, values.data(), values.size() * sizeof(T));
  }
  void get(std::string_view name, Rng& rng) {
    std::vector<std::uint64_t> words(5);
    get(name, words);
    rng = Rng(Stream{words[0], words[1], words[2], static_cast<Role>(words[3])}, words[4]);
  }

  std::string_view bytes_;
};

}  // namespace sau
