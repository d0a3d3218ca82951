#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "sau/core/error.hpp"

namespace sau::detail {

// A new file that goes to the disk while it is written, not all at once at the end. On ext4 any
// sync also waits for the data of other files that got their place on the disk meanwhile. A
// gigabyte that is written out at once, for example because one file is renamed over another, would
// delay the service's own syncs (0.2 to 0.6 s were measured).
class GradualFile {
 public:
  // `flags`: O_TRUNC or O_EXCL. Throws Error, as do the others.
  GradualFile(std::filesystem::path path, int flags)
      : path_(std::move(path)),
        descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644)) {
    if (descriptor_ < 0) fail(errno);
  }
  GradualFile(const GradualFile&) = delete;
  GradualFile& operator=(const GradualFile&) = delete;
  ~GradualFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(errno);
      size_ += written;
      bytes.remove_prefix(static_cast<std::size_t>(written));
      if (size_ - begun_ >= kStep) push_out();
    }
  }

  // Syncs and closes it.
  void finish() {
    if (::fsync(descriptor_) != 0) fail(errno);
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  }

 private:
  static constexpr off_t kStep = 4 << 20;

  // Begins to write what is new, and waits for what was begun earlier, so that at most two steps
  // are under way. If the file system cannot do this, finish() writes everything.
  void push_out() noexcept {
    ::sync_file_range(descriptor_, begun_, size_ - begun_, SYNC_FILE_RANGE_WRITE);
    ::sync_file_range(
        descriptor_, waited_, begun_ - waited_,
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    waited_ = std::exchange(begun_, size_);
  }

  [[noreturn]] void fail(int code) const {
    throw Error(path_.string() + ": cannot be written: " + std::strerror(code));
  }

  std::filesystem::path path_;
  int descriptor_;
  off_t size_ = 0, begun_ = 0, waited_ = 0;  // written by us, handed to the disk, on the disk
};

}  // namespace sau::detail
