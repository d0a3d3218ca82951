#pragma once

#include <exception>
#include <functional>
#include <string>

namespace sau::detail {

// For what went wrong, when there may be no memory left even to say so: then it is not said.
// Nothing may be thrown on the way out of an exception.
inline void note_safely(const std::function<void(const std::string&)>& note, const char* before,
                        const char* what) noexcept {
  try {
    note(std::string(before) + what);
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

// Calls it, and says what it throws.
template <class Call>
void call_safely(const std::function<void(const std::string&)>& note, const char* before,
                 const Call& call) noexcept {
  try {
    call();
  } catch (const std::exception& error) {
    note_safely(note, before, error.what());
  } catch (...) {
    note_safely(note, before, "not an exception");
  }
}

}  // namespace sau::detail
