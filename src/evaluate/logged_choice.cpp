#include "sau/evaluate/logged_choice.hpp"

#include <utility>

#include "sau/core/error.hpp"

namespace sau {

void ChoiceBatch::clear() {
  features_.clear();
  ids_.clear();
  actions_.clear();
  chances_.clear();
  segments_.clear();
  offered_.clear();
  choices_.clear();
  skipped_.clear();
  begin();
}

// The next decision starts where the arrays end.
void ChoiceBatch::begin() {
  shared_ = {};
  now_ = {};
  now_.context_first = now_.context_last = features_.size();
  now_.first = now_.last = actions_.size();
  now_.segments_first = now_.segments_last = segments_.size();
}

void ChoiceBatch::end_context() { now_.context_last = features_.size(); }

void ChoiceBatch::add_action(std::string_view id, bool excluded, double chance) {
  const std::size_t first =
      actions_.size() == now_.first ? now_.context_last : actions_.back().last;
  actions_.push_back({ids_.size(), id.size(), first, features_.size(), excluded});
  ids_ += id;
  chances_.push_back(chance);
}

void ChoiceBatch::end(const Outcome& outcome) {
  now_.outcome = outcome;
  now_.last = actions_.size();
  now_.segments_last = segments_.size();
  now_.shared = shared_;
  choices_.push_back(now_);
  begin();
}

void ChoiceBatch::skip(const std::string& reason, std::uint64_t count) {
  skipped_[reason] += count;
  features_.resize(now_.context_first);
  actions_.resize(now_.first);
  chances_.resize(now_.first);
  segments_.resize(now_.segments_first);
  begin();
}

void ChoiceBatch::finish() {
  offered_.clear();
  offered_.reserve(actions_.size());
  for (const StoredAction& action : actions_) {
    offered_.push_back({std::string_view(ids_).substr(action.id, action.id_length),
                        {features_.data() + action.first, action.last - action.first},
                        action.excluded});
  }
}

LoggedChoice ChoiceBatch::operator[](std::size_t i) const noexcept {
  const Stored& stored = choices_[i];
  LoggedChoice choice{
      .context = {features_.data() + stored.context_first,
                  stored.context_last - stored.context_first},
      .actions = stored.shared,
      .chosen = stored.outcome.chosen,
      .chance = stored.outcome.chance,
      .chances = {},
      .reward = stored.outcome.reward,
      .importance = stored.outcome.importance,
      .line = stored.outcome.line,
      .time = stored.outcome.time,
      .segments = {segments_.data() + stored.segments_first,
                   stored.segments_last - stored.segments_first},
  };
  if (stored.shared.empty()) {
    choice.actions = std::span(offered_).subspan(stored.first, stored.last - stored.first);
    if (stored.outcome.all_chances) {
      choice.chances = std::span(chances_).subspan(stored.first, stored.last - stored.first);
    }
  }
  return choice;
}

}  // namespace sau
