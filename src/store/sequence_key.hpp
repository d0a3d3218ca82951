#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sau::detail {

// A number as 8 bytes that sort like the number: big-endian.
using SequenceKey = std::array<char, sizeof(std::uint64_t)>;

inline SequenceKey key_of(std::uint64_t number) {
  SequenceKey key;
  for (std::size_t i = 0; i < key.size(); ++i) {
    key[i] = static_cast<char>(number >> (8 * (key.size() - 1 - i)));
  }
  return key;
}
inline std::string sortable(std::uint64_t number) {
  const SequenceKey key = key_of(number);
  return {key.begin(), key.end()};
}
inline std::uint64_t number_of(std::string_view key) {
  std::uint64_t number = 0;
  for (const char each : key) number = number << 8 | static_cast<unsigned char>(each);
  return number;
}

}  // namespace sau::detail
