#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/event_ids.hpp"
#include "serve/journal.hpp"
#include "serve/learner.hpp"
#include "serve/metrics.hpp"
#include "serve/settings.hpp"

namespace sau::detail {

// Events with several slots (slots_request.hpp). Thread-safe.
class Slots {
 public:
  Slots(const RequestLimits& limits, const FolderSettings& settings,
        const Current<Configuration>& configuration, const SharedStore& store, Learner& learner,
        Journal& journal, Metrics& metrics)
      : limits_(limits),
        settings_(settings),
        configuration_(configuration),
        store_(store),
        learner_(learner),
        journal_(journal),
        metrics_(metrics) {}

  void rank(std::string_view body, const Answer<SlotsAnswer>& answer);
  void reward(std::string_view event_id, std::string_view body, const Answer<Done>& answer);
  void activate(std::string_view event_id, const Answer<Done>& answer);

 private:
  // The slots of an event, in their order; a failure if there is no such event, or if it has none.
  Result<std::vector<std::string>> slots_of(std::string_view event_id) const;

  const RequestLimits& limits_;
  const FolderSettings& settings_;
  const Current<Configuration>& configuration_;
  const SharedStore& store_;
  Learner& learner_;
  Journal& journal_;
  Metrics& metrics_;
  EventIds ids_;
};

}  // namespace sau::detail
