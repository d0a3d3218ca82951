#include "serve/decision_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <vector>

#include "core/json_text.hpp"
#include "sau/serve/configuration.hpp"

namespace sau::detail {
namespace {

// Appends `"name":value` pairs; `name` is everything between two values, such as `,"time":`.
class Fields {
 public:
  explicit Fields(std::string& out) : out_(out) {}

  Fields& number(std::string_view name, double value) {
    out_ += name;
    append_json(out_, value);
    return *this;
  }
  Fields& whole(std::string_view name, std::uint64_t value) {
    out_ += name;
    append_json(out_, value);
    return *this;
  }
  Fields& text(std::string_view name, std::string_view value) {
    out_ += name;
    append_json(out_, value);
    return *this;
  }
  Fields& flag(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  Fields& time(std::string_view name, Milliseconds value) {
    out_ += name;
    out_ += '"';
    append_time(out_, value);
    out_ += '"';
    return *this;
  }
  // Appends `json` unchanged.
  Fields& raw(std::string_view name, std::string_view json) {
    out_ += name;
    out_ += json;
    return *this;
  }

 private:
  std::string& out_;
};

void append_rewards(std::string& out, const EventState& event) {
  Fields fields(out);
  out += R"(,"rewards":[)";
  const char* before = R"({"value":)";
  for (const ReceivedReward& reward : event.received) {
    fields.number(before, reward.value).time(R"(,"time":)", reward.time);
    fields.flag(R"(,"late":)", reward.late);
    out += '}';
    before = R"(,{"value":)";
  }
  out += ']';
}

// The double with the shortest text that stands for this float: 0.1 and not 0.10000000149.
double readable(float number) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.begin(), text.end(), number);
  double value = 0.0;
  std::from_chars(text.begin(), written.ptr, value);
  return value;
}

void append_members(std::string& out, std::span<const float> weights,
                    std::span<const MemberRecord> members) {
  Fields fields(out);
  out += R"(,"members":[)";
  const char* before = R"({"spec":)";
  for (std::size_t k = 0; k < weights.size(); ++k) {
    fields.text(before, k < members.size() ? std::string_view(members[k].spec) : "?")
        .number(R"(,"weight":)", readable(weights[k]));
    out += '}';
    before = R"(,{"spec":)";
  }
  out += ']';
}

void append_actions(std::string& out, const Decision& decision, const RequestOutline& outline) {
  const DecidedCommittee& committee = decision.committee;
  Fields fields(out);
  out += R"(,"actions":[)";
  const char* before = R"({"id":)";
  for (std::size_t i = 0; i < decision.actions.size(); ++i) {
    const DecidedAction& action = decision.actions[i];
    fields.text(before, outline.actions()[i].id)
        .number(R"(,"value":)", action.value)
        .number(R"(,"spread":)", action.spread)
        .whole(R"(,"count":)", action.count)
        .number(R"(,"variance":)", action.variance);
    if (!committee.empty()) {
      // n_a as the strategy counts it, with its prior.
      const double square = action.spread * action.spread,
                   n = square > 0.0 ? action.variance / square : 1.0;
      fields.number(R"(,"pooledVariance":)", std::min(action.variance, committee.pooled / n));
    }
    if (!committee.weights.empty()) {
      fields.number(R"(,"disagreement":)", readable(committee.disagreement[i]))
          .number(R"(,"bonus":)", readable(committee.bonuses[i]));
    }
    fields.number(R"(,"probability":)", action.probability)
        .flag(R"(,"excluded":)", outline.actions()[i].excluded);
    out += '}';
    before = R"(,{"id":)";
  }
  out += ']';
}

}  // namespace

const char* state_name(const EventState& state, LearningMode mode) {
  if (state.struck) return "struck";
  switch (state.phase) {
    case EventPhase::kWaiting:
      return state.active ? "waiting" : "inactive";
    case EventPhase::kMissing:
      return "missing";
    case EventPhase::kDropped:
      return "inactive";
    case EventPhase::kCompleted:
      break;
  }
  return mode == LearningMode::kLoggingOnly ? "logged" : "learned";
}

