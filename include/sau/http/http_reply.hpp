#pragma once

#include <functional>
#include <memory>

#include "sau/http/http_message.hpp"

namespace sau {

namespace detail {
class ReplyState;
}

// The way back to whoever sent a request. To be called once, by any thread, at once or later; of
// several calls, also of copies, the first one counts. When the last copy goes without a call, the
// request is answered with 500. It may outlive the connection and the server: what it is given then
// goes nowhere.
class HttpReply {
 public:
  // One that ends in a function, for handlers that are called without a server.
  explicit HttpReply(std::function<void(HttpResponse)> taker);
  explicit HttpReply(std::shared_ptr<detail::ReplyState> state) noexcept;

  void operator()(HttpResponse response) const;

 private:
  std::shared_ptr<detail::ReplyState> state_;
};

}  // namespace sau
