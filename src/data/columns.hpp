#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/packed_column.hpp"

namespace sau::detail {

// Above it sums of squares may overflow.
inline constexpr double kLargestNumber = 1e100;

inline constexpr std::size_t kMaxClasses = 1000;

// What a field is when read as a number.
struct FieldNumber {
  enum class Kind { kFinite, kBeyond, kText };
  Kind kind = Kind::kText;
  double value = 0.0;
};
// kBeyond: infinite, not a number, or larger than kLargestNumber.
FieldNumber read_number(std::string_view field);

// Empty, ?, or in any letter case nan, none, null, na, n/a, #n/a or nat.
bool is_missing(std::string_view field);

// Columns of a file, by name, by number from 1, or as ranges.
class ColumnNames {
 public:
  // `names` is empty when the file has no header.
  ColumnNames(std::string file, std::size_t count, std::vector<std::string> names)
      : file_(std::move(file)), count_(count), names_(std::move(names)) {}

  std::size_t count() const noexcept { return count_; }
  bool has_names() const noexcept { return !names_.empty(); }
  std::optional<std::size_t> named(std::string_view name) const;

  // Empty if it has none.
  std::string name(std::size_t column) const;
  // "column 3 (age)", for messages.
  std::string describe(std::size_t column) const;

  // Throws a UsageError that names the setting that `item` was given for.
  std::size_t find(std::string_view item, std::string_view setting) const;
  // Every column that the list names, in the list's order. * is all of them.
  std::vector<std::size_t> select(std::string_view list, std::string_view setting) const;

 private:
  std::string file_;
  std::size_t count_;
  std::vector<std::string> names_;
};

// The items of a list of columns, without blanks around them.
std::vector<std::string_view> list_items(std::string_view list);

// A column of words as numbers.
class Categories {
 public:
  void push(std::string_view word);
  std::size_t size() const noexcept { return words_.size(); }

  struct Sorted {
    PackedColumn codes;
    std::size_t width = 0;
    bool fractions = false;  // sorted as numbers, not all of them whole
  };
  // Codes in the order of the words: as text or, if `numbers` is set and all words are numbers, by
  // value, where equal numbers count as one word.
  Sorted sorted(bool numbers) const;

 private:
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name
    std::size_t operator()(std::string_view word) const {
      return std::hash<std::string_view>{}(word);
    }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> words_;
  PackedColumn codes_;  // in order of appearance
};

}  // namespace sau::detail
