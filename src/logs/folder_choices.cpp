#include <fmt/format.h>

#include <deque>
#include <memory>
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

constexpr std::size_t kFolderEvents = 256, kPiecesAhead = 16;  // of a piece; pieces

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
  void rewind() override {
    next_ = first_;
    waiting_.clear();
  }

  std::optional<Piece> next() override {
    if (waiting_.empty()) read_ahead();
    if (waiting_.empty()) return std::nullopt;
    auto events = std::make_shared<Events>(std::move(waiting_.front()));
    waiting_.pop_front();
    return [this, events = std::move(events)](ChoiceBatch& batch) {
      std::vector<double> chances;
      for (const Event& event : events->list) {
        read(event, std::string_view(events->bytes).substr(event.first, event.length), chances,
             batch);
      }
    };
  }

 private:
  struct Event {
    Sequence sequence = 0;
    std::size_t first = 0, length = 0;  // of the encoded decision in the bytes
    EventState state;
  };
  // The events of a piece.
  struct Events {
    std::string bytes;
    std::vector<Event> list;
  };

  // Several pieces at once: to begin in the middle of the store takes as long as many events do.
  void read_ahead() {
    good(store_->events(next_, last_, [&](const LoggedEvent& event) {
      if (waiting_.empty() || waiting_.back().list.size() == kFolderEvents) {
        if (waiting_.size() == kPiecesAhead) return false;
        waiting_.emplace_back().list.reserve(kFolderEvents);
      }
      Events& piece = waiting_.back();
      piece.list.push_back(
          {event.sequence, piece.bytes.size(), event.decision.size(), event.state});
      piece.bytes += event.decision;
      next_ = event.sequence + 1;
      return true;
    }));
  }

  void read(const Event& event, std::string_view bytes, std::vector<double>& chances,
            ChoiceBatch& batch) const {
    if (event.state.time < from_ || event.state.time >= until_) {
      return batch.skip("not of the time asked for");
    }
    if (event.state.struck) return batch.skip("struck from the log");
    if (!has_outcome(event.state)) {
      return batch.skip(event.state.phase == EventPhase::kWaiting ? "no reward yet"
                                                                  : "never activated");
    }
    const Decision decision = good(decode_decision(bytes));
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
  std::deque<Events> waiting_;  // pieces that were read ahead
};

}  // namespace

std::unique_ptr<ChoiceSource> open_folder_choices(const std::filesystem::path& folder,
                                                  const ChoiceOptions& options) {
  return std::make_unique<FolderChoices>(folder, options);
}

}  // namespace sau::detail
