#pragma once

#include <functional>
#include <memory>

#include "sau/http/http_message.hpp"

namespace sau {

namespace detail {
class ReplyState;
}

// Answers a request. Call it once, from any thread, now or later; of several calls, including calls
// of copies, the first one counts. If the last copy is destroyed without a call, the request is
// answered with 500. It may outlive the connection and the server; a response given then is
// dropped.
class HttpReply {
 public:
  // Passes the response to a function, for handlers that are called without a server.
  explicit HttpReply(std::function<void(HttpResponse)> taker);
  explicit HttpReply(std::shared_ptr<detail::ReplyState> state) noexcept;

  void operator()(HttpResponse response) const;

 private:
  std::shared_ptr<detail::ReplyState> state_;
};

}  // namespace sau
