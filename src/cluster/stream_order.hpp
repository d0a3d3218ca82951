#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/nats_link.hpp"
#include "cluster/recent_answers.hpp"

namespace sau::detail {

// The decisions of the stream in their order, as far as a node needs them to answer with the first
// one of an event. It reads what the other nodes have shipped before the node's own messages, from
// some messages before the first of these. One thread calls read_to(); the rest is thread-safe.
class StreamOrder {
 public:
  // Reads a message of the stream; nothing if it is not there.
  using Read = std::function<Result<std::optional<StreamMessage>>(std::uint64_t number)>;
  explicit StreamOrder(Read read) : read_(std::move(read)) {}

  // Reads everything before message `number`, which has these bytes, and then that one. Fails if
  // the stream cannot be read; a later call goes on.
  Status read_to(std::uint64_t number, std::string_view bytes);

  std::optional<RecentAnswers::Entry> first(const std::string& event_id) const {
    return firsts_.find(event_id);
  }

 private:
  static constexpr std::uint64_t kBefore = 500;  // messages

  void add(std::string_view message);

  const Read read_;
  std::uint64_t next_ = 0;  // message to be read
  RecentAnswers firsts_;
};

}  // namespace sau::detail
