#include "serve/decide.hpp"

#include <algorithm>
#include <memory_resource>
#include <utility>
#include <vector>

#include "core/hash.hpp"
#include "sau/core/draw.hpp"
#include "sau/core/floor.hpp"
#include "sau/core/rng.hpp"
#include "sau/core/stack_memory.hpp"

namespace sau::detail {
namespace {

// The event id seeds the draw: a retry draws the same.
double draw_of(std::uint64_t seed, std::string_view event_id) {
  const std::uint64_t event = hash_of(event_id);
  return Rng(Stream{seed, event, 0, Role::kServe}).uniform();
}

// Excluded actions keep the probability 0.
void apply_floor(double floor, std::span<const OfferedAction> offered,
                 std::span<Forecast> forecasts) {
  if (floor == 0.0) return;
  StackMemory<2048> memory;
  std::pmr::vector<double> probability(memory.resource());
  probability.reserve(forecasts.size());
  for (std::size_t i = 0; i < offered.size(); ++i) {
    if (!offered[i].excluded) probability.push_back(forecasts[i].probability);
  }
  raise_to_floor(floor, probability);
  for (std::size_t i = 0, next = 0; i < offered.size(); ++i) {
    if (!offered[i].excluded) forecasts[i].probability = probability[next++];
  }
}

// What the log keeps about a committee and pooled residuals.
DecidedCommittee committee_of(const std::vector<float>& weights,
                              std::span<const Forecast> forecasts) {
  DecidedCommittee committee{
      .weights = weights, .disagreement = {}, .bonuses = {}, .pooled = forecasts.front().pooled};
  if (weights.empty()) return committee;
  for (const Forecast& forecast : forecasts) {
    committee.disagreement.push_back(static_cast<float>(forecast.disagreement));
    committee.bonuses.push_back(static_cast<float>(forecast.bonus));
  }
  return committee;
}

}  // namespace

void decide_as_served(const OfferAgent& agent, const Configuration& configuration,
                      HashedFeatures context, std::span<const OfferedAction> actions,
                      std::span<Forecast> forecasts) {
  agent.decide(context, actions, configuration.exploration_percentage, forecasts);
  apply_floor(configuration.probability_floor, actions, forecasts);
}

RankOperation decide(RankRequest request, std::string body, const Configuration& configuration,
                     const PublishedModel& model, std::uint64_t seed) {
  StackMemory<4096> memory;
  std::pmr::vector<OfferedAction> offered(memory.resource());
  offered.reserve(request.actions.size());
  for (std::size_t i = 0; i < request.actions.size(); ++i) offered.push_back(request.offered(i));
  std::pmr::vector<Forecast> forecasts(offered.size(), memory.resource());
  decide_as_served(*model.agent, configuration, request.context(), offered, forecasts);
  const std::size_t policy =
      draw_from(forecasts, draw_of(seed, request.event_id), &Forecast::probability);
  const auto baseline = static_cast<std::size_t>(
      std::ranges::find(request.actions, false, &RankRequest::Action::excluded) -
      request.actions.begin());
  std::size_t chosen = policy;
  if (configuration.learning_mode == LearningMode::kApprentice) {
    // The caller's own choice, with certainty.
    chosen = baseline;
    for (Forecast& forecast : forecasts) forecast.probability = 0.0;
    forecasts[chosen].probability = 1.0;
  }
  Decision decision{.time = 0,
                    .event_id = std::move(request.event_id),
                    .fingerprint = request.fingerprint,
                    .model_version = model.version,
                    .mode = configuration.learning_mode,
                    .deferred = request.defer_activation,
                    .chosen = static_cast<std::uint32_t>(chosen),
                    .policy = static_cast<std::uint32_t>(policy),
                    .baseline = static_cast<std::uint32_t>(baseline),
                    .actions = {},
                    .request = std::move(body)};
  RankOperation operation{.record = {},
                          .fingerprint = decision.fingerprint,
                          .mode = decision.mode,
                          .deferred = decision.deferred,
                          .explored = false,
                          .agreed = policy == chosen,
                          .answer = {.ranking = {}, .event_id = {}, .chosen = chosen},
                          .done = {}};
  decision.actions.reserve(forecasts.size());
  operation.answer.ranking.reserve(forecasts.size());
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    const Forecast& forecast = forecasts[i];
    if (!offered[i].excluded && forecast.value > forecasts[policy].value) operation.explored = true;
    decision.actions.push_back(
        {forecast.value, forecast.spread, forecast.variance, forecast.probability, forecast.count});
    // `offered` refers to these ids, but is no longer used for them.
    operation.answer.ranking.push_back({std::move(request.actions[i].id), forecast.probability});
  }
  decision.committee = committee_of(model.member_weights, forecasts);
  encode(decision, operation.record);
  operation.answer.event_id = std::move(decision.event_id);
  return operation;
}

}  // namespace sau::detail
