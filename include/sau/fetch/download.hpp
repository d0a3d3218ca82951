#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "sau/core/error.hpp"

namespace sau {

// The server answered, and has no such file.
class NotFound : public Error {
 public:
  using Error::Error;
};

// Somebody asked to stop; what has arrived is kept.
class Stopped : public Error {
 public:
  using Error::Error;
};

struct DownloadOptions {
  // Called a few times a second with the bytes that have arrived; total 0: not known.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
  const std::atomic<bool>* stop = nullptr;
  long connect_seconds = 30;
  long stall_seconds = 60;  // without a byte
  int attempts = 5;         // at one file, as long as each brings something new
};

// Writes what http(s) address `url` gives to `part`, as it is sent, and syncs it. A part left by an
// earlier attempt is continued if the server still has the same file and can continue it; that is
// known from `part`.from, which stays beside an unfinished part. Returns whether an older part was
// continued. Throws Error; the part is then kept, except on a full disk.
bool download(const std::string& url, const std::filesystem::path& part,
              const DownloadOptions& options);

// Removes a part and what stands beside it.
void discard_part(const std::filesystem::path& part);

}  // namespace sau
