#pragma once

#include <atomic>
#include <utility>

#include "sau/http/http_message.hpp"

namespace sau::detail {

// Shared by the copies of a reply: lets at most one answer through.
class ReplyState {
 public:
  ReplyState() = default;
  ReplyState(const ReplyState&) = delete;
  ReplyState& operator=(const ReplyState&) = delete;
  // A derived class handles a request that was never answered in its destructor.
  virtual ~ReplyState() = default;

  void answer(HttpResponse response) {
    if (!called_.exchange(true)) deliver(std::move(response));
  }

 protected:
  virtual void deliver(HttpResponse response) = 0;

  bool called() const noexcept { return called_; }

 private:
  std::atomic<bool> called_ = false;
};

}  // namespace sau::detail
