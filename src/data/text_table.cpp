#include "data/text_table.hpp"

#include <algorithm>
#include <optional>

#include "data/columns.hpp"
#include "data/delimited.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau::detail {
namespace {

constexpr std::size_t kMaxClasses = 1000;
constexpr std::size_t kMaxFoundCategories = 1000;
constexpr std::size_t kMaxDim = 1'000'000;

enum class Use { kNone, kNumber, kCategory, kLabel, kReward };

// A field that stands in the way of something.
struct Finding {
  std::size_t line = 0;
  std::string text;
};

struct Column {
  Use use = Use::kNone;
  bool decided = false;  // kCategory by the user's word
  std::uint64_t numbers = 0, words = 0, missing = 0;
  double sum = 0.0;
  std::optional<Finding> first_word, first_beyond, first_missing;

  PackedColumn cells;  // of a number or reward
  PackedColumn known;  // 1 where the number is not missing
  Categories categories;
};

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string result(text.substr(0, kLongest));
  for (char& c : result) c = static_cast<unsigned char>(c) < ' ' ? '?' : c;
  return "'" + result + (text.size() > kLongest ? "..." : "") + "'";
}

class TextTable {
 public:
  TextTable(std::string_view text, const TextPlan& plan)
      : plan_(plan),
        text_(check_text(text, plan.file)),
        separator_(separator_of(plan.format.separator, text_)),
        names_(read_names()) {}

  TableBuilder build() {
    assign();
    survey();
    decide();
    fill();
    return finish();
  }

 private:
  DelimitedReader reader() const { return {text_, plan_.file, separator_}; }

  // Over all rows, each checked for its number of fields.
  template <class F>
  void for_rows(F&& visit) const {
    DelimitedReader rows = reader();
    if (names_.has_names()) rows.next();
    while (rows.next()) {
      if (rows.fields().size() != names_.count()) {
        throw Error(plan_.file + ":" + std::to_string(rows.line()) + ": found " +
                    std::to_string(rows.fields().size()) + " fields, expected " +
                    std::to_string(names_.count()) + " as in line " + std::to_string(first_line_));
      }
      visit(rows.fields(), rows.line());
    }
  }

  ColumnNames read_names() {
    DelimitedReader rows = reader();
    if (!rows.next()) throw Error(plan_.file + ": found no rows");
    first_line_ = rows.line();
    std::vector<std::string> first(rows.fields().begin(), rows.fields().end());
    const std::size_t count = first.size();
    const bool named = plan_.format.header == Header::kYes ||
                       (plan_.format.header == Header::kAuto && looks_like_header(first, rows));
    return {plan_.file, count, named ? std::move(first) : std::vector<std::string>{}};
  }

  bool looks_like_header(const std::vector<std::string>& first, DelimitedReader& rows) const {
    const auto is_first = [&](std::string_view item) {
      return std::ranges::find(first, item) != first.end();
    };
    const auto is_number = [](std::string_view field) {
      return read_number(field).kind != FieldNumber::Kind::kText;
    };
    for (const std::string* list : {&plan_.label, &plan_.context, &plan_.actions,
                                    &plan_.format.categorical, &plan_.format.ignore}) {
      for (const std::string_view item : list_items(*list)) {
        if (!is_number(item) && is_first(item)) return true;
      }
    }
    if (std::ranges::any_of(first, is_number)) return false;
    constexpr int kSample = 100;
    std::vector<bool> all_numbers(first.size(), true), seen_again(first.size(), false);
    int read = 0;
    for (; read < kSample && rows.next(); ++read) {
      const auto fields = rows.fields();
      for (std::size_t c = 0; c < std::min(fields.size(), first.size()); ++c) {
        if (!is_missing(fields[c]) && !is_number(fields[c])) all_numbers[c] = false;
        if (fields[c] == first[c]) seen_again[c] = true;
      }
    }
    if (read == 0) return false;
    // A name above numbers; or, where there are only words, names that never come again.
    if (std::ranges::find(all_numbers, true) != all_numbers.end()) return true;
    std::vector<std::string> sorted = first;
    std::ranges::sort(sorted);
    const bool distinct = std::ranges::adjacent_find(sorted) == sorted.end();
    return read > 1 && distinct && std::ranges::find(seen_again, true) == seen_again.end();
  }

