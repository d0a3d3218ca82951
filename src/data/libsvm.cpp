#include "data/libsvm.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "data/columns.hpp"
#include "data/delimited.hpp"
#include "sau/core/error.hpp"

namespace sau::detail {
namespace {

constexpr std::uint64_t kMaxPlace = 10'000'000;
constexpr std::uint64_t kFewestToTell = 20;  // rows; with fewer, any labels may be classes

class LibsvmReader {
 public:
  TableBuilder read(std::span<const TextSource> sources, const LibsvmPlan& plan) {
    for (const TextSource& source : sources) {
      file_ = source.file;
      line_ = 0;
      read_file(check_text(source.text, file_));
    }
    file_ = sources.front().file;
    const std::uint64_t rows = rows_.starts.size() - 1;
    if (rows == 0) throw Error(file_ + ": found no rows");
    auto sorted = labels_.sorted(true);
    if (sorted.width < 2)
      throw Error(file_ + ": found one label only, expected at least two classes");
    if (rows >= kFewestToTell && 2 * sorted.width > rows) {
      throw Error(file_ + ": found " + std::to_string(sorted.width) + " different labels in " +
                  std::to_string(rows) + " rows: looks like a measurement, expected classes");
    }
    if (rows_.places.empty()) throw Error(file_ + ": found no place:value in any row");
    if (lowest_ > 0) {
      for (std::uint32_t& place : rows_.places) --place;
    }
    rows_.dim = highest_ + (lowest_ > 0 ? 0 : 1);
    TableBuilder table;
    table.set_sparse(std::move(rows_), plan.standardise);
    table.add_label(std::move(sorted.codes), sorted.width);
    if (plan.intercept) table.add_intercept(rows);
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

  void read_file(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
      const std::string_view line = text.substr(0, end);
      const bool pair = text.substr(end).starts_with("\r\n");
      text.remove_prefix(std::min(end + (pair ? 2 : 1), text.size()));
      ++line_;
      read_line(line.substr(0, line.find('#')));
    }
  }

  void read_line(std::string_view line) {
    const std::string_view label = take_word(line);
    if (label.empty()) return;
    const FieldNumber number = read_number(label);
    if (number.kind != FieldNumber::Kind::kFinite) {
      fail(1, label, "a label that is a finite number");
    }
    if (number.value != std::floor(number.value)) {
      fail(1, label, "a class, which is a whole number; a measurement is not a class");
    }
    labels_.push(label);
    if (labels_.size() > kMaxClasses) {
      fail(1, label, "at most " + std::to_string(kMaxClasses) + " different labels");
    }
    const std::size_t first = rows_.places.size();
    std::size_t field = 2;
    for (auto word = take_word(line); !word.empty(); word = take_word(line), ++field) {
      if (word.starts_with("qid:")) {
        fail(field, word, "place:value: rows in groups (qid) are for ranking, not for classes");
      }
      read_entry(word, field);
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

  std::string file_;
  std::size_t line_ = 0;
  std::uint64_t lowest_ = 1, highest_ = 0;
  SparseRows rows_;
  Categories labels_;
};

}  // namespace

TableBuilder read_libsvm(std::span<const TextSource> sources, const LibsvmPlan& plan) {
  return LibsvmReader().read(sources, plan);
}

}  // namespace sau::detail
