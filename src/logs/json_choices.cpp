#include <fmt/format.h>
#include <simdjson.h>

#include <optional>
#include <utility>

#include "logs/request_choice.hpp"
#include "logs/sources.hpp"
#include "sau/core/error.hpp"
#include "store/json_field.hpp"
#include "store/line_file.hpp"

namespace sau::detail {
namespace {

using simdjson::dom::element;

constexpr std::size_t kJsonLinesRead = 256;  // of a piece

// One line of sau log export, docs/formats/log.md. Throws an Error that begins with `where`.
class JsonLine {
 public:
  JsonLine(element root, std::string where) : root_(root), where_(std::move(where)) {}

  void add_to(ChoiceBatch& batch, std::span<const std::string> by, std::uint64_t line) {
    const std::string_view id = json_text_field(root_, "rewardActionId");
    if (id.empty()) fail("rewardActionId: is missing; expected a line of sau log export");
    if (json_text_field(root_, "state") == "struck") return batch.skip("struck from the log");
    const auto reward = json_field(root_, "reward");
    if (!reward) return batch.skip("no reward");
    const auto request = json_field(root_, "request");
    if (!request || !request->is_object()) {
      fail("request: is missing; it has the context and the actions");
    }
    read_actions();
    std::size_t chosen = 0;
    while (chosen < ids_.size() && ids_[chosen] != id) ++chosen;
    if (chosen == ids_.size()) {
      fail(fmt::format("rewardActionId: '{}' is not one of the actions", id));
    }
    // All or none: a log without chances can still be evaluated by the direct method.
    if (!chances_.empty() && chances_.size() < ids_.size()) {
      fail("actions: some have a probability and some do not");
    }
    const std::string body = simdjson::minify(*request);
    add_request(batch,
                {.request = body,
                 .chosen = chosen,
                 .chance = chances_.empty() ? kNoChance : chances_[chosen],
                 .chances = chances_,
                 .reward = number(*reward, "reward"),
                 .line = line,
                 .time = parse_time(json_text_field(root_, "time")).value_or(0)},
                by, where_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw Error(where_ + ": " + why); }

  double number(element value, const std::string& field) const {
    double found = 0.0;
    if (!value.is_number() || value.get(found) != simdjson::SUCCESS) {
      fail(field + ": expected a number");
    }
    return found;
  }

  void read_actions() {
    const auto list = json_field(root_, "actions");
    simdjson::dom::array actions;
    if (!list || list->get(actions) != simdjson::SUCCESS) {
      fail("actions: expected an array of actions with their probabilities");
    }
    for (const element action : actions) {
      const std::string here = fmt::format("actions[{}]", ids_.size());
      if (!action.is_object()) fail(here + ": expected an object");
      const auto probability = json_field(action, "probability");
      ids_.push_back(json_text_field(action, "id"));
      if (probability) chances_.push_back(number(*probability, here + ".probability"));
    }
  }

  element root_;
  std::string where_;
  std::vector<std::string_view> ids_;
  std::vector<double> chances_;
};

class JsonChoices final : public FileChoices {
 public:
  JsonChoices(const std::filesystem::path& file, const std::vector<std::string>& by)
      : FileChoices(file, by) {
    rewind();
  }

  void rewind() override {
    lines_ = std::make_unique<LineFile>(file());
    line_ = 0;
  }

  std::optional<Piece> next() override {
    Lines lines{.first = line_ + 1, .list = {}, .torn = false};
    while (lines.list.size() < kJsonLinesRead) {
      const auto line = lines_->next();
      if (!line) break;
      ++line_;
      lines.list.emplace_back(line->text);
      lines.torn = !line->whole;
    }
    if (lines.list.empty()) return std::nullopt;
    return [this, lines = std::move(lines)](ChoiceBatch& batch) { read(lines, batch); };
  }

 private:
  struct Lines {
    std::uint64_t first = 1;
    std::vector<std::string> list;
    bool torn = false;  // the last one has no end
  };

  void read(const Lines& lines, ChoiceBatch& batch) const {
    thread_local simdjson::dom::parser parser;
    for (std::size_t i = 0; i < lines.list.size(); ++i) {
      const std::string& text = lines.list[i];
      if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
      const std::uint64_t line = lines.first + i;
      std::string where = fmt::format("{}, line {}", name(), line);
      element root;
      const auto error = parser.parse(text).get(root);
      if (error != simdjson::SUCCESS && lines.torn && i + 1 == lines.list.size()) {
        batch.skip("torn line at the end");
        continue;
      }
      if (error != simdjson::SUCCESS) {
        throw Error(fmt::format("{}: not JSON: {}", where, simdjson::error_message(error)));
      }
      if (!root.is_object()) throw Error(where + ": expected a JSON object");
      JsonLine(root, std::move(where)).add_to(batch, by(), line);
    }
  }

  std::unique_ptr<LineFile> lines_;
  std::uint64_t line_ = 0;
};

}  // namespace

std::unique_ptr<ChoiceSource> open_json_choices(const std::filesystem::path& file,
                                                const std::vector<std::string>& by) {
  return std::make_unique<JsonChoices>(file, by);
}

}  // namespace sau::detail
