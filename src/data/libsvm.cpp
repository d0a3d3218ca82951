#include "data/libsvm.hpp"

#include <algorithm>
#include <charconv>

#include "data/columns.hpp"
#include "data/delimited.hpp"
#include "sau/core/error.hpp"

namespace sau::detail {
namespace {

constexpr std::uint64_t kMaxPlace = 10'000'000;

class LibsvmReader {
 public:
  LibsvmReader(std::string_view text, const std::string& file)
      : text_(check_text(text, file)), file_(file) {}

  TableBuilder read(bool standardise) {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find_first_of("\r\n"), text_.size());
      const std::string_view line = text_.substr(0, end);
      const bool pair = text_.substr(end).starts_with("\r\n");
      text_.remove_prefix(std::min(end + (pair ? 2 : 1), text_.size()));
      ++line_;
      read_line(line.substr(0, line.find('#')));
    }
    if (rows_.starts.size() == 1) throw Error(file_ + ": found no rows");
    auto sorted = labels_.sorted(true);
    if (sorted.width < 2)
      throw Error(file_ + ": found one label only, expected at least two classes");
    if (rows_.places.empty()) throw Error(file_ + ": found no place:value in any row");
    if (lowest_ > 0) {
      for (std::uint32_t& place : rows_.places) --place;
    }
    rows_.dim = highest_ + (lowest_ > 0 ? 0 : 1);
    TableBuilder table;
    table.set_sparse(std::move(rows_), standardise);
    table.add_label(std::move(sorted.codes), sorted.width);
    return table;
  }

 private:
  static std::string_view take_word(std::string_view& line) {
    const std::size_t start = std::min(line.find_first_not_of(" \t"), line.size());
    line.remove_prefix(start);
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    line.remove_prefix(word.size());
    return word;
  }

  void read_line(std::string_view line) {
    const std::string_view label = take_word(line);
    if (label.empty()) return;
    if (read_number(label).kind != FieldNumber::Kind::kFinite) {
      fail(1, label, "a label that is a finite number");
    }
    labels_.push(label);
    if (labels_.size() > kMaxClasses) {
      fail(1, label, "at most " + std::to_string(kMaxClasses) + " different labels");
    }
    const std::size_t first = rows_.places.size();
    std::size_t field = 2;
    for (auto word = take_word(line); !word.empty(); word = take_word(line), ++field) {
      if (!word.starts_with("qid:")) read_entry(word, field);
    }
    std::vector<std::uint32_t> sorted(rows_.places.begin() + static_cast<std::ptrdiff_t>(first),
                                      rows_.places.end());
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end()) {
      throw Error(file_ + ":" + std::to_string(line_) + ": found the place " +
                  std::to_string(*twice) + " twice, expected every place once");
    }
    rows_.starts.push_back(rows_.places.size());
  }

  void read_entry(std::string_view word, std::size_t field) {
    const std::size_t colon = word.find(':');
    std::uint64_t place = 0;
    const char* end = word.data() + std::min(colon, word.size());
    const auto result = std::from_chars(word.data(), end, place);
    if (colon == std::string_view::npos || result.ec != std::errc{} || result.ptr != end ||
        place > kMaxPlace) {
      fail(field, word, "place:value with a place of at most 10000000");
    }
    const FieldNumber number = read_number(word.substr(colon + 1));
    if (number.kind != FieldNumber::Kind::kFinite) {
      fail(field, word, "place:value with a finite number, at most 1e100 in size");
    }
    lowest_ = std::min(lowest_, place);
    highest_ = std::max(highest_, place);
    rows_.places.push_back(static_cast<std::uint32_t>(place));
    rows_.values.push(number.value);
  }

  [[noreturn]] void fail(std::size_t field, std::string_view found,
                         const std::string& expected) const {
    throw Error(file_ + ":" + std::to_string(line_) + ": field " + std::to_string(field) +
                ": found '" + std::string(found.substr(0, 40)) + "', expected " + expected);
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t line_ = 0;
  std::uint64_t lowest_ = 1, highest_ = 0;
  SparseRows rows_;
  Categories labels_;
};

}  // namespace

TableBuilder read_libsvm(std::string_view text, const std::string& file, bool standardise) {
  return LibsvmReader(text, file).read(standardise);
}

}  // namespace sau::detail
