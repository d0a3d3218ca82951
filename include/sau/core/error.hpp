#pragma once

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace sau {

// What went wrong, in one line for a person: the thing, the value found, and what was expected.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The request itself was wrong (an unknown name, a setting out of range), not the environment.
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace sau

// For bugs in this library, never for mistakes of its user. On in debug and sanitizer builds.
#ifdef SAU_CHECKED
#define SAU_ASSERT(condition, why)                                                        \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: assertion failed: %s (%s)\n", __FILE__, __LINE__, why, \
                   #condition);                                                           \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)
#else
#define SAU_ASSERT(condition, why) static_cast<void>(0)
#endif
