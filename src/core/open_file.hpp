#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

namespace sau::detail {

// A file or folder that is open for reading. It is closed at the end.
class OpenFile {
 public:
  // If it cannot be opened, number() is -1, and errno says why.
  explicit OpenFile(const std::filesystem::path& path, int flags = 0)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags)) {}
  OpenFile(OpenFile&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile() {
    if (number_ >= 0) ::close(number_);
  }

  int number() const noexcept { return number_; }

 private:
  int number_;
};

}  // namespace sau::detail
