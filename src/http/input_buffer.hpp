#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace sau::detail {

// Bytes that were received and are not used yet, in one piece.
class InputBuffer {
 public:
  std::string_view bytes() const noexcept { return {bytes_.data() + begin_, end_ - begin_}; }
  bool empty() const noexcept { return begin_ == end_; }

  // Where the next bytes go; valid until the next call.
  std::span<char> room() {
    if (bytes_.size() - end_ < kRoom) {
      std::copy(bytes_.data() + begin_, bytes_.data() + end_, bytes_.data());
      end_ -= begin_;
      begin_ = 0;
      if (bytes_.size() - end_ < kRoom) bytes_.resize(end_ + kRoom);
    }
    return {bytes_.data() + end_, bytes_.size() - end_};
  }
  void came(std::size_t size) noexcept { end_ += size; }
  void used(std::size_t size) noexcept {
    begin_ += size;
    if (begin_ == end_) begin_ = end_ = 0;
  }

 private:
  static constexpr std::size_t kRoom = 16'384;

  std::vector<char> bytes_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace sau::detail
