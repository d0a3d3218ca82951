#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "sau/serve/service.hpp"

namespace sau::detail {

// The first answer to each of the latest event ids. Thread-safe.
class RecentAnswers {
 public:
  struct Entry {
    std::uint64_t fingerprint = 0;  // of the request
    RankAnswer answer;
  };
  // Changes nothing if there is one with this event id.
  void add(Entry entry);
  std::optional<Entry> find(const std::string& event_id) const;

 private:
  static constexpr std::size_t kKept = 10'000;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
  std::deque<std::string> order_;
};

}  // namespace sau::detail
