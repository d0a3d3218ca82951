#include "data/header.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "data/columns.hpp"
#include "sau/core/text.hpp"

namespace sau::detail {
namespace {

bool is_whole(std::string_view field) {
  const FieldNumber number = read_number(field);
  return number.kind == FieldNumber::Kind::kFinite && number.value == std::floor(number.value);
}

class HeaderTest {
 public:
  HeaderTest(std::span<const std::string> first, DelimitedReader& rows) {
    for (std::size_t c = 0; c < first.size(); ++c) {
      if (!first[c].empty()) columns_.push_back({.at = c, .name = first[c]});
    }
    constexpr std::size_t kSample = 100;
    for (; read_ < kSample && rows.next(); ++read_) {
      for (Column& column : columns_) {
        if (column.at < rows.fields().size()) column.see(rows.fields()[column.at]);
      }
    }
  }

  bool passed() const {
    if (read_ == 0 || columns_.empty()) return false;
    // A whole number may be a name, such as a year; a measurement is not a name.
    const auto measured = [](const Column& c) { return is_number(c.name) && !is_whole(c.name); };
    if (std::ranges::any_of(columns_, measured)) return false;
    const auto above_numbers = [](const Column& c) {
      return !is_number(c.name) && !is_missing(c.name) && c.words == 0 && c.numbers > 0;
    };
    return std::ranges::any_of(columns_, above_numbers) || usual_last() || counts_up() ||
           never_again();
  }

 private:
  struct Column {
    std::size_t at = 0;
    std::string name{};
    bool again = false;  // the name comes again below
    std::size_t numbers = 0, words = 0;
    std::set<std::string, std::less<>> different = {};

    void see(std::string_view field) {
      again = again || field == name;
      if (is_missing(field)) return;
      ++(is_number(field) ? numbers : words);
      if (different.find(field) == different.end()) different.emplace(field);
    }
  };

  bool usual_last() const {
    const Column& last = columns_.back();
    return !last.again &&
           std::ranges::find(kUsualLabels, lower_case(last.name)) != kUsualLabels.end();
  }

  // 0, 1, 2, ... as pandas writes for columns without names, perhaps with a word at the end.
  bool counts_up() const {
    constexpr std::size_t kFewest = 3;
    std::size_t end = columns_.size();
    if (end < kFewest) return false;
    if (!is_number(columns_.back().name) && !columns_.back().again) --end;
    bool all_again = true;
    for (std::size_t i = 0; i < end; ++i) {
      if (columns_[i].name != std::to_string(i)) return false;
      all_again = all_again && columns_[i].again;
    }
    return !all_again;
  }

  // Names that all differ and never come again below. Numbers may be among them if the words below
  // do come again, in enough records to tell.
  bool never_again() const {
    constexpr std::size_t kEnough = 10;
    bool numbers = false, words = false, repeated = true;
    std::set<std::string_view> names;
    for (const Column& column : columns_) {
      if (column.again || !names.insert(column.name).second) return false;
      if (is_number(column.name)) {
        numbers = true;
      } else {
        words = true;
        repeated = repeated && 2 * column.different.size() <= read_;
      }
    }
    return words && (numbers ? repeated && read_ >= kEnough : read_ > 1);
  }

  std::vector<Column> columns_;  // with a name
  std::size_t read_ = 0;
};

}  // namespace

bool is_number(std::string_view field) {
  return read_number(field).kind != FieldNumber::Kind::kText;
}

bool is_header(std::span<const std::string> first, DelimitedReader& rows) {
  return HeaderTest(first, rows).passed();
}

}  // namespace sau::detail
