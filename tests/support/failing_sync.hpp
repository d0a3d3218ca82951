#pragma once

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace sau::testing {

// While this is true, folders cannot be synced, as on a disk that is broken.
inline std::atomic<bool> folder_sync_fails = false;

}  // namespace sau::testing

// Stands before the one of the C library: include this header in one file of a test program.
extern "C" int fsync(int file) {
  struct stat state {};
  if (sau::testing::folder_sync_fails && ::fstat(file, &state) == 0 && S_ISDIR(state.st_mode)) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fsync, file));
}
