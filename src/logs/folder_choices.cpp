#include <fmt/format.h>

#include <optional>
#include <utility>

#include "logs/request_choice.hpp"
#include "logs/sources.hpp"
#include "sau/core/error.hpp"
#include "sau/store/event_store.hpp"
#include "serve/decision_text.hpp"
#include "serve/replayer.hpp"
#include "serve/settings.hpp"

namespace sau::detail {
namespace {

constexpr std::size_t kFolderEvents = 256;  // of a piece

// The log of a service, as of the moment it was opened.
class FolderChoices final : public ChoiceSource {
 public:
  FolderChoices(const std::filesystem::path& folder, const ChoiceOptions& options)
      : name_(folder.string()), by_(options.by), from_(options.from), until_(options.until) {
    read_folder(folder);
    store_ = open_event_store(log_folder(folder), {.read_only = true, .verify = false});
    first_ = store_->base().last + 1;
    last_ = store_->head().last;
    next_ = first_;
  }

  const std::string& name() const noexcept override { return name_; }
  std::uint64_t first_line() const override { return first_; }
  std::uint64_t last_line() const override { return last_; }
  void rewind() override { next_ = first_; }

  std::optional<Piece> next() override {
    std::vector<Event> events;
    good(store_->events(next_, last_, [&](const LoggedEvent& event) {
      events.push_back({event.sequence, std::string(event.decision), event.state});
      next_ = event.sequence + 1;
      return events.size() < kFolderEvents;
    }));
    if (events.empty()) return std::nullopt;
    return [this, events = std::move(events)](ChoiceBatch& batch) {
      std::vector<double> chances;
      for (const Event& event : events) read(event, chances, batch);
    };
  }

 private:
  struct Event {
    Sequence sequence = 0;
    std::string decision;  // encoded
    EventState state;
  };

  void read(const Event& event, std::vector<double>& chances, ChoiceBatch& batch) const {
    if (event.state.time < from_ || event.state.time >= until_) {
      return batch.skip("not of the time asked for");
    }
    if (event.state.struck) return batch.skip("struck from the log");
    if (!has_outcome(event.state)) {
      return batch.skip(event.state.phase == EventPhase::kWaiting ? "no reward yet"
                                                                  : "never activated");
    }
    const Decision decision = good(decode_decision(event.decision));
    chances.clear();
    for (const DecidedAction& action : decision.actions) chances.push_back(action.probability);
    add_request(batch,
                {.request = decision.request,
                 .chosen = decision.chosen,
                 .chance = chances[decision.chosen],
                 .chances = chances,
                 .reward = event.state.final_reward,
                 .line = event.sequence,
                 .time = decision.time},
                by_, fmt::format("{}, record {}", name_, event.sequence));
  }

  std::string name_;
  std::vector<std::string> by_;
  Milliseconds from_, until_;
  std::unique_ptr<EventStore> store_;
  Sequence first_ = 1, last_ = 0, next_ = 1;
};

}  // namespace

std::unique_ptr<ChoiceSource> open_folder_choices(const std::filesystem::path& folder,
                                                  const ChoiceOptions& options) {
  return std::make_unique<FolderChoices>(folder, options);
}

}  // namespace sau::detail
