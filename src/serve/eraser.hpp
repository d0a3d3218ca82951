#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sau/serve/erased.hpp"
#include "serve/activity.hpp"
#include "serve/erasing.hpp"
#include "serve/journal.hpp"
#include "serve/learner.hpp"
#include "serve/shared_store.hpp"

namespace sau::detail {

// Erases events while the service decides and learns. First the log says that they no longer count,
// and the learner rebuilds its model without them. Then the log is written a second time without
// them, while the first one grows. When the copy has nearly caught up, the journal copies the last
// records between two batches and puts it in the place of the first.
class Eraser {
 public:
  Eraser(std::filesystem::path folder, SharedStore& store, Journal& journal, Learner& learner,
         Activity& activity)
      : folder_(std::move(folder)),
        store_(store),
        journal_(journal),
        learner_(learner),
        activity_(activity) {}

  // Events that were acknowledged before the call. Takes as long as learning from the log and
  // copying it: the caller waits. Thread-safe.
  Result<Erased> erase(std::string_view json);
  // What is under way gives up. The log then says that the events do not count, but has them.
  void stop() noexcept { stopping_ = true; }

 private:
  Result<Erasing> find(const std::vector<std::string>& event_ids,
                       const std::vector<UserFeature>& users) const;
  // The log says that these events do not count.
  void strike(const Erasing& erasing, Sequence fixed);
  // The log has nothing about them any more.
  Erased rewrite(const Erasing& erasing, Sequence fixed);
  void check_running() const;

  std::filesystem::path folder_;
  SharedStore& store_;
  Journal& journal_;
  Learner& learner_;
  Activity& activity_;
  std::mutex mutex_;  // one at a time
  std::atomic<bool> stopping_{false};
};

struct EraseRequest {
  std::vector<std::string> event_ids;
  std::vector<UserFeature> users;
};
// {"events": [id, ...], "users": [{feature: value}, ...]}, at least one of them.
Result<EraseRequest> read_erase_request(std::string_view json);

}  // namespace sau::detail
