#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace sau {

// A partial download: the bytes so far, and beside them, in <part>.from, the address and version of
// the file they belong to. Only one process may use it at a time.
class PartFile {
 public:
  // Throws Error when it cannot be written or another process uses it.
  explicit PartFile(std::filesystem::path path);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  // An empty part is removed.
  ~PartFile();

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }

  // The version of the file at `url` that the bytes belong to; empty if they cannot be continued.
  std::string version_at(const std::string& url) const;

  void restart(const std::string& url, const std::string& version);
  void append(std::string_view bytes);
  void sync();
  void discard();

 private:
  [[noreturn]] void fail(int code);

  std::filesystem::path path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

// <part>.from
std::filesystem::path origin_of(const std::filesystem::path& part);

}  // namespace sau
