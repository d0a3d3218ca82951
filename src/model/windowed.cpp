#include "sau/model/windowed.hpp"

#include <algorithm>

#include "sau/core/error.hpp"
#include "sau/model/members.hpp"

namespace sau {

void WindowedOptions::check() { model = one_model(JointWindowed::kName, model); }

Windowed::Windowed(const Setup& setup, const Options& options)
    : window_(options.window),
      dropped_(options.dropped()),
      dim_(setup.shape.dim),
      actions_(setup.shape.actions),
      model_(kName, options.model, setup),
      lessons_(window_),
      contexts_(window_ * dim_) {}

void Windowed::update(Context x, Action action, double reward) noexcept {
  model_->update(x, action, reward);
  lessons_[count_] = {.action = action, .value = 0.0, .reward = reward};
  std::ranges::copy(x, contexts_.data() + count_ * dim_);
  if (++count_ == window_) move_window();
}

void Windowed::move_window() noexcept {
  count_ -= dropped_;
  std::copy_n(lessons_.data() + dropped_, count_, lessons_.data());
  std::copy_n(contexts_.data() + dropped_ * dim_, count_ * dim_, contexts_.data());
  if (!model_.renew()) return;  // without memory it forgets later
  for (std::size_t i = 0; i < count_; ++i) {
    const Context x(contexts_.data() + i * dim_, dim_);
    const auto action = static_cast<Action>(lessons_[i].action);
    lessons_[i].value = values(x)[action];
    model_->update(x, action, lessons_[i].reward);
  }
}

void Windowed::state(const Windowed& self, StateWriter& writer) {
  std::vector<std::uint64_t> actions;
  std::vector<double> rewards;
  for (const Relearned& lesson : self.relearned()) {
    actions.push_back(lesson.action);
    rewards.push_back(lesson.reward);
  }
  writer("window_actions", actions);
  writer("window_rewards", rewards);
  const auto end = static_cast<std::ptrdiff_t>(self.count_ * self.dim_);
  writer("window_contexts",
         std::vector<double>(self.contexts_.begin(), self.contexts_.begin() + end));
  self.model_.save(writer);
}

void Windowed::state(Windowed& self, StateReader& reader) {
  const auto actions = reader.take_vector<std::uint64_t>("window_actions");
  const auto rewards = reader.take_vector<double>("window_rewards");
  const auto contexts = reader.take_vector<double>("window_contexts");
  if (actions.size() >= self.window_ || rewards.size() != actions.size() ||
      contexts.size() != actions.size() * self.dim_ ||
      std::ranges::any_of(actions, [&](std::uint64_t a) { return a >= self.actions_; })) {
    throw Error("its window is damaged");
  }
  self.count_ = actions.size();
  for (std::size_t i = 0; i < actions.size(); ++i) {
    self.lessons_[i] = {.action = actions[i], .value = 0.0, .reward = rewards[i]};
  }
  std::ranges::copy(contexts, self.contexts_.begin());
  self.model_.load(reader);
}

JointWindowed::JointWindowed(const Stream& stream, const Options& options, const IdOptions& ids)
    : window_(options.window),
      dropped_(options.dropped()),
      model_(kName, options.model, stream, ids),
      history_(options.window),
      left_(options.window) {}

void JointWindowed::learn(HashedFeatures context, const JointAction& action, double reward) {
  model_->learn(context, action, reward);
  history_.add(context, action, reward);
  if (--left_ > 0) return;
  left_ = dropped_;
  history_.keep_latest(window_ - dropped_);
  model_.renew();
  relearned_.clear();
  for (std::size_t i = 0; i < history_.size(); ++i) {
    const HashedEvent& event = history_[i];
    const JointAction again = event.action();
    relearned_.push_back({.action = again.features.front().hash,
                          .value = model_.value(event.context_features(), again),
                          .reward = event.reward});
    model_->learn(event.context_features(), again, event.reward);
  }
}

void JointWindowed::save(StateWriter& writer) const {
  writer("window_left", left_);
  history_.save(writer);
  model_.save(writer);
}

void JointWindowed::load(StateReader& reader) {
  reader("window_left", left_);
  if (left_ == 0 || left_ > window_) throw Error("its window is damaged");
  history_.load(reader);
  model_.load(reader);
}

}  // namespace sau
