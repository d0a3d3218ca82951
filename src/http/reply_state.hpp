#pragma once

#include <atomic>
#include <utility>

#include "sau/http/http_message.hpp"

namespace sau::detail {

// What the copies of a reply share: that one answer at most gets through.
class ReplyState {
 public:
  ReplyState() = default;
  ReplyState(const ReplyState&) = delete;
  ReplyState& operator=(const ReplyState&) = delete;
  // Whoever derives from this says here what becomes of a request that was not answered.
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