Status read_outline(const Decision& decision, RequestOutline& outline) {
  if (outline.read(decision.request) && outline.actions().size() == decision.actions.size()) {
    return Done{};
  }
  return Failure{Failure::Code::kInternal,
                 "the logged request of event '" + decision.event_id + "' cannot be read"};
}

void append_decision(std::string& out, const Decision& decision, const EventState& event,
                     const RequestOutline& outline, const DecisionTextOptions& options) {
  Fields fields(out);
  fields.text(R"({"eventId":)", decision.event_id)
      .time(R"(,"time":)", decision.time)
      .text(R"(,"rewardActionId":)", outline.actions()[decision.chosen].id)
      .text(R"(,"policyActionId":)", outline.actions()[decision.policy].id)
      .text(R"(,"learningMode":)", name_of(decision.mode))
      .whole(R"(,"modelVersion":)", decision.model_version)
      .whole(R"(,"sequence":)", event.decision)
      .text(R"(,"state":)", state_name(event, decision.mode))
      .flag(R"(,"active":)", event.active);
  if (options.deadline) fields.time(R"(,"deadline":)", *options.deadline);
  if (has_outcome(event)) {
    fields.number(R"(,"reward":)", event.final_reward);
  } else {
    fields.raw(R"(,"reward":)", "null");
  }
  append_rewards(out, event);
  if (!decision.committee.weights.empty()) {
    append_members(out, decision.committee.weights, options.members);
  }
  append_actions(out, decision, outline);
  if (options.request) fields.raw(R"(,"request":)", outline.text());
  out += '}';
}

// Costs are negative rewards; actions count from 1 and the chosen one comes first; `p` goes with
// `a` (Vowpal Wabbit wiki, "DSJSON"). Its reader takes the label from what comes before `c`.
void append_dsjson(std::string& out, const Decision& decision, const EventState& event,
                   const RequestOutline& outline, VwFeatures& features) {
  std::vector<std::uint32_t> order(decision.actions.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    if ((a == decision.chosen) != (b == decision.chosen)) return a == decision.chosen;
    return decision.actions[a].probability > decision.actions[b].probability;
  });
  const double reward = event.final_reward, cost = reward == 0.0 ? 0.0 : -reward;
  Fields fields(out);
  fields.number(R"({"_label_cost":)", cost)
      .number(R"(,"_label_probability":)", decision.actions[decision.chosen].probability)
      .whole(R"(,"_label_Action":)", std::uint64_t{decision.chosen} + 1)
      .whole(R"(,"_labelIndex":)", decision.chosen)
      .number(R"(,"o":[{"v":)", reward)
      .text(R"(,"EventId":)", decision.event_id)
      .time(R"(}],"Timestamp":)", decision.time)
      .text(R"(,"Version":"1","EventId":)", decision.event_id);
  const char* before = R"(,"a":[)";
  for (const std::uint32_t place : order) {
    fields.whole(before, std::uint64_t{place} + 1);
    before = ",";
  }
  out += R"(],"c":{"shared":)";
  features.append(out, outline.context());
  before = R"(,"_multi":[{"_tag":)";
  for (const RequestOutline::Action& action : outline.actions()) {
    fields.text(before, action.id).text(R"(,"action":{"id":)", action.id);
    out += R"(},"features":)";
    features.append(out, action.features);
    before = R"(},{"_tag":)";
  }
  before = R"(}]},"p":[)";
  for (const std::uint32_t place : order) {
    fields.number(before, decision.actions[place].probability);
    before = ",";
  }
  fields.whole(R"(],"VWState":{"m":")", decision.model_version)
      .number(R"("},"_original_label_cost":)", cost)
      .whole(R"(,"_ba":[)", std::uint64_t{decision.baseline} + 1)
      .number(R"(],"pdrop":)", 0.0)
      .flag(R"(,"_skipLearn":)", decision.mode == LearningMode::kLoggingOnly);
  if (features.take_escaped()) fields.flag(R"(,"_escaped":)", true);
  out += '}';
}

}  // namespace sau::detail
