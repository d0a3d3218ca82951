#include "data/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "data/columns.hpp"
#include "data/delimited.hpp"
#include "data/header.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau::detail {
namespace {

constexpr std::size_t kMaxFoundCategories = 1000;
constexpr std::size_t kMaxDim = 1'000'000;

// A label with more different values, some of them fractions, is not a class.
constexpr std::size_t kMaxFractions = 50;
constexpr std::size_t kFewRows = 20;  // with fewer we cannot tell

// "2 numbers"
std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

enum class Use { kNone, kNumber, kCategory, kLabel, kReward };

// A field that may turn out to be wrong.
struct Finding {
  TextPlace place;
  std::string text;
};

struct Column {
  Use use = Use::kNone;
  bool decided = false;  // kCategory because the user says so
  bool empty = false;    // it has neither name nor values
  std::uint64_t numbers = 0, words = 0, missing = 0;
  double sum = 0.0;
  double low = INFINITY, high = -INFINITY;  // of its numbers
  std::optional<Finding> first_word, first_beyond, first_missing;
  bool decimal_commas = true;  // all of its words are numbers with a decimal comma

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
  TextTable(std::span<const TextSource> sources, const TextPlan& plan)
      : plan_(plan), sources_(sources, plan.format.separator), names_(read_names()) {}

  TableBuilder build(std::string* understood) {
    drop_empty();
    assign();
    survey();
    decide();
    fill();
    TableBuilder table = finish();
    if (understood != nullptr) *understood = description();
    return table;
  }

 private:
  template <class F>
  void for_rows(F&& visit) const {
    sources_.for_rows(header_, names_.count(), first_, visit);
  }

  ColumnNames read_names() {
    DelimitedReader rows = sources_.reader();
    if (!rows.next()) throw Error(sources_.name() + ": found no rows");
    first_.line = rows.line();
    std::vector<std::string> first(rows.fields().begin(), rows.fields().end());
    for (std::size_t c = 0; c < first.size(); ++c) {
      if (first[c].empty()) unnamed_.push_back(c);
    }
    const std::size_t count = first.size();
    const bool named = plan_.format.header == Header::kYes ||
                       (plan_.format.header == Header::kAuto && looks_like_header(first, rows));
    if (named) header_ = std::move(first);
    return {sources_.name(), count, header_};
  }

  bool looks_like_header(const std::vector<std::string>& first, DelimitedReader& rows) const {
    const auto is_first = [&](std::string_view item) {
      return std::ranges::find(first, item) != first.end();
    };
    for (const std::string* list : {&plan_.label, &plan_.context, &plan_.actions,
                                    &plan_.format.categorical, &plan_.format.ignore}) {
      for (const std::string_view item : list_items(*list)) {
        if (!is_number(item) && is_first(item)) return true;
      }
    }
    return is_header(first, rows);
  }

  // Columns without a name and without a value, as from a separator at the end of every line.
  void drop_empty() {
    columns_.resize(names_.count());
    if (unnamed_.empty()) return;
    for_rows([&](std::span<const std::string_view> fields, const TextPlace&) {
      std::erase_if(unnamed_, [&](std::size_t c) { return !fields[c].empty(); });
    });
    for (const std::size_t c : unnamed_) columns_[c].empty = true;
  }

  std::size_t label_column() const {
    if (!plan_.label.empty()) return names_.find(plan_.label, "label");
    for (const std::string_view usual : kUsualLabels) {
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (columns_[c].use != Use::kNone && lower_case(names_.name(c)) == usual) return c;
      }
    }
    for (std::size_t c = columns_.size(); c-- > 0;) {
      if (columns_[c].use != Use::kNone) return c;
    }
    throw UsageError("ignore: " + sources_.name() + " has no column left for the label");
  }