  std::size_t label_column() const {
    if (!plan_.label.empty()) return names_.find(plan_.label, "label");
    for (const std::string_view usual : {"label", "class", "target", "y"}) {
      if (const auto column = names_.named(usual)) return *column;
    }
    return names_.count() - 1;
  }

  // What every column is for, as far as the settings say it.
  void assign() {
    columns_.resize(names_.count());
    for (const std::size_t c : names_.select(plan_.context, "context")) {
      claim(c, Use::kNumber, "context");
    }
    if (plan_.context.empty()) {
      for (Column& column : columns_) column.use = Use::kNumber;
    }
    for (const std::size_t c : names_.select(plan_.format.ignore, "ignore")) {
      columns_[c].use = Use::kNone;
    }
    if (plan_.goal == TextPlan::Goal::kLabel) columns_[label_column()].use = Use::kLabel;
    if (plan_.goal == TextPlan::Goal::kRewards) {
      actions_ = names_.select(plan_.actions, "actions");
      for (const std::size_t c : actions_) {
        if (columns_[c].use == Use::kReward) {
          throw UsageError("actions: " + names_.describe(c) + " is named twice");
        }
        if (!plan_.context.empty()) refuse_both(c);
        columns_[c].use = Use::kReward;
      }
    }
    for (const std::size_t c : names_.select(plan_.format.categorical, "categorical")) {
      if (columns_[c].use != Use::kNumber) continue;
      columns_[c].use = Use::kCategory;
      columns_[c].decided = true;
    }
  }

  void claim(std::size_t c, Use use, std::string_view setting) {
    if (columns_[c].use != Use::kNone) {
      throw UsageError(std::string(setting) + ": " + names_.describe(c) + " is named twice");
    }
    columns_[c].use = use;
  }

  void refuse_both(std::size_t c) const {
    if (columns_[c].use == Use::kNone) return;
    throw UsageError("actions: " + names_.describe(c) + " is part of the context as well");
  }

  void survey() {
    for_rows([&](std::span<const std::string_view> fields, std::size_t line) {
      for (std::size_t c = 0; c < fields.size(); ++c) {
        Column& column = columns_[c];
        if (column.use == Use::kNone) continue;
        const std::string_view field = fields[c];
        const auto note = [&](std::optional<Finding>& finding) {
          if (!finding) finding = Finding{line, std::string(field)};
        };
        if (is_missing(field)) {
          ++column.missing;
          note(column.first_missing);
          continue;
        }
        if (column.use != Use::kNumber && column.use != Use::kReward) continue;
        const FieldNumber number = read_number(field);
        if (number.kind == FieldNumber::Kind::kFinite) {
          ++column.numbers;
          column.sum += number.value;
        } else if (number.kind == FieldNumber::Kind::kText) {
          ++column.words;
          note(column.first_word);
        } else {
          note(column.first_beyond);
        }
      }
    });
  }

  [[noreturn]] void refuse(std::size_t c, const Finding& found, const std::string& expected) const {
    throw Error(plan_.file + ":" + std::to_string(found.line) + ": " + names_.describe(c) +
                ": found " + (found.text.empty() ? "nothing" : shown(found.text)) + ", expected " +
                expected);
  }

