#include "sau/store/dsjson.hpp"

#include <fmt/format.h>

#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "store/dsjson_line.hpp"
#include "store/json_field.hpp"
#include "store/line_file.hpp"

namespace sau {
namespace {

using detail::DsjsonKind;
using detail::json_field;

}  // namespace

std::string DsjsonCounts::left_out_text() const {
  std::string text;
  const auto add = [&text](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count == 0) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? one : many);
  };
  add(unlabelled, "decision without a reward", "decisions without a reward");
  add(multi_slot, "multi-slot decision, which is not read",
      "multi-slot decisions, which are not read");
  add(outcomes, "reward apart from its decision", "rewards apart from their decisions");
  add(other, "line without a decision", "lines without a decision");
  add(wrong, "faulty line", "faulty lines");
  add(torn, "torn line at the end", "torn lines at the end");
  return text;
}

void DsjsonOutcomes::add(const std::filesystem::path& file) {
  detail::LineFile lines(file);
  simdjson::dom::parser parser;
  while (const auto line = lines.next()) {
    // Few lines are outcomes, and finding a word takes much less time than reading the line.
    if (line->text.find("\"RewardValue\"") == std::string_view::npos) continue;
    simdjson::dom::element root;
    if (parser.parse(line->text.data(), line->text.size()).get(root) != simdjson::SUCCESS) continue;
    const auto value = json_field(root, "RewardValue");
    const std::string_view id = detail::json_text_field(root, "EventId");
    if (!value || id.empty() || json_field(root, "c")) continue;
    Outcome& outcome = by_id_[std::string(id)];
    double reward = 0.0;
    // The first one counts.
    if (!outcome.reward && value->is_number() && value->get(reward) == simdjson::SUCCESS) {
      outcome.reward = reward;
    }
    const auto observed = json_field(root, "Observations");
    if (observed && detail::says_activated(*observed)) outcome.activated = true;
  }
}

const DsjsonOutcomes::Outcome* DsjsonOutcomes::find(std::string_view event_id) const {
  const auto found = by_id_.find(event_id);
  return found == by_id_.end() ? nullptr : &found->second;
}

class DsjsonReader::Implementation {
 public:
  Implementation(const std::filesystem::path& file, DsjsonOptions options)
      : name_(file.string()), lines_(file), options_(options) {}

  const DsjsonEvent* next() {
    while (const auto line = lines_.next()) {
      ++counts_.lines;
      const std::string_view text = trimmed(line->text);
      if (text.empty()) {
        ++counts_.empty;
      } else if (!text.starts_with('{')) {
        ++counts_.other;
      } else if (is_event(text, line->whole)) {
        ++counts_.events;
        event_.line = counts_.lines;
        return &event_;
      }
    }
    return nullptr;
  }

  const DsjsonCounts& counts() const noexcept { return counts_; }
  const detail::LineFile& lines() const noexcept { return lines_; }

 private:
  // Counts the line if it is not one.
  bool is_event(std::string_view text, bool whole) {
    simdjson::dom::element root;
    const auto error = parser_.parse(text.data(), text.size()).get(root);
    if (error != simdjson::SUCCESS && !whole) {
      ++counts_.torn;
      return false;
    }
    try {
      if (error == simdjson::NUMBER_ERROR) throw Error("a number is malformed or too large");
      if (error != simdjson::SUCCESS) {
        throw Error(fmt::format("not JSON: {}", simdjson::error_message(error)));
      }
      return counted(detail::read_dsjson_line(root, options_, event_));
    } catch (const Error& fault) {
      std::string where = fmt::format("{}, line {}: {}", name_, counts_.lines, fault.what());
      if (!options_.skip_wrong) throw Error(where);
      if (counts_.wrong++ == 0) counts_.first_wrong = std::move(where);
      return false;
    }
  }

  bool counted(DsjsonKind kind) {
    switch (kind) {
      case DsjsonKind::kEvent:
        return true;
      case DsjsonKind::kOther:
        ++counts_.other;
        break;
      case DsjsonKind::kMultiSlot:
        ++counts_.multi_slot;
        break;
      case DsjsonKind::kOutcome:
        ++counts_.outcomes;
        break;
      case DsjsonKind::kUnlabelled:
        ++counts_.unlabelled;
        break;
    }
    return false;
  }

  std::string name_;
  detail::LineFile lines_;
  DsjsonOptions options_;
  simdjson::dom::parser parser_;
  DsjsonCounts counts_;
  DsjsonEvent event_;
};

DsjsonReader::DsjsonReader(const std::filesystem::path& file, DsjsonOptions options)
    : implementation_(std::make_unique<Implementation>(file, options)) {}
DsjsonReader::~DsjsonReader() = default;
const DsjsonEvent* DsjsonReader::next() { return implementation_->next(); }
const DsjsonCounts& DsjsonReader::counts() const noexcept { return implementation_->counts(); }
std::uint64_t DsjsonReader::checksum() const noexcept {
  return implementation_->lines().checksum();
}
std::uint64_t DsjsonReader::bytes() const noexcept { return implementation_->lines().bytes(); }

}  // namespace sau
