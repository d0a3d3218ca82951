#pragma once

#include <exception>
#include <functional>
#include <string>

namespace sau::detail {

// Notes an error, but drops the note if there is no memory left even for that. For exception
// handlers, which must not throw.
inline void note_safely(const std::function<void(const std::string&)>& note, const char* before,
                        const char* what) noexcept {
  try {
    note(std::string(before) + what);
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

// Calls `call` and notes what it throws.
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
