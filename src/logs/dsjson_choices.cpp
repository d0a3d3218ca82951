#include <fmt/format.h>

#include <optional>
#include <utility>

#include "logs/request_choice.hpp"
#include "logs/sources.hpp"
#include "sau/core/error.hpp"
#include "sau/store/dsjson.hpp"
#include "store/line_file.hpp"

namespace sau::detail {
namespace {

constexpr std::size_t kDsjsonEvents = 256;  // of a piece

class DsjsonChoices final : public FileChoices {
 public:
  DsjsonChoices(const std::filesystem::path& file, const std::vector<std::string>& by)
      : FileChoices(file, by) {
    outcomes_.add(file);
    rewind();
  }

  void rewind() override {
    reader_ = std::make_unique<DsjsonReader>(file(), DsjsonOptions{.outcomes = &outcomes_});
    ended_ = false;
  }

  std::optional<Piece> next() override {
    if (ended_) return std::nullopt;
    std::vector<Event> events;
    while (events.size() < kDsjsonEvents && !ended_) {
      const DsjsonEvent* event = reader_->next();
      if (event == nullptr) {
        ended_ = true;
      } else {
        events.push_back({event->line, event->request, event->chosen, *event->probability,
                          event->distribution, event->reward, 1.0 / (1.0 - event->drop),
                          event->time.value_or(0), event->inactive});
      }
    }
    // What was left out is known at the end.
    std::string left_out = ended_ ? reader_->counts().left_out_text() : "";
    const std::uint64_t count = reader_->counts().left_out();
    return [this, events = std::move(events), left_out, count](ChoiceBatch& batch) {
      for (const Event& event : events) {
        if (event.inactive) {
          batch.skip("never activated");
          continue;
        }
        add_request(batch,
                    {.request = event.request,
                     .chosen = event.chosen,
                     .chance = event.chance,
                     .chances = event.chances,
                     .reward = event.reward,
                     .importance = event.importance,
                     .line = event.line,
                     .time = event.time},
                    by(), fmt::format("{}, line {}", name(), event.line));
      }
      if (!left_out.empty()) batch.skip(left_out, count);
    };
  }

 private:
  struct Event {
    std::uint64_t line = 0;
    std::string request;
    std::size_t chosen = 0;
    double chance = 0.0;
    std::vector<double> chances;
    double reward = 0.0, importance = 1.0;
    Milliseconds time = 0;
    bool inactive = false;
  };

  DsjsonOutcomes outcomes_;
  std::unique_ptr<DsjsonReader> reader_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ChoiceSource> open_dsjson_choices(const std::filesystem::path& file,
                                                  const std::vector<std::string>& by) {
  return std::make_unique<DsjsonChoices>(file, by);
}

}  // namespace sau::detail
