#include "sau/http/http_reply.hpp"

#include "http/reply_state.hpp"

namespace sau {
namespace {

class ReplyToFunction final : public detail::ReplyState {
 public:
  explicit ReplyToFunction(std::function<void(HttpResponse)> taker) : taker_(std::move(taker)) {}
  ReplyToFunction(const ReplyToFunction&) = delete;
  ReplyToFunction& operator=(const ReplyToFunction&) = delete;
  ~ReplyToFunction() override {
    if (called()) return;
    try {
      taker_(text_response(500, "the server failed to answer this"));
    } catch (...) {  // a destructor cannot report it
    }
  }

 private:
  void deliver(HttpResponse response) override { taker_(std::move(response)); }

  std::function<void(HttpResponse)> taker_;
};

}  // namespace

HttpReply::HttpReply(std::function<void(HttpResponse)> taker)
    : state_(std::make_shared<ReplyToFunction>(std::move(taker))) {}

HttpReply::HttpReply(std::shared_ptr<detail::ReplyState> state) noexcept
    : state_(std::move(state)) {}

void HttpReply::operator()(HttpResponse response) const { state_->answer(std::move(response)); }

}  // namespace sau
