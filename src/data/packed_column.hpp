#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <variant>
#include <vector>

#include "sau/core/error.hpp"

namespace sau::detail {

// How a number is stored: the narrowest kind that holds every value of a column exactly.
enum class Storage : std::uint8_t { kU8, kI16, kF32, kF64 };

constexpr std::size_t size_of(Storage storage) {
  constexpr std::size_t kSizes[] = {1, 2, 4, 8};
  return kSizes[static_cast<std::size_t>(storage)];
}

// Loads a number from an address of any alignment.
template <class T>
double load_as(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<double>(value);
}

inline double load_number(Storage storage, const char* from) {
  switch (storage) {
    case Storage::kU8:
      return load_as<std::uint8_t>(from);
    case Storage::kI16:
      return load_as<std::int16_t>(from);
    case Storage::kF32:
      return load_as<float>(from);
    case Storage::kF64:
      break;
  }
  return load_as<double>(from);
}

// Finite numbers, stored as narrow as they allow. The column widens when a value needs it.
class PackedColumn {
 public:
  void push(double value) {
    while (!std::visit([&](auto& cells) { return push_to(cells, value); }, cells_)) widen();
  }

  std::size_t size() const {
    return std::visit([](const auto& cells) { return cells.size(); }, cells_);
  }
  double operator[](std::size_t row) const {
    return std::visit([&](const auto& cells) { return static_cast<double>(cells[row]); }, cells_);
  }
  Storage storage() const { return static_cast<Storage>(cells_.index()); }

  // size() numbers of storage(), side by side.
  const char* bytes() const {
    return std::visit([](const auto& cells) { return reinterpret_cast<const char*>(cells.data()); },
                      cells_);
  }

 private:
  template <class T>
  static bool push_to(std::vector<T>& cells, double value) {
    // A double beyond T's range may not be converted to it.
    constexpr double kLow = std::is_same_v<T, std::uint8_t>   ? 0.0
                            : std::is_same_v<T, std::int16_t> ? -32768.0
                            : std::is_same_v<T, float>        ? -3e38
                                                              : -1.7e308;
    constexpr double kHigh = std::is_same_v<T, std::uint8_t>   ? 255.0
                             : std::is_same_v<T, std::int16_t> ? 32767.0
                             : std::is_same_v<T, float>        ? 3e38
                                                               : 1.7e308;
    if (!(kLow <= value && value <= kHigh)) {
      SAU_ASSERT((!std::is_same_v<T, double>), "only finite numbers are stored");
      return false;
    }
    const auto narrow = static_cast<T>(value);
    if (static_cast<double>(narrow) != value) return false;
    cells.push_back(narrow);
    return true;
  }

  template <class To>
  void widen_to() {
    cells_ = std::visit(
        [](const auto& cells) { return std::vector<To>(cells.begin(), cells.end()); }, cells_);
  }
  void widen() {
    switch (storage()) {
      case Storage::kU8:
        return widen_to<std::int16_t>();
      case Storage::kI16:
        return widen_to<float>();
      default:
        return widen_to<double>();
    }
  }

  std::variant<std::vector<std::uint8_t>, std::vector<std::int16_t>, std::vector<float>,
               std::vector<double>>
      cells_;
};

}  // namespace sau::detail
