#include "sau/problem/events.hpp"

#include <numeric>

#include "problem/event_log.hpp"
#include "sau/core/error.hpp"

namespace sau {

Events::Events(const Stream& stream, const Options& options) : file_(options.file) {
  if (options.file.empty()) {
    throw UsageError("events: file is missing; write events(file=PATH)");
  }
  log_ = detail::open_event_log(options.file);
  order_.resize(log_->events());
  std::iota(order_.begin(), order_.end(), 0U);
  Rng rng(stream);
  if (options.order == EventOrder::kRandom) rng.shuffle(std::span(order_));
}

RewardRange Events::rewards() const { return log_->rewards(); }

std::string Events::data() const { return log_->fingerprint(); }

Situation Events::next(Rng&) {
  event_ = order_[place_];
  place_ = (place_ + 1) % order_.size();
  offer_.clear();
  for (const detail::EventLog::Offer& offer : log_->offers(event_)) {
    offer_.push_back(
        {.id = offer.id, .features = log_->features(offer), .excluded = offer.excluded});
  }
  return {.context = log_->context(event_), .actions = offer_};
}

std::string Events::request() {
  if (text_.empty()) text_ = log_->read_again(file_);
  return log_->request(event_, text_);
}

double Events::pull(Action action, Rng&) { return log_->offers(event_)[action].reward; }

double Events::regret(Action action) const {
  return log_->best(event_) - log_->offers(event_)[action].reward;
}

}  // namespace sau
