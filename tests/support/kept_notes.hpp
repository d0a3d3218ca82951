#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "sau/core/note.hpp"

namespace sau::testing {

// Records the library's notes while it exists.
class KeptNotes {
 public:
  KeptNotes() {
    set_note_function([kept = kept_](const Note& note) {
      const std::lock_guard lock(kept->mutex);
      kept->notes.push_back(note);
    });
  }
  ~KeptNotes() { set_note_function({}); }
  KeptNotes(const KeptNotes&) = delete;
  KeptNotes& operator=(const KeptNotes&) = delete;

  std::vector<Note> all() const {
    const std::lock_guard lock(kept_->mutex);
    return kept_->notes;
  }

 private:
  struct Kept {
    std::mutex mutex;
    std::vector<Note> notes;
  };
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

}  // namespace sau::testing
