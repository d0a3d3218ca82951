#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace sau::detail {

// Ids for requests that have none: unique, and impossible to guess.
class EventIds {
 public:
  // Throws Error when the system provides no random numbers.
  EventIds();
  std::string next();

 private:
  std::uint64_t words_[4];
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace sau::detail
