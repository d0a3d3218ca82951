#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sau/serve/configuration.hpp"
#include "sau/serve/rank_request.hpp"
#include "serve/journal.hpp"
#include "serve/learner.hpp"

namespace sau::detail {

// What the agent forecasts for each action. The probabilities are those of the service, with the
// configuration's share of uniform choices and its floor.
void decide_as_served(const OfferAgent& agent, const Configuration& configuration,
                      HashedFeatures context, std::span<const OfferedAction> actions,
                      std::span<Forecast> forecasts);

// Answers a request, which has an event id: the record to write, and the answer once it is written.
// The draw depends only on the seed, the event id and the probabilities.
RankOperation decide(RankRequest request, std::string body, const Configuration& configuration,
                     const PublishedModel& model, std::uint64_t seed);

}  // namespace sau::detail
