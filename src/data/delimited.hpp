#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/data/text_format.hpp"

namespace sau::detail {

// Reads a text file record by record. Fields stand between separators; a field that contains
// separators or line ends is quoted, "...", with "" for a quote inside. Blanks around a field do
// not count; empty lines are skipped; lines end with LF, CR LF or CR. The caller keeps the text
// alive. Errors are thrown as `file:line: ...`.
class DelimitedReader {
 public:
  // `separator` is one character, or ' ' for any number of blanks and tabs.
  DelimitedReader(std::string_view text, std::string file, char separator);

  // Goes to the next record; false at the end.
  bool next();

  // The fields of this record; valid until next().
  std::span<const std::string_view> fields() const noexcept { return fields_; }
  // Where this record starts, counted from 1.
  std::size_t line() const noexcept { return line_; }
  const std::string& file() const noexcept { return file_; }

 private:
  bool at_line_end() const noexcept;
  void end_line();
  void take_field();
  void take_quoted();
  void skip_blanks();
  [[noreturn]] void fail(const std::string& why) const;

  std::string_view text_;
  std::string file_;
  char separator_;
  std::size_t place_ = 0, line_ = 0, line_here_ = 1;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unquoted_;  // the contents of quoted fields
};

// The text without a byte order mark. Throws Error for what cannot be rows of text.
std::string_view check_text(std::string_view text, const std::string& file);

// Whether the field is a number with a decimal comma, or one that groups digits: 1,50.
bool has_decimal_comma(std::string_view field);

// The character of a separator. kAuto: among those that split the first records into equally many
// fields, the one that gives the most fields. A comma does not count if it is a decimal comma
// between other separators; blanks count only if nothing else works.
char separator_of(Separator separator, std::string_view text);

}  // namespace sau::detail
