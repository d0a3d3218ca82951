#include "sau/core/note.hpp"

#include <memory>
#include <mutex>
#include <utility>

namespace sau {
namespace {

struct NoteTarget {
  std::mutex mutex;
  std::shared_ptr<const NoteFunction> function;
};

// Never destroyed: threads may still note something while the process ends.
NoteTarget& note_target() {
  static NoteTarget& target = *new NoteTarget;
  return target;
}

}  // namespace

void set_note_function(NoteFunction function) {
  auto next = function ? std::make_shared<const NoteFunction>(std::move(function)) : nullptr;
  NoteTarget& target = note_target();
  const std::lock_guard lock(target.mutex);
  target.function.swap(next);
}

void note(const Note& note) {
  NoteTarget& target = note_target();
  std::shared_ptr<const NoteFunction> function;
  {
    const std::lock_guard lock(target.mutex);
    function = target.function;
  }
  if (function) (*function)(note);
}

}  // namespace sau
