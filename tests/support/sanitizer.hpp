#pragma once

namespace sau::testing {

// A sanitizer makes code twenty times slower and learns nothing from repetitions, so tests that
// repeat for statistics do it less under a sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitizer = true;
#else
inline constexpr bool kSanitizer = false;
#endif

}  // namespace sau::testing
