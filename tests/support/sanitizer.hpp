#pragma once

namespace sau::testing {

// What many repetitions prove costs a sanitizer twenty times as much, and it learns nothing from
// them: tests that repeat for statistics' sake do so less under one.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitizer = true;
#else
inline constexpr bool kSanitizer = false;
#endif

}  // namespace sau::testing
