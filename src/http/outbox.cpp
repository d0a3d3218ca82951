#include "http/outbox.hpp"

#include <boost/asio/post.hpp>
#include <new>
#include <utility>

#include "http/reply_state.hpp"

namespace sau::detail {
namespace {

class ReplyToOutbox final : public ReplyState {
 public:
  ReplyToOutbox(std::shared_ptr<Outbox> outbox, const Ticket& ticket)
      : outbox_(std::move(outbox)), ticket_(ticket) {}
  ReplyToOutbox(const ReplyToOutbox&) = delete;
  ReplyToOutbox& operator=(const ReplyToOutbox&) = delete;
  ~ReplyToOutbox() override {
    if (!called()) outbox_->put({.ticket = ticket_, .response = std::nullopt});
  }

 private:
  void deliver(HttpResponse response) override {
    outbox_->put({.ticket = ticket_, .response = std::move(response)});
  }

  const std::shared_ptr<Outbox> outbox_;
  const Ticket ticket_;
};

}  // namespace

Outbox::Outbox(boost::asio::io_context& io, std::function<void()> wake)
    : io_(&io), wake_(std::move(wake)) {}

HttpReply Outbox::reply_to(const std::shared_ptr<Outbox>& outbox, const Ticket& ticket) {
  return HttpReply(std::make_shared<ReplyToOutbox>(outbox, ticket));
}

void Outbox::put(Delivery delivery) noexcept {
  if (std::this_thread::get_id() == sender_ && calling_ == delivery.ticket) {
    at_once_ = std::move(delivery);
    return;
  }
  const std::scoped_lock lock(mutex_);
  if (io_ == nullptr) return;
  const Ticket ticket = delivery.ticket;
  try {
    waiting_.push_back(std::move(delivery));
  } catch (const std::bad_alloc&) {
    if (lost_count_ < lost_.size()) lost_[lost_count_++] = ticket;
    return;
  }
  try {
    if (waiting_.size() == 1) boost::asio::post(*io_, [this] { wake_(); });
  } catch (const std::bad_alloc&) {  // the worker's next tick finds it
  }
}

void Outbox::close() {
  const std::scoped_lock lock(mutex_);
  io_ = nullptr;
  waiting_.clear();
}

void Outbox::own() { sender_ = std::this_thread::get_id(); }

void Outbox::begin_call(const Ticket& ticket) { calling_ = ticket; }

std::optional<Delivery> Outbox::end_call() {
  calling_.reset();
  return std::exchange(at_once_, std::nullopt);
}

void Outbox::take(std::vector<Delivery>& into) {
  into.clear();
  const std::scoped_lock lock(mutex_);
  into.swap(waiting_);
  for (; lost_count_ > 0; --lost_count_) {
    into.push_back({.ticket = lost_[lost_count_ - 1], .response = std::nullopt});
  }
}

}  // namespace sau::detail
