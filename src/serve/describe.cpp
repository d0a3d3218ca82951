#include "serve/describe.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "sau/core/version.hpp"
#include "serve/decision_text.hpp"

namespace sau::detail {
namespace {

using Json = nlohmann::ordered_json;

// Ids were valid UTF-8 when they came. Should one no longer be, its bad bytes are replaced.
std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

double seconds(Milliseconds time) { return static_cast<double>(time) / 1000.0; }

Json mean_of(double sum, std::uint64_t count) {
  return count == 0 ? Json() : Json(sum / static_cast<double>(count));
}

// How much more the decisions brought than the caller's first actions would have, per decision,
// with its normal interval of 95 %. Nothing if there are too few events.
Json gain_of(const Period& sums) {
  constexpr std::uint64_t kFewest = 30;
  constexpr double kNormal95 = 1.959964;
  if (sums.learned < kFewest) return nullptr;
  const auto n = static_cast<double>(sums.learned);
  const double mean = (sums.reward_sum - sums.baseline_sum) / n;
  const double variance = std::max(0.0, sums.gain_squares / n - mean * mean);
  const double half = kNormal95 * std::sqrt(variance / (n - 1.0));
  return {{"mean", mean}, {"low", mean - half}, {"high", mean + half}, {"events", sums.learned}};
}

Period sum_of(std::span<const Period> periods) {
  Period sum;
  for (const Period& each : periods) sum.add(each);
  return sum;
}

Json list_of(std::span<const Period> periods) {
  Json list = Json::array();
  for (const Period& each : periods) {
    list.push_back({{"time", write_time(each.time)},
                    {"ranks", each.ranks},
                    {"rewards", each.rewards},
                    {"learned", each.learned},
                    {"meanReward", mean_of(each.reward_sum, each.learned)}});
  }
  return list;
}

}  // namespace

std::string describe_model(const ModelView& model) {
  return dumped(Json{{"agent", model.agent},
                     {"version", model.version},
                     {"eventsLearned", model.events},
                     {"lastModifiedTime", write_time(model.published)},
                     {"ageSeconds", seconds(model.now - model.published)},
                     {"checksum", model.checksum}});
}

Result<std::string> describe_log(const EventStore& store) {
  std::optional<Milliseconds> first;
  const Status read =
      store.decisions(store.base().last + 1, [&first](Sequence, const Decision& decision) {
        first = decision.time;
        return false;
      });
  if (!read.ok()) return read.failure();
  if (!first) {
    return Failure{Failure::Code::kNotFound, "the log is empty", "", "LogsPropertiesNotFound"};
  }
  return dumped(
      Json{{"dateRange", {{"from", write_time(*first)}, {"to", write_time(store.head().time)}}}});
}

Result<std::string> describe_decision(const EventStore& store, std::string_view event_id,
                                      Milliseconds wait, std::span<const MemberRecord> members) {
  const auto state = store.event(event_id);
  if (!state.ok()) return state.failure();
  const Failure unknown{Failure::Code::kNotFound,
                        "there is no event '" + std::string(event_id.substr(0, 256)) + "'",
                        "eventId"};
  if (!state.value()) return unknown;
  const auto decision = store.decision(state.value()->decision);
  if (!decision.ok()) return decision.failure();
  if (!decision.value()) return unknown;
  RequestOutline outline;
  if (const Status read = read_outline(*decision.value(), outline); !read.ok()) {
    return read.failure();
  }
  std::string text;
  const auto leaps = store.leaps();
  if (!leaps.ok()) return leaps.failure();
  const Milliseconds deadline = end_of_wait(decision.value()->time, wait, leaps.value());
  append_decision(text, *decision.value(), *state.value(), outline,
                  {.deadline = deadline, .members = members});
  return text;
}

std::vector<ActionRecord> records_of(const OfferAgent& agent,
                                     const std::vector<Activity::Share>& shares,
                                     std::size_t limit) {
  auto records = agent.actions(limit);
  const bool all_there = std::ranges::all_of(shares, [&](const Activity::Share& share) {
    return std::ranges::find(records, share.id, &ActionRecord::id) != records.end();
  });
  return all_there || agent.action_count() <= limit ? records : agent.actions(agent.action_count());
}

Result<std::string> describe_history(const Activity& activity, std::string_view span,
                                     const ClockReading& now) {
  const auto* const name = std::ranges::find(kSpanNames, span);
  if (name == kSpanNames.end()) {
    return Failure{Failure::Code::kNotFound,
                   "there is no history of '" + std::string(span.substr(0, 64)) +
                       "'; expected minutes, hour, day or week",
                   "span"};
  }
  const auto which = static_cast<Span>(name - kSpanNames.begin());
  const auto history = activity.history(which, now);
  const Period all = sum_of(history);
  return dumped(Json{{"span", span},
                     {"stepSeconds", activity.step(which) / 1000},
                     {"meanReward", mean_of(all.reward_sum, all.learned)},
                     {"baselineReward", mean_of(all.baseline_sum, all.learned)},
                     {"gain", gain_of(all)},
                     {"history", list_of(history)}});
}

std::string describe_status(const ServiceView& view, const Activity& activity,
                            const EventStore* store) {
  const auto history = activity.history(Span::kFiveMinutes, view.now);
  const Period all = sum_of(history);
  constexpr std::size_t kLately = 10;  // whole seconds
  const std::size_t whole = history.empty() ? 0 : history.size() - 1;
  const Period lately = sum_of(
      std::span(history).subspan(whole - std::min(whole, kLately), std::min(whole, kLately)));
  const double window =
      static_cast<double>(std::clamp<std::size_t>(history.size(), 2, kLately + 1) - 1);

  std::map<std::string, const ActionRecord*, std::less<>> known;
  for (const ActionRecord& record : view.actions) known[record.id] = &record;
  Json actions = Json::array();
  const auto add_action = [&](const std::string& id, double share, std::uint64_t ranked) {
    Json action = {{"id", id},       {"share", share},   {"ranked", ranked},  {"count", 0},
                   {"mean", Json()}, {"spread", Json()}, {"variance", Json()}};
    if (const auto found = known.find(id); found != known.end() && found->second->count > 0) {
      const ActionRecord& record = *found->second;
      const auto n = static_cast<double>(record.count);
      action["count"] = record.count;
      action["mean"] = record.reward_sum / n;
      action["spread"] = std::sqrt(record.squares) / n;
      action["variance"] = record.squares / n;
    }
    actions.push_back(std::move(action));
  };
  for (const Activity::Share& share : view.shares) add_action(share.id, share.share, share.ranked);
  if (view.shares.empty()) {
    for (const ActionRecord& record : view.actions) add_action(record.id, 0.0, 0);
  }

  Json recent = Json::array();
  for (const Activity::Recent& each : activity.recent()) {
    Json decision = {{"eventId", each.event_id},
                     {"time", write_time(each.time)},
                     {"rewardActionId", each.action_id},
                     {"probability", each.probability},
                     {"actions", each.actions},
                     {"reward", Json()},
                     {"state", "waiting"}};
    const auto state = store != nullptr ? store->event(each.event_id)
                                        : Result<std::optional<EventState>>(std::nullopt);
    if (state.ok() && state.value()) {
      const EventState& event = *state.value();
      decision["state"] = state_name(event, each.mode);
      if (has_outcome(event)) decision["reward"] = event.final_reward;
    }
    recent.push_back(std::move(decision));
  }

  Json members = Json::array();
  for (const MemberRecord& member : view.members) {
    members.push_back({{"spec", member.spec},
                       {"weight", member.weight},
                       {"fault", member.fault.empty() ? Json() : Json(member.fault)}});
  }

  return dumped(
      Json{{"version", std::string(version())},
           {"agent", view.agent},
           {"members", std::move(members)},
           {"learningMode", name_of(view.mode)},
           {"ready", view.ready},
           {"fault", view.fault.empty() ? Json() : Json(view.fault)},
           {"uptimeSeconds", seconds(view.now.steady - view.started)},
           {"model",
            {{"version", view.version},
             {"eventsLearned", view.events},
             {"ageSeconds", seconds(view.now.wall - view.published)}}},
           {"totals",
            {{"ranks", view.totals.ranks},
             {"rewards", view.totals.rewards},
             {"lateRewards", view.totals.late},
             {"missingRewards", view.totals.missing},
             {"refusedRewards", view.totals.refused_rewards},
             {"clippedRewards", view.totals.clipped_rewards},
             {"learned", view.totals.learned},
             {"waiting", view.waiting},
             {"refused", view.totals.refused},
             {"logBytes", view.log_bytes},
             {"learnerLag", view.lag}}},
           {"now",
            {{"ranksPerSecond", static_cast<double>(lately.ranks) / window},
             {"rewardsPerSecond", static_cast<double>(lately.rewards) / window},
             {"meanReward", mean_of(all.reward_sum, all.learned)},
             {"baselineReward", mean_of(all.baseline_sum, all.learned)},
             {"gain", gain_of(all)},
             {"explorationRate", mean_of(static_cast<double>(all.explored), all.ranks)},
             {"apprenticeAgreement", view.mode == LearningMode::kApprentice
                                         ? mean_of(static_cast<double>(all.agreed), all.ranks)
                                         : Json()}}},
           {"gate", view.gate ? Json::parse(to_json(*view.gate)) : Json()},
           {"cluster", view.cluster.empty() ? Json() : Json::parse(view.cluster)},
           {"history", list_of(history)},
           {"actions", std::move(actions)},
           {"actionCount", view.known_actions},
           {"recent", std::move(recent)}});
}

}  // namespace sau::detail
