#include "data/delimited.hpp"

#include <algorithm>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau::detail {
namespace {

bool is_space_or_tab(char c) { return c == ' ' || c == '\t'; }

// The first records when split by a separator.
struct Split {
  std::size_t width = 0;        // 0 when they differ in the number of fields
  bool decimal_commas = false;  // there are commas, each of them in a number
};

Split split_by(std::string_view text, char separator) {
  constexpr int kRecords = 50;
  try {
    DelimitedReader reader(text, "", separator);
    Split split;
    bool commas = false, only_decimal = true;
    for (int n = 0; n < kRecords && reader.next(); ++n) {
      if (n == 0) split.width = reader.fields().size();
      if (reader.fields().size() != split.width) return {};
      for (const std::string_view field : reader.fields()) {
        if (field.find(',') == std::string_view::npos) continue;
        commas = true;
        only_decimal = only_decimal && has_decimal_comma(field);
      }
    }
    split.decimal_commas = commas && only_decimal;
    return split;
  } catch (const Error&) {
    return {};
  }
}

[[noreturn]] void refuse_encoding(std::string_view text, const std::string& file) {
  for (std::size_t line = 1, start = 0;; ++line) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (!is_utf8(text.substr(start, end - start))) {
      throw Error(file + ":" + std::to_string(line) +
                  ": found text that is not UTF-8; convert the file, for example with iconv -f "
                  "latin1 -t utf-8");
    }
    start = end + 1;
  }
}

}  // namespace

DelimitedReader::DelimitedReader(std::string_view text, std::string file, char separator)
    : text_(text), file_(std::move(file)), separator_(separator) {}

bool DelimitedReader::at_line_end() const noexcept {
  return place_ >= text_.size() || text_[place_] == '\n' || text_[place_] == '\r';
}

void DelimitedReader::end_line() {
  if (place_ >= text_.size()) return;
  const bool carriage = text_[place_++] == '\r';
  if (carriage && place_ < text_.size() && text_[place_] == '\n') ++place_;
  ++line_here_;
}

void DelimitedReader::skip_blanks() {
  while (place_ < text_.size() && is_space_or_tab(text_[place_]) && text_[place_] != separator_)
    ++place_;
}

bool DelimitedReader::next() {
  fields_.clear();
  unquoted_.clear();
  for (;;) {
    if (place_ >= text_.size()) return false;
    const std::size_t start = place_;
    while (place_ < text_.size() && is_space_or_tab(text_[place_])) ++place_;
    if (!at_line_end()) {
      // If blanks separate fields, those at the start of a line do not.
      if (separator_ != ' ') place_ = start;
      break;
    }
    end_line();
  }
  line_ = line_here_;
  for (;;) {
    take_field();
    if (separator_ == ' ') {
      while (place_ < text_.size() && is_space_or_tab(text_[place_])) ++place_;
      if (at_line_end()) break;
    } else {
      if (at_line_end()) break;
      ++place_;  // the separator
    }
  }
  end_line();
  return true;
}

void DelimitedReader::take_field() {
  if (separator_ != ' ') skip_blanks();
  if (place_ < text_.size() && text_[place_] == '"') {
    take_quoted();
    return;
  }
  const std::size_t start = place_;
  const auto ends = [&](char c) {
    return c == separator_ || c == '\n' || c == '\r' || (separator_ == ' ' && c == '\t');
  };
  while (place_ < text_.size() && !ends(text_[place_])) ++place_;
  std::size_t end = place_;
  while (end > start && is_space_or_tab(text_[end - 1])) --end;
  fields_.push_back(text_.substr(start, end - start));
}

void DelimitedReader::take_quoted() {
  const std::size_t opened = line_here_;
  const std::string column = "column " + std::to_string(fields_.size() + 1);
  std::string field;
  for (++place_;; ++place_) {
    if (place_ >= text_.size()) {
      line_here_ = opened;
      fail(column + ": the quote is not closed");
    }
    const char c = text_[place_];
    if (c == '"') {
      if (place_ + 1 >= text_.size() || text_[place_ + 1] != '"') break;
      ++place_;
    }
    if (c == '\n' || (c == '\r' && (place_ + 1 >= text_.size() || text_[place_ + 1] != '\n'))) {
      ++line_here_;
    }
    field += c;
  }
  ++place_;
  if (separator_ != ' ') skip_blanks();
  const bool separated = at_line_end() || text_[place_] == separator_ ||
                         (separator_ == ' ' && is_space_or_tab(text_[place_]));
  if (!separated) fail(column + ": found text after the closing quote, expected a separator");
  fields_.push_back(unquoted_.emplace_back(std::move(field)));
}

void DelimitedReader::fail(const std::string& why) const {
  throw Error(file_ + ":" + std::to_string(line_here_) + ": " + why);
}

std::string_view check_text(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw Error(file + ": found UTF-16 text, expected UTF-8");
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    const auto line = 1 + std::ranges::count(text.substr(0, zero), '\n');
    throw Error(file + ":" + std::to_string(line) + ": found a zero byte, expected text");
  }
  if (!is_utf8(text)) refuse_encoding(text, file);
  return text;
}

bool has_decimal_comma(std::string_view field) {
  constexpr std::string_view kDigits = "0123456789";
  if (field.starts_with('-') || field.starts_with('+')) field.remove_prefix(1);
  const std::size_t comma = std::min(field.find_first_not_of(kDigits), field.size());
  if (comma == 0 || comma + 1 >= field.size() || field[comma] != ',') return false;
  return field.find_first_not_of(kDigits, comma + 1) == std::string_view::npos;
}

char separator_of(Separator separator, std::string_view text) {
  constexpr std::string_view kCharacters = ",;\t| ";
  if (separator != Separator::kAuto) return kCharacters[static_cast<std::size_t>(separator) - 1];
  Split splits[kCharacters.size()];
  std::ranges::transform(kCharacters, splits, [&](char c) { return split_by(text, c); });
  bool other_than_comma = false;
  for (std::size_t i = 1; i < kCharacters.size(); ++i) {
    // One blank may just be part of a field such as "2 km".
    const std::size_t fewest = kCharacters[i] == ' ' ? 3 : 2;
    other_than_comma = other_than_comma || (splits[i].width >= fewest && splits[i].decimal_commas);
  }
  std::size_t best = 0, width = 1;
  for (std::size_t i = other_than_comma ? 1 : 0; i < kCharacters.size(); ++i) {
    if (splits[i].width <= width || (kCharacters[i] == ' ' && width > 1)) continue;
    best = i;
    width = splits[i].width;
  }
  if (width > 1) return kCharacters[best];
  // Not regular: the first that is in the first line, so that the error names the right line.
  const std::string_view first = text.substr(0, text.find('\n', text.find_first_not_of("\r\n \t")));
  for (const char candidate : kCharacters) {
    if (first.find(candidate) != std::string_view::npos) return candidate;
  }
  return ',';
}

}  // namespace sau::detail
