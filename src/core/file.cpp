#include "sau/core/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "core/open_file.hpp"
#include "sau/core/error.hpp"

namespace sau {
namespace {

[[noreturn]] void fail(const char* what, const std::filesystem::path& path, int code) {
  throw Error(std::string("cannot ") + what + " " + path.string() + ": " + std::strerror(code));
}

// A name that no other call uses, in this process or another: the process id, and ten digits that
// count the calls.
std::string temporary_name(const std::filesystem::path& target) {
  static std::atomic<std::uint32_t> calls = 0;
  const std::string count = std::to_string(calls++);
  return target.string() + ".tmp" + std::to_string(::getpid()) +
         std::string(10 - count.size(), '0') + count;
}

// The destructor closes the file, and removes it unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target)
      : path_(temporary_name(target)),
        file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (file_ < 0) fail("write", target, errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (file_ >= 0) ::close(file_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  const std::string& path() const noexcept { return path_; }

  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::fsync(file_) == 0;
  }

  bool rename(const std::filesystem::path& target) {
    const int file = file_;
    file_ = -1;
    if (::close(file) != 0 || ::rename(path_.c_str(), target.c_str()) != 0) return false;
    path_.clear();
    return true;
  }

 private:
  std::string path_;
  int file_;
};

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) noexcept {
  // zlib takes a null pointer as a request for the initial value.
  if (bytes.empty()) return before;
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(::crc32_z(before, data, bytes.size()));
}

std::string read_file(const std::filesystem::path& path) {
  const detail::OpenFile file(path);
  if (file.number() < 0) fail("read", path, errno);
  std::string bytes;
  std::array<char, 1 << 16> block;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  for (;;) {
    const ssize_t got = ::read(file.number(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path, errno);
    if (got == 0) break;
    bytes.append(block.data(), static_cast<std::size_t>(got));
  }
  return bytes;
}

void write_file(const std::filesystem::path& path, std::string_view bytes,
                const std::function<void(const std::filesystem::path& temporary)>& check) {
  TemporaryFile temporary(path);
  if (!temporary.write(bytes)) fail("write", path, errno);
  if (check) check(temporary.path());
  if (!temporary.rename(path)) fail("write", path, errno);
  // The rename is durable only once the folder is synced.
  sync_folder(path.parent_path());
}

void sync_folder(const std::filesystem::path& folder) {
  const std::filesystem::path place = folder.empty() ? "." : folder;
  const detail::OpenFile opened(place, O_DIRECTORY);
  if (opened.number() < 0) fail("sync", place, errno);
  // Some file systems have nothing to sync in a folder, and say EINVAL.
  if (::fsync(opened.number()) != 0 && errno != EINVAL) fail("sync", place, errno);
}

}  // namespace sau
