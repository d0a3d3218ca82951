#pragma once

#include <functional>
#include <string>

namespace sau {

// Something that a person should know and that changes no result.
struct Note {
  enum class Kind {
    kInformation,  // such as what was found in a file
    kWarning       // something does not work as it should
  };
  Kind kind = Kind::kInformation;
  std::string text;  // one line, without a line break
};

// The library prints nothing. It gives its notes to this function, from any thread and with no lock
// held; the function must not throw. Notes are dropped until a function is set, and again after an
// empty one is set. Thread-safe.
using NoteFunction = std::function<void(const Note&)>;
void set_note_function(NoteFunction function);

void note(const Note& note);

}  // namespace sau
