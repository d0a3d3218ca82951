#pragma once

#include <memory>

#include "serve/journal.hpp"
#include "serve/learner.hpp"
#include "serve/service_backend.hpp"
#include "serve/settings.hpp"

namespace sau::detail {

// A service with a log and a learner of its own: that of one machine, or the trainer of a cluster.
// Thread-safe.
class LocalService : public ServiceBackend {
 public:
  // For a trainer: takes a message (journal.hpp).
  virtual void feed(FeedOperation message) = 0;
  virtual const SharedStore& store() const = 0;
  // Includes what is not published yet.
  virtual LearnedSoFar learned() const = 0;
  virtual Sequence published_version() const = 0;
  virtual std::size_t early_rewards() const = 0;
  virtual std::size_t waiting() const = 0;  // events without their reward
  virtual const FolderSettings& settings() const = 0;
  // Shown by status(): the members of a cluster, as JSON. Set before anybody asks.
  virtual void show_cluster(std::function<std::string()> members) = 0;
};

// `fed`: the service takes nothing but the messages given to feed(), and these also tell the time.
std::unique_ptr<LocalService> make_local_service(ServiceOptions options, bool fed);

}  // namespace sau::detail
