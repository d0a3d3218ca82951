#pragma once

// GCC has a macro for each sanitizer, clang a question.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SAU_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SAU_SANITIZER 1
#endif
#endif

namespace sau::testing {

// A sanitizer makes code twenty times slower and learns nothing from repetitions, so tests that
// repeat for statistics do it less under a sanitizer.
#ifdef SAU_SANITIZER
inline constexpr bool kSanitizer = true;
#else
inline constexpr bool kSanitizer = false;
#endif

// How often to repeat: `full` times, or a tenth of that under a sanitizer.
template <class Number>
constexpr Number repeats(Number full) {
  return kSanitizer ? full / Number{10} : full;
}

}  // namespace sau::testing
