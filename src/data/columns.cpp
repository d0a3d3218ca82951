#include "data/columns.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau::detail {
namespace {

// 0 if the text is not a whole number.
std::size_t column_number(std::string_view text) {
  std::size_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc{} && result.ptr == text.data() + text.size() ? number : 0;
}

}  // namespace

FieldNumber read_number(std::string_view field) {
  using Kind = FieldNumber::Kind;
  if (field.size() > 1 && field.front() == '+' && field[1] != '-') field.remove_prefix(1);
  double value = 0.0;
  const auto result = std::from_chars(field.data(), field.data() + field.size(), value);
  if (result.ptr != field.data() + field.size() || result.ec == std::errc::invalid_argument) {
    return {Kind::kText, 0.0};
  }
  if (result.ec == std::errc::result_out_of_range) {
    // A number too small for a double counts as 0; one that is too large cannot be used.
    const std::size_t exponent = field.find_first_of("eE");
    const bool tiny =
        exponent != std::string_view::npos && field.substr(exponent + 1).starts_with('-');
    return {tiny ? Kind::kFinite : Kind::kBeyond, 0.0};
  }
  if (!(std::abs(value) <= kLargestNumber)) return {Kind::kBeyond, 0.0};
  return {Kind::kFinite, value};
}

bool is_missing(std::string_view field) {
  if (field.size() > 4) return false;
  if (field.empty() || field == "?") return true;
  constexpr std::string_view kWords[] = {"nan", "none", "null", "na", "n/a", "#n/a", "nat"};
  // Most fields are numbers.
  if (field.front() >= '0' && field.front() <= '9') return false;
  return std::ranges::find(kWords, lower_case(field)) != std::end(kWords);
}

std::optional<std::size_t> ColumnNames::named(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

std::string ColumnNames::name(std::size_t column) const {
  return column < names_.size() ? names_[column] : "";
}

std::string ColumnNames::describe(std::size_t column) const {
  const std::string known = name(column);
  return "column " + std::to_string(column + 1) + (known.empty() ? "" : " (" + known + ")");
}

std::size_t ColumnNames::find(std::string_view item, std::string_view setting) const {
  if (const auto column = named(item)) return *column;
  const std::size_t number = column_number(item);
  if (number >= 1 && number <= count_) return number - 1;
  const std::string start = std::string(setting) + "=" + std::string(item) + ": " + file_ + " has ";
  const std::string numbers = "a number from 1 to " + std::to_string(count_);
  if (number > 0 || names_.empty()) {
    throw UsageError(start + std::to_string(count_) + " columns" +
                     (names_.empty() ? " and no header" : "") + "; expected " + numbers);
  }
  throw UsageError(start + "an " + unknown_name("column", item, names_) + "; or " + numbers);
}

std::vector<std::string_view> list_items(std::string_view list) {
  std::vector<std::string_view> items;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    if (const auto item = trimmed(list.substr(start, end - start)); !item.empty()) {
      items.push_back(item);
    }
    start = end + 1;
  }
  return items;
}

std::vector<std::size_t> ColumnNames::select(std::string_view list,
                                             std::string_view setting) const {
  std::vector<std::size_t> columns;
  const auto add_range = [&](std::size_t first, std::size_t last, std::string_view item) {
    if (first > last) {
      throw UsageError(std::string(setting) + "=" + std::string(item) +
                       ": the range ends before it starts");
    }
    for (std::size_t column = first; column <= last; ++column) columns.push_back(column);
  };
  for (const std::string_view item : list_items(list)) {
    if (item == "*") {
      add_range(0, count_ - 1, item);
      continue;
    }
    const std::size_t dots = item.find(".."), dash = item.find('-');
    if (named(item)) {
      columns.push_back(*named(item));
    } else if (dots != std::string_view::npos) {
      add_range(find(trimmed(item.substr(0, dots)), setting),
                find(trimmed(item.substr(dots + 2)), setting), item);
    } else if (dash != std::string_view::npos && column_number(item.substr(0, dash)) > 0 &&
               column_number(item.substr(dash + 1)) > 0) {
      add_range(find(item.substr(0, dash), setting), find(item.substr(dash + 1), setting), item);
    } else {
      columns.push_back(find(item, setting));
    }
  }
  return columns;
}

void Categories::push(std::string_view word) {
  auto found = words_.find(word);
  if (found == words_.end()) {
    found = words_.emplace(std::string(word), static_cast<std::uint32_t>(words_.size())).first;
  }
  codes_.push(found->second);
}

Categories::Sorted Categories::sorted(bool numbers) const {
  std::vector<const std::string*> words(words_.size());
  for (const auto& [word, code] : words_) words[code] = &word;
  std::vector<double> value(words.size());
  for (std::size_t i = 0; i < words.size() && numbers; ++i) {
    const FieldNumber number = read_number(*words[i]);
    numbers = number.kind == FieldNumber::Kind::kFinite;
    value[i] = number.value;
  }
  std::vector<std::size_t> order(words.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return numbers ? value[a] < value[b] : *words[a] < *words[b];
  });
  std::vector<std::size_t> code(words.size());
  Sorted result;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = numbers && i > 0 && value[order[i]] == value[order[i - 1]];
    code[order[i]] = same ? result.width - 1 : result.width++;
  }
  result.fractions =
      numbers && std::ranges::any_of(value, [](double v) { return v != std::floor(v); });
  for (std::size_t row = 0; row < codes_.size(); ++row) {
    result.codes.push(static_cast<double>(code[static_cast<std::size_t>(codes_[row])]));
  }
  return result;
}

}  // namespace sau::detail
