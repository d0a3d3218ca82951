#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace sau::detail {

static_assert(std::endian::native == std::endian::little, "records are stored little-endian");

class ByteWriter {
 public:
  // Appends to `bytes`.
  explicit ByteWriter(std::string& bytes) : bytes_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_.append(text);
  }
  void reserve(std::size_t size) { bytes_.reserve(size); }
  std::string& bytes() noexcept { return bytes_; }

 private:
  std::string& bytes_;
};

// Reading beyond the end gives zeros and is remembered.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T take() {
    T value{};
    if (sizeof value > bytes_.size()) {
      good_ = false;
      return value;
    }
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  std::string_view take_text() { return take_bytes(take<std::uint32_t>()); }
  std::string_view take_bytes(std::size_t size) {
    if (size > bytes_.size()) {
      good_ = false;
      return {};
    }
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  bool good() const noexcept { return good_; }  // nothing was missing
  std::size_t left() const noexcept { return bytes_.size(); }
  // Nothing was missing and nothing is left.
  bool finished() const noexcept { return good_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool good_ = true;
};

}  // namespace sau::detail
