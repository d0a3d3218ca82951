#include "serve/event_ids.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include "core/hash.hpp"
#include "sau/core/error.hpp"

namespace sau::detail {

EventIds::EventIds() {
  if (getrandom(words_, sizeof words_, 0) != sizeof words_) {
    throw Error("the system provides no random numbers for event ids");
  }
}

std::string EventIds::next() {
  const std::uint64_t count = count_.fetch_add(1, std::memory_order_relaxed);
  return fmt::format("{:016x}{:016x}", XXH3_64bits_withSeed(words_, sizeof words_, count),
                     XXH3_64bits_withSeed(words_, sizeof words_, ~count));
}

}  // namespace sau::detail
