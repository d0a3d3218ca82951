#include "sau/evaluate/csv_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "data/columns.hpp"
#include "data/delimited.hpp"
#include "model/feature_hash.hpp"
#include "sau/core/error.hpp"
#include "sau/data/unpack.hpp"

namespace sau {
namespace {

using detail::DelimitedReader;
using detail::FeatureHash;
using detail::FieldNumber;

constexpr std::array<std::string_view, 3> kActionNames = {"action", "item_id", "arm"};
constexpr std::array<std::string_view, 5> kChanceNames = {"chance", "probability", "propensity",
                                                          "propensity_score", "pscore"};
constexpr std::array<std::string_view, 3> kRewardNames = {"reward", "click", "outcome"};
constexpr std::array<std::string_view, 3> kTimeNames = {"time", "timestamp", "date"};
constexpr std::size_t kCsvRows = 512;  // of a piece

// A column that is a feature.
struct FeatureColumn {
  std::size_t place = 0;
  std::string name;
};

// The rows of a file below its header.
class CsvText {
 public:
  explicit CsvText(const std::filesystem::path& file)
      : name_(file.string()), text_(read_unpacked(file)) {
    view_ = detail::check_text(text_, name_);
    separator_ = detail::separator_of(Separator::kAuto, view_);
    DelimitedReader reader = rows();
    if (!reader.next()) throw Error(name_ + ": the file is empty");
    header_.assign(reader.fields().begin(), reader.fields().end());
  }

  const std::string& name() const noexcept { return name_; }
  const std::vector<std::string>& header() const noexcept { return header_; }
  std::string_view view() const noexcept { return view_; }
  char separator() const noexcept { return separator_; }
  DelimitedReader rows() const { return {view_, name_, separator_}; }

  // The column of this name; nothing if there is none.
  std::optional<std::size_t> find(std::string_view column) const {
    const auto found = std::ranges::find(header_, column);
    if (found == header_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - header_.begin());
  }
  std::size_t need(std::string_view column, std::string_view flag) const {
    if (const auto found = find(column)) return *found;
    throw UsageError(fmt::format("{}: there is no column '{}' (--{}); the columns are {}", name_,
                                 column, flag, fmt::join(header_, ", ")));
  }
  std::size_t need(const std::string& given, std::span<const std::string_view> usual,
                   std::string_view flag) const {
    if (!given.empty()) return need(given, flag);
    for (const std::string_view name : usual) {
      if (const auto found = find(name)) return *found;
    }
    throw UsageError(fmt::format("{}: which column is the {}? None is called {}; give --{} COLUMN",
                                 name_, flag, fmt::join(usual, ", "), flag));
  }

 private:
  std::string name_, text_;
  std::string_view view_;
  char separator_ = ',';
  std::vector<std::string> header_;
};

void check_width(const DelimitedReader& row, const CsvText& text) {
  if (row.fields().size() == text.header().size()) return;
  throw Error(fmt::format("{}, line {}: {} fields, but the header has {}", text.name(), row.line(),
                          row.fields().size(), text.header().size()));
}

void add_feature(std::vector<HashedFeature>& out, const FeatureHash& space, std::string_view name,
                 std::string_view field) {
  if (field.empty()) return;
  const FieldNumber number = detail::read_number(field);
  if (number.kind == FieldNumber::Kind::kFinite) {
    if (number.value != 0.0) {
      out.push_back({space.number(name), static_cast<float>(number.value)});
    }
  } else {
    out.push_back({space.indicator(name, field), 1.0F});
  }
}

// The actions on offer in a group, with their features.
struct Offer {
  std::vector<OfferedAction> actions;
  std::map<std::string, std::size_t, std::less<>> places;  // by id
};

class CsvChoices final : public ChoiceSource {
 public:
  CsvChoices(const std::filesystem::path& file, const CsvColumns& columns,
             const std::vector<std::string>& by)
      : text_(file) {
    action_ = text_.need(columns.action, kActionNames, "action");
    chance_ = find_chance(columns.chance);
    reward_ = text_.need(columns.reward, kRewardNames, "reward");
    if (!columns.group.empty()) group_ = text_.need(columns.group, "group");
    for (const std::string& name : by) by_.push_back(text_.need(name, "by"));
    const auto ignored = detail::list_items(columns.ignore);
    for (const std::string_view name : ignored) text_.need(name, "ignore");
    for (std::size_t c = 0; c < text_.header().size(); ++c) {
      const std::string& name = text_.header()[c];
      if (c == action_ || c == chance_ || c == reward_ || name.empty()) continue;
      if (!time_ && std::ranges::count(kTimeNames, name) > 0) time_ = c;
      if (std::ranges::count(kTimeNames, name) + std::ranges::count(ignored, name) > 0) continue;
      features_.push_back({c, name});
    }
    if (!columns.items.empty()) read_items(columns.items, columns.action);
    find_actions();
    rewind();
  }

  const std::string& name() const noexcept override { return text_.name(); }
  std::uint64_t first_line() const override { return 2; }
  bool has_order() const override { return false; }  // actions are sorted by id
  std::uint64_t last_line() const override { return last_line_; }

  std::optional<Piece> next() override {
    if (next_ >= starts_.size()) return std::nullopt;
    const std::size_t i = next_++;
    return [this, i](ChoiceBatch& batch) { read(i, batch); };
  }
  void rewind() override { next_ = 0; }

 private:
  // Nothing if there is no such column: the direct method needs none.
  std::optional<std::size_t> find_chance(const std::string& given) const {
    if (!given.empty()) return text_.need(given, "chance");
    for (const std::string_view name : kChanceNames) {
      if (const auto found = text_.find(name)) return found;
    }
    return std::nullopt;
  }

