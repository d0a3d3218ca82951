#include "sau/core/note.hpp"

#include <gtest/gtest.h>

#include "support/kept_notes.hpp"

namespace sau {
namespace {

TEST(Note, GoesToTheFunctionThatIsSet) {
  note({.text = "nobody hears this"});
  {
    const testing::KeptNotes notes;
    note({.text = "one"});
    note({.kind = Note::Kind::kWarning, .text = "two"});
    ASSERT_EQ(notes.all().size(), 2U);
    EXPECT_EQ(notes.all()[0].text, "one");
    EXPECT_EQ(notes.all()[0].kind, Note::Kind::kInformation);
    EXPECT_EQ(notes.all()[1].text, "two");
    EXPECT_EQ(notes.all()[1].kind, Note::Kind::kWarning);
  }
  note({.text = "nor this"});
}

// The function may itself write a note or set another function: no lock is held.
TEST(Note, TheFunctionMayUseNotesItself) {
  int calls = 0;
  set_note_function([&](const Note& first) {
    if (++calls == 1) note({.text = first.text + " again"});
    if (calls == 2) set_note_function({});
  });
  note({.text = "one"});
  note({.text = "dropped"});
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace sau
