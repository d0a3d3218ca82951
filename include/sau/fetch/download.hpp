#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "sau/core/error.hpp"

namespace sau {

// The server answered that it has no such file.
class NotFound : public Error {
 public:
  using Error::Error;
};

// Somebody asked to stop. The bytes that have arrived are kept.
class Stopped : public Error {
 public:
  using Error::Error;
};

struct DownloadOptions {
  // Called a few times a second with the number of bytes that have arrived; total is 0 if unknown.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
  const std::atomic<bool>* stop = nullptr;
  long connect_seconds = 30;
  long stall_seconds = 60;  // without a byte
  int attempts = 5;         // per file; gives up after any attempt that downloads nothing
};

// Downloads the http(s) address `url` to the file `part`, bytes unchanged, and syncs it. A part
// left by an earlier attempt is continued if the server still has the same file and can resume. The
// file `part`.from, beside an unfinished part, keeps what is needed to tell that. Returns whether
// an older part was continued. Throws Error; the part is then kept, except on a full disk.
bool download(const std::string& url, const std::filesystem::path& part,
              const DownloadOptions& options);

// Removes a part and its .from file.
void discard_part(const std::filesystem::path& part);

}  // namespace sau