  // The features of actions: one row per action.
  void read_items(const std::filesystem::path& file, const std::string& action) {
    const CsvText items(file);
    const std::size_t id = items.need(action, kActionNames, "action");
    DelimitedReader row = items.rows();
    row.next();
    while (row.next()) {
      check_width(row, items);
      std::vector<HashedFeature> features;
      for (std::size_t c = 0; c < items.header().size(); ++c) {
        if (c == id || items.header()[c].empty()) continue;
        add_feature(features, FeatureHash(detail::kActionSide), items.header()[c], row.fields()[c]);
      }
      std::string key(row.fields()[id]);
      if (!items_.emplace(std::move(key), std::move(features)).second) {
        throw Error(fmt::format("{}, line {}: the action '{}' is listed twice", items.name(),
                                row.line(), row.fields()[id]));
      }
    }
  }

  // Reads the whole file once: which actions there are, and where pieces of it begin.
  void find_actions() {
    DelimitedReader row = text_.rows();
    row.next();
    std::size_t count = 0;
    std::size_t place = 0;
    std::uint64_t line = 1;
    const std::string_view view = text_.view();
    const auto lines = static_cast<std::uint64_t>(std::ranges::count(view, '\n')) + 1;
    while (row.next()) {
      // The end of a file that is still being written.
      torn_ = !text_.view().ends_with('\n') && row.fields().size() < text_.header().size() &&
              row.line() == lines;
      if (torn_) break;
      check_width(row, text_);
      // A record starts at the line the reader names; find that place in the text.
      while (line < row.line()) {
        const std::size_t end = view.find('\n', place);
        if (end == std::string_view::npos) break;
        place = end + 1;
        ++line;
      }
      if (count++ % kCsvRows == 0) starts_.push_back({place, line});
      add_action(group_of(row), row.fields()[action_]);
      last_line_ = row.line();
    }
    if (!items_.empty()) {
      for (auto& [group, offer] : offers_) {
        for (const auto& [id, features] : items_) add_action(group, id);
      }
    }
    for (auto& [group, offer] : offers_) finish(offer);
  }

  std::string_view group_of(const DelimitedReader& row) const {
    return group_ ? row.fields()[*group_] : std::string_view();
  }

  void add_action(std::string_view group, std::string_view id) {
    auto found = offers_.find(group);
    if (found == offers_.end()) found = offers_.emplace(std::string(group), Offer{}).first;
    if (!found->second.places.contains(id)) found->second.places.emplace(std::string(id), 0);
  }

  // Actions in the order of their ids: numbers by value, then texts.
  void finish(Offer& offer) const {
    std::vector<std::pair<double, std::string_view>> order;
    for (const auto& [id, place] : offer.places) {
      const FieldNumber number = detail::read_number(id);
      const bool finite = number.kind == FieldNumber::Kind::kFinite;
      order.emplace_back(finite ? number.value : 2.0 * detail::kLargestNumber, id);
    }
    std::ranges::sort(order);
    for (const auto& [value, id] : order) {
      offer.places.find(id)->second = offer.actions.size();
      OfferedAction action{.id = id, .features = {}};
      if (const auto item = items_.find(id); item != items_.end()) action.features = item->second;
      offer.actions.push_back(action);
    }
  }

  void read(std::size_t piece, ChoiceBatch& batch) const {
    const Start& start = starts_[piece];
    const std::size_t end =
        piece + 1 < starts_.size() ? starts_[piece + 1].place : text_.view().size();
    DelimitedReader row(text_.view().substr(start.place, end - start.place), text_.name(),
                        text_.separator());
    const FeatureHash space(detail::kContextSide);
    while (row.next()) {
      if (torn_ && start.line + row.line() - 1 > last_line_) {
        batch.skip("torn line at the end");
        break;
      }
      for (const FeatureColumn& column : features_) {
        add_feature(batch.features(), space, column.name, row.fields()[column.place]);
      }
      batch.end_context();
      for (const std::size_t column : by_) batch.add_segment(std::string(row.fields()[column]));
      const Offer& offer = offers_.find(group_of(row))->second;
      batch.share_actions(offer.actions);
      const std::uint64_t line = start.line + row.line() - 1;
      batch.end({.chosen = offer.places.find(row.fields()[action_])->second,
                 .chance = chance_ ? number(row, *chance_, line) : kNoChance,
                 .all_chances = false,
                 .reward = number(row, reward_, line),
                 .line = line,
                 .time = time_ ? parse_time(row.fields()[*time_]).value_or(0) : 0});
    }
  }

  double number(const DelimitedReader& row, std::size_t column, std::uint64_t line) const {
    const std::string_view field = row.fields()[column];
    const FieldNumber found = detail::read_number(field);
    if (found.kind == FieldNumber::Kind::kFinite) return found.value;
    throw Error(fmt::format("{}, line {}: column '{}' is '{}'; expected a number", text_.name(),
                            line, text_.header()[column], field));
  }

  struct Start {
    std::size_t place = 0;
    std::uint64_t line = 0;
  };

  CsvText text_;
  std::size_t action_ = 0, reward_ = 0;
  std::optional<std::size_t> chance_, group_, time_;
  std::vector<std::size_t> by_;
  std::vector<FeatureColumn> features_;
  std::map<std::string, std::vector<HashedFeature>, std::less<>> items_;
  std::map<std::string, Offer, std::less<>> offers_;  // by group
  std::vector<Start> starts_;                         // of the pieces
  std::uint64_t last_line_ = 1;
  bool torn_ = false;  // the last line is not whole
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<ChoiceSource> open_csv_choices(const std::filesystem::path& file,
                                               const CsvColumns& columns,
                                               const std::vector<std::string>& by) {
  return std::make_unique<CsvChoices>(file, columns, by);
}

}  // namespace sau
