#include "fetch/part_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/fetch/download.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;

std::string reason(const fs::path& path, int code) {
  return "cannot write " + path.string() + ": " + std::strerror(code);
}

bool is_full(int code) { return code == ENOSPC || code == EDQUOT || code == EFBIG; }

}  // namespace

fs::path origin_of(const fs::path& part) { return part.string() + ".from"; }

PartFile::PartFile(fs::path path) : path_(std::move(path)) {
  std::error_code failure;
  fs::create_directories(path_.parent_path(), failure);
  if (failure) {
    throw Error("cannot make the folder " + path_.parent_path().string() + ": " +
                failure.message());
  }
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) throw Error(reason(path_, errno));
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    ::close(file_);
    throw Error(path_.string() + " is in use: another process is downloading this file");
  }
  const off_t end = ::lseek(file_, 0, SEEK_END);
  size_ = end < 0 ? 0 : static_cast<std::uint64_t>(end);
}

PartFile::~PartFile() {
  if (size_ == 0) discard_part(path_);
  ::close(file_);
}

std::string PartFile::version_at(const std::string& url) const {
  std::error_code ignored;
  if (size_ == 0 || !fs::is_regular_file(origin_of(path_), ignored)) return "";
  const std::string text = read_file(origin_of(path_));
  const std::size_t end = text.find('\n');
  if (end == std::string::npos || text.substr(0, end) != url || !text.ends_with('\n')) return "";
  return text.substr(end + 1, text.size() - end - 2);
}

void PartFile::restart(const std::string& url, const std::string& version) {
  if (::ftruncate(file_, 0) != 0) fail(errno);
  size_ = 0;
  const std::string origin = url + "\n" + version + "\n";
  write_file(origin_of(path_), origin);
}

void PartFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    size_ += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void PartFile::sync() {
  if (::fsync(file_) != 0) fail(errno);
}

void PartFile::discard() {
  size_ = 0;
  discard_part(path_);
}

void PartFile::fail(int code) {
  if (!is_full(code)) throw Error(reason(path_, code));
  discard();
  throw Error(reason(path_, code) + "; the partial download was removed");
}

void discard_part(const fs::path& part) {
  std::error_code ignored;
  fs::remove(part, ignored);
  fs::remove(origin_of(part), ignored);
}

}  // namespace sau