  // Numbers or words, and whether the file agrees with it.
  void decide() {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      Column& column = columns_[c];
      const bool reward = column.use == Use::kReward;
      if (column.use == Use::kNumber && column.words > column.numbers) column.use = Use::kCategory;
      if (column.use == Use::kNumber && column.first_word) {
        refuse(c, *column.first_word,
               "a number as in most of the column (categorical=" + std::to_string(c + 1) +
                   " makes it one of words)");
      }
      if (reward && column.first_word) refuse(c, *column.first_word, "a reward");
      if ((column.use == Use::kNumber || reward) && column.first_beyond) {
        refuse(c, *column.first_beyond, "a finite number, at most 1e100 in size");
      }
      if (column.use == Use::kNone || !column.first_missing) continue;
      if (plan_.format.missing == Missing::kRefuse) {
        refuse(c, *column.first_missing, "a value (missing=category or drop allows it)");
      }
      if (plan_.format.missing != Missing::kCategory) continue;
      if (reward || column.use == Use::kLabel) {
        refuse(c, *column.first_missing,
               std::string(reward ? "a reward" : "a label") + " (missing=drop leaves the row out)");
      }
      // Nothing in it.
      if (column.use == Use::kNumber && column.numbers == 0) column.use = Use::kNone;
    }
  }

  bool dropped(std::span<const std::string_view> fields) const {
    if (plan_.format.missing != Missing::kDrop) return false;
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (columns_[c].use != Use::kNone && is_missing(fields[c])) return true;
    }
    return false;
  }

  void fill() {
    for_rows([&](std::span<const std::string_view> fields, std::size_t line) {
      if (dropped(fields)) return;
      ++rows_;
      for (std::size_t c = 0; c < fields.size(); ++c) {
        Column& column = columns_[c];
        if (column.use == Use::kCategory || column.use == Use::kLabel) {
          column.categories.push(fields[c]);
          check_size(c, line);
        } else if (column.use != Use::kNone) {
          const bool missing = is_missing(fields[c]);
          column.cells.push(missing ? column.sum / static_cast<double>(column.numbers)
                                    : read_number(fields[c]).value);
          if (column.missing > 0) column.known.push(missing ? 0.0 : 1.0);
        }
      }
    });
    if (rows_ == 0) {
      throw Error(plan_.file + ": found no rows" + (names_.has_names() ? " below the header" : ""));
    }
  }

  void check_size(std::size_t c, std::size_t line) const {
    const Column& column = columns_[c];
    const bool label = column.use == Use::kLabel;
    const std::size_t most = label ? kMaxClasses : column.decided ? kMaxDim : kMaxFoundCategories;
    if (column.categories.size() <= most) return;
    const std::string number = std::to_string(c + 1);
    throw Error(plan_.file + ":" + std::to_string(line) + ": " + names_.describe(c) +
                ": found more than " + std::to_string(most) +
                (label ? " different labels, expected classes (label=... names another column)"
                       : " different words, expected categories (ignore=" + number +
                             " leaves the column out, categorical=" + number + " keeps it)"));
  }

  TableBuilder finish() {
    TableBuilder table;
    std::size_t dim = 0;
    const bool standardise = plan_.format.scale == Scale::kStandard;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      Column& column = columns_[c];
      if (column.use == Use::kNumber) {
        table.add_number(std::move(column.cells), standardise);
        ++dim;
        // The code 0 is the 1 that says that the number is missing.
        const bool flagged = column.missing > 0 && plan_.format.missing == Missing::kCategory;
        if (flagged) table.add_category(std::move(column.known), 1);
        dim += flagged ? 1 : 0;
      } else if (column.use == Use::kCategory) {
        auto sorted = column.categories.sorted(false);
        dim += sorted.width;
        table.add_category(std::move(sorted.codes), sorted.width);
      } else if (column.use == Use::kLabel) {
        auto sorted = column.categories.sorted(true);
        if (sorted.width < 2) {
          throw Error(plan_.file + ": " + names_.describe(c) +
                      ": found one label only, expected at least two classes");
        }
        table.add_label(std::move(sorted.codes), sorted.width);
      }
    }
    for (const std::size_t c : actions_) table.add_reward(std::move(columns_[c].cells));
    if (dim == 0) throw Error(plan_.file + ": found no column for the context");
    if (dim > kMaxDim) {
      throw Error(plan_.file + ": found " + std::to_string(dim) +
                  " places in the context, expected at most " + std::to_string(kMaxDim));
    }
    return table;
  }

  const TextPlan& plan_;
  std::string_view text_;
  char separator_;
  std::size_t first_line_ = 1;
  ColumnNames names_;
  std::vector<Column> columns_;
  std::vector<std::size_t> actions_;
  std::uint64_t rows_ = 0;
};

}  // namespace

TableBuilder read_text_table(std::string_view text, const TextPlan& plan) {
  return TextTable(text, plan).build();
}

}  // namespace sau::detail