  // What every column is for, as far as the settings say.
  void assign() {
    for (const std::size_t c : names_.select(plan_.context, "context")) {
      claim(c, Use::kNumber, "context");
    }
    if (plan_.context.empty()) {
      for (Column& column : columns_) column.use = column.empty ? Use::kNone : Use::kNumber;
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
    for_rows([&](std::span<const std::string_view> fields, const TextPlace& place) {
      for (std::size_t c = 0; c < fields.size(); ++c) {
        Column& column = columns_[c];
        if (column.use == Use::kNone) continue;
        const std::string_view field = fields[c];
        const auto note = [&](std::optional<Finding>& finding) {
          if (!finding) finding = Finding{place, std::string(field)};
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
          column.low = std::min(column.low, number.value);
          column.high = std::max(column.high, number.value);
        } else if (number.kind == FieldNumber::Kind::kText) {
          ++column.words;
          note(column.first_word);
          column.decimal_commas = column.decimal_commas && has_decimal_comma(field);
        } else {
          note(column.first_beyond);
        }
      }
    });
  }

  [[noreturn]] void refuse(std::size_t c, const Finding& found, const std::string& expected) const {
    throw Error(sources_.at(found.place) + ": " + names_.describe(c) + ": found " +
                (found.text.empty() ? "nothing" : shown(found.text)) + ", expected " + expected);
  }

  bool is_first(const Finding& found) const { return found.place == first_; }

  // Decides whether columns are numbers or words, and checks that the file agrees.
  void decide() {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      Column& column = columns_[c];
      const bool reward = column.use == Use::kReward;
      if ((column.use == Use::kNumber || reward) && column.first_word && column.decimal_commas) {
        const std::string way =
            reward ? "" : " (categorical=" + std::to_string(c + 1) + " makes it a word)";
        refuse(c, *column.first_word, "a number with a decimal point and no other mark" + way);
      }
      if (column.use == Use::kNumber && column.words > column.numbers) column.use = Use::kCategory;
      if (column.use == Use::kNumber && column.first_word) {
        const std::string ways =
            "categorical=" + std::to_string(c + 1) + " makes it a column of words" +
            (is_first(*column.first_word) ? ", header=yes makes this a name" : "");
        refuse(c, *column.first_word, "a number as in most of the column (" + ways + ")");
      }
      if (reward && column.first_word) {
        refuse(c, *column.first_word,
               is_first(*column.first_word) ? "a reward (header=yes makes it a name)" : "a reward");
      }
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
      // All values of the column are missing.
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
    for_rows([&](std::span<const std::string_view> fields, const TextPlace& place) {
      if (dropped(fields)) return;
      ++rows_;
      for (std::size_t c = 0; c < fields.size(); ++c) {
        Column& column = columns_[c];
        if (column.use == Use::kCategory || column.use == Use::kLabel) {
          column.categories.push(fields[c]);
          check_size(c, place);
        } else if (column.use != Use::kNone) {
          const bool missing = is_missing(fields[c]);
          column.cells.push(missing ? column.sum / static_cast<double>(column.numbers)
                                    : read_number(fields[c]).value);
          if (column.missing > 0) column.known.push(missing ? 0.0 : 1.0);
        }
      }
    });
    if (rows_ == 0) {
      throw Error(sources_.name() + ": found no rows" +
                  (names_.has_names() ? " below the header" : ""));
    }
  }

  void check_size(std::size_t c, const TextPlace& place) const {
    const Column& column = columns_[c];
    const bool label = column.use == Use::kLabel;
    const std::size_t most = label ? kMaxClasses : column.decided ? kMaxDim : kMaxFoundCategories;
    if (column.categories.size() <= most) return;
    const std::string number = std::to_string(c + 1);
    throw Error(sources_.at(place) + ": " + names_.describe(c) + ": found more than " +
                std::to_string(most) +
                (label ? " different labels, expected classes (label=... names another column)"
                       : " different words, expected categories (ignore=" + number +
                             " leaves the column out, categorical=" + number + " keeps it)"));
  }

  // For a label that nobody named.
  void check_classes(std::size_t c, const Categories::Sorted& label) const {
    const bool measured = label.fractions && label.width > kMaxFractions;
    const bool own = rows_ >= kFewRows && 2 * label.width > rows_;
    if (!measured && !own) return;
    throw Error(sources_.name() + ": " + names_.describe(c) + ": found " +
                std::to_string(label.width) + " different labels in " + std::to_string(rows_) +
                " rows: looks like a " +
                (label.fractions ? "measurement" : "number or name of the row") +
                ", not a class; name the label with label=...");
  }

  static bool is_constant(const Column& column) {
    if (column.missing > 0) return false;
    return column.use == Use::kNumber
               ? column.low == column.high
               : column.use == Use::kCategory && column.categories.size() == 1;
  }

  std::string description() const {
    std::string text = sources_.name() + ": " + counted(rows_, "row", "rows");
    text += names_.has_names() ? ", header" : ", no header";
    std::uint64_t numbers = 0, words = 0, ignored = 0, missing = 0, constant = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Column& column = columns_[c];
      numbers += column.use == Use::kNumber ? 1 : 0;
      words += column.use == Use::kCategory ? 1 : 0;
      ignored += column.use == Use::kNone && !column.empty ? 1 : 0;
      missing += column.use == Use::kNone ? 0 : column.missing;
      constant += is_constant(column) ? 1 : 0;
      if (column.use != Use::kLabel) continue;
      const std::string name = names_.name(c);
      text += ", label " + (name.empty() ? "column " + std::to_string(c + 1) : name) + " (" +
              counted(classes_, "class", "classes") + ")";
    }
    if (!actions_.empty()) text += ", " + counted(actions_.size(), "action", "actions");
    if (numbers > 0) text += ", " + counted(numbers, "number", "numbers");
    if (words > 0) text += ", " + counted(words, "word", "words");
    if (ignored > 0) text += ", " + std::to_string(ignored) + " left out";
    if (missing > 0) text += ", " + counted(missing, "missing value", "missing values");
    if (constant > 0) text += ", " + counted(constant, "constant column", "constant columns");
    return text;
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
        // The code 0 sets the 1 that says that the number is missing.
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
          throw Error(sources_.name() + ": " + names_.describe(c) +
                      ": found one label only, expected at least two classes");
        }
        if (plan_.label.empty()) check_classes(c, sorted);
        classes_ = sorted.width;
        table.add_label(std::move(sorted.codes), sorted.width);
      }
    }
    for (const std::size_t c : actions_) table.add_reward(std::move(columns_[c].cells));
    if (dim == 0) throw Error(sources_.name() + ": found no column for the context");
    if (dim > kMaxDim) {
      throw Error(sources_.name() + ": found " + std::to_string(dim) +
                  " places in the context, expected at most " + std::to_string(kMaxDim));
    }
    if (plan_.intercept) table.add_intercept(rows_);
    return table;
  }

  const TextPlan& plan_;
  TextSources sources_;
  TextPlace first_ = {.line = 1};
  std::vector<std::string> header_;   // the names of the columns, if the files have them
  std::vector<std::size_t> unnamed_;  // columns with nothing in the first line
  ColumnNames names_;
  std::vector<Column> columns_;
  std::vector<std::size_t> actions_;
  std::uint64_t rows_ = 0;
  std::size_t classes_ = 0;
};

}  // namespace

TableBuilder read_text_table(std::span<const TextSource> sources, const TextPlan& plan,
                             std::string* understood) {
  return TextTable(sources, plan).build(understood);
}

TableBuilder read_text_table(std::string_view text, const TextPlan& plan, std::string* understood) {
  const TextSource only{plan.file, text};
  return read_text_table(std::span(&only, 1), plan, understood);
}

}  // namespace sau::detail
