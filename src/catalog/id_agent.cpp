#include "catalog/id_agent.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sau/agent/argument_checks.hpp"
#include "sau/core/error.hpp"
#include "sau/core/floor.hpp"
#include "sau/core/stack_memory.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

// What the weights of a model say about the candidates.
class WeightsSource final : public IdSource {
 public:
  WeightsSource(const AnyJointWeights& weights, HashedFeatures context,
                std::span<const JointAction> candidates, std::span<double> room)
      : weights_(weights), context_(context), candidates_(candidates), room_(room) {}

  std::span<const double> widths() const override {
    weights_.widths(context_, candidates_, room_);
    return room_;
  }
  void best_chances(std::span<double> out) const override {
    weights_.best_chances(context_, candidates_, out);
  }

 private:
  const AnyJointWeights& weights_;
  HashedFeatures context_;
  std::span<const JointAction> candidates_;
  std::span<double> room_;  // for one number per candidate
};

// What OfferAgent::published() returns.
class PublishedIdAgent final : public OfferAgent {
 public:
  PublishedIdAgent(std::string spec, std::shared_ptr<const AnyJointWeights> weights,
                   IdMemory memory, RewardRange rewards, std::string fault)
      : spec_(std::move(spec)),
        weights_(std::move(weights)),
        memory_(std::move(memory)),
        rewards_(rewards),
        fault_(std::move(fault)) {}

  const std::string& spec() const noexcept override { return spec_; }
  void decide(HashedFeatures context, std::span<const OfferedAction> actions,
              std::optional<double> exploration, std::span<Forecast> out) const override {
    memory_.decide(*weights_, context, actions, exploration, out);
  }
  RewardRange rewards() const noexcept override { return rewards_; }
  bool uses_probability() const noexcept override { return memory_.rule->uses_probability(); }
  std::uint64_t learned() const noexcept override { return memory_.experience.learned; }
  std::string fault() const override { return fault_; }
  std::vector<MemberRecord> members() const override { return weights_->members(); }
  std::vector<ActionRecord> actions(std::size_t limit) const override {
    return memory_.actions(limit);
  }
  std::size_t action_count() const noexcept override { return memory_.table.size(); }

  void learn(HashedFeatures, const OfferedAction&, double, double, double) override {
    refuse("learn");
  }
  std::shared_ptr<const OfferAgent> published() override { refuse("be published"); }
  void save(StateWriter&) const override { refuse("be saved"); }
  void load(StateReader&) override { refuse("be loaded"); }

 private:
  [[noreturn]] static void refuse(const char* what) {
    throw Error(std::string("a published copy of an agent cannot ") + what);
  }

  std::string spec_;
  std::shared_ptr<const AnyJointWeights> weights_;
  IdMemory memory_;
  RewardRange rewards_;
  std::string fault_;
};

void check_call(std::size_t room, std::size_t actions, std::optional<double> exploration) {
  if (room != actions) {
    throw Error("decide: room for " + std::to_string(room) + " actions, expected " +
                std::to_string(actions));
  }
  if (exploration && !(*exploration >= 0.0 && *exploration <= 1.0)) {
    throw Error("decide: exploration " + format_number(*exploration) +
                " is not allowed; expected a number from 0 to 1");
  }
}

}  // namespace

void Experience::add(double reward) noexcept {
  lowest = learned == 0 ? reward : std::min(lowest, reward);
  highest = learned == 0 ? reward : std::max(highest, reward);
  ++learned;
}

double Experience::bounded(double value) const noexcept {
  return std::clamp(value, lowest, highest);
}

void IdMemory::decide(const AnyJointWeights& weights, HashedFeatures context,
                      std::span<const OfferedAction> actions, std::optional<double> exploration,
                      std::span<Forecast> out) const {
  check_call(out.size(), actions.size(), exploration);
  check_finite("decide: the context", context);
  // The features of every action, after the indicator of its id.
  StackMemory<8192> memory;
  const std::size_t size = actions.size();
  std::pmr::vector<HashedFeature> features(memory.resource());
  std::size_t total = size;
  for (const OfferedAction& action : actions) total += action.features.size();
  features.reserve(total);
  std::pmr::vector<JointAction> joint(memory.resource());
  joint.reserve(size);
  for (const OfferedAction& action : actions) {
    check_finite("decide: an action", action.features);
    const std::size_t start = features.size();
    features.push_back(id_feature(action.id));
    features.insert(features.end(), action.features.begin(), action.features.end());
    joint.push_back({HashedFeatures(features).subspan(start)});
  }
  std::pmr::vector<double> numbers(7 * size, memory.resource());
  double* next = numbers.data();
  const auto room = [&] { return std::span<double>(std::exchange(next, next + size), size); };
  const auto value = room(), offered = room(), width = room(), variance = room(),
             probability = room(), scratch = room(), disagreement = room();
  const bool disagrees = weights.disagrees();
  if (disagrees) {
    weights.judge(context, joint, value, disagreement);
  } else {
    weights.values(context, joint, value);
  }
  for (double& v : value) v = experience.bounded(v);

  std::pmr::vector<const IdRecord*> records(size, memory.resource());
  for (std::size_t a = 0; a < size; ++a) records[a] = table.find(joint[a].features.front().hash);
  IdTotals totals = experience.totals;
  totals.ids = table.size();
  std::pmr::vector<CountAndSquares> known(size, memory.resource());
  rule->known(records, totals, known);
  const SauPrior prior = rule->prior();
  const double pooled = prior.pool * experience.residuals.mean();
  // The numbers of the actions that may be chosen move to the front.
  const bool bonus = disagrees && rule->adds_bonus();
  std::size_t free = 0;
  for (std::size_t a = 0; a < size; ++a) {
    const double n = known[a].count, squares = known[a].squares + pooled;
    out[a] = {.value = value[a],
              .spread = std::sqrt(squares) / n,
              .count = records[a] == nullptr ? 0 : records[a]->count,
              .variance = squares / n,
              .probability = 0.0,
              .disagreement = disagreement[a],
              .bonus = bonus ? prior.disagreement * disagreement_bonus(disagreement[a], squares / n)
                             : 0.0,
              .pooled = prior.pool > 0.0 ? pooled : 0.0};
    disagreement[free] = disagreement[a];
    if (actions[a].excluded) continue;
    variance[free] = out[a].variance;
    known[free] = {n, squares};
    records[free] = records[a];
    joint[free] = joint[a];
    offered[free++] = value[a];
  }
  if (free == 0) throw Error("decide: every action is excluded, or there is none");
  rule->widths(std::span(records).first(free), totals, known, width);
  const WeightsSource source(weights, context, std::span(joint).first(free), scratch.first(free));
  const auto chance = probability.first(free);
  rule->probabilities(IdOffer({.value = offered.first(free),
                               .width = width.first(free),
                               .variance = variance.first(free),
                               .disagreement = disagreement.first(disagrees ? free : 0),
                               .learned = rule->restarts() ? totals.learned : experience.learned,
                               .counted = rule->counted(totals),
                               .exploration = exploration},
                              source),
                      chance);
  if (floor > 0.0) raise_to_floor(floor, chance);
  for (std::size_t a = 0, given = 0; a < size; ++a) {
    if (!actions[a].excluded) out[a].probability = chance[given++];
  }
}

void IdMemory::observe(std::uint64_t hash, std::string_view id, const IdLesson& lesson) {
  ++experience.totals.learned;
  if (rule->prior().pool > 0.0) experience.residuals.add(lesson.residual);
  experience.totals.ids = table.size();
  IdRecord& record = table.record(hash, id, experience.totals.learned);
  rule->observe(record, experience.totals, lesson);
  ++record.count;
  record.reward_sum += lesson.reward;
  record.last_seen = experience.totals.learned;
}

std::vector<ActionRecord> IdMemory::actions(std::size_t limit) const {
  std::vector<ActionRecord> records = table.most_counted(limit);
  const double pooled = rule->prior().pool * experience.residuals.mean();
  for (ActionRecord& record : records) record.squares += pooled;
  return records;
}

IdAgent::IdAgent(std::string spec, std::unique_ptr<AnyJointModel> model,
                 const std::shared_ptr<const IdRule>& rule, const IdOptions& ids)
    : spec_(std::move(spec)),
      model_(std::move(model)),
      rewards_(rule->rewards(model_->rewards())),
      ids_(ids),
      memory_{.rule = rule,
              .floor = ids.floor,
              .table = ActionTable(ids.actions, rule->prior().start, rule->keeps_own())} {}

ActionTable IdAgent::empty_table() const {
  return ActionTable(ids_.actions, memory_.rule->prior().start, memory_.rule->keeps_own());
}

void IdAgent::learn(HashedFeatures context, const OfferedAction& action, double value,
                    double reward, double probability) {
  if (!std::isfinite(value)) throw Error("learn: the value predicted is not finite");
  if (!rewards_.contains(reward)) {
    throw Error("learn: reward " + format_number(reward) + " is not allowed; expected " +
                format_number(rewards_.min) + " to " + format_number(rewards_.max));
  }
  check_finite("learn: the context", context);
  check_finite("learn: the action", action.features);
  if (uses_probability() && !(probability > 0.0 && probability <= 1.0)) {
    throw Error("learn: " + spec_ +
                " needs the probability with which the action was chosen, above 0 and at most 1");
  }
  features_.assign(1, id_feature(action.id));
  features_.insert(features_.end(), action.features.begin(), action.features.end());
  memory_.experience.add(reward);
  memory_.observe(features_.front().hash, action.id,
                  {.residual = reward - value, .reward = reward, .probability = probability});
  model_->learn(context, {features_}, reward);
  if (model_->take_restart()) restart();
  published_.reset();
}

// Forgets everything but the rewards that the model has learned again.
void IdAgent::restart() {
  auto& [rule, floor, table, experience] = memory_;
  const ActionTable before = std::exchange(table, empty_table());
  experience.totals = {};
  experience.residuals = {};
  for (const Relearned& each : model_->relearned()) {
    const std::string* id = before.id_of(each.action);
    if (id == nullptr) continue;  // the table was full, and forgot it
    const double residual = each.reward - experience.bounded(each.value);
    memory_.observe(each.action, *id, {.residual = residual, .reward = each.reward});
  }
}

std::shared_ptr<const OfferAgent> IdAgent::published() {
  if (!published_) {
    published_ = std::make_shared<PublishedIdAgent>(
        spec_, model_->published(),
        IdMemory{memory_.rule, memory_.floor, memory_.table.shared(), memory_.experience}, rewards_,
        model_->fault());
  }
  return published_;
}

void IdAgent::state(auto& experience, auto&& field) const {
  field("learned", experience.learned);
  field("lowest_reward", experience.lowest);
  field("highest_reward", experience.highest);
  if (memory_.rule->prior().pool > 0.0) {
    field("pooled_count", experience.residuals.count);
    field("pooled_squares", experience.residuals.squares);
  }
  if (memory_.rule->keeps_own()) field("own_total", experience.totals.own);
  if (model_->can_restart()) field("learned_since_restart", experience.totals.learned);
}

void IdAgent::save(StateWriter& writer) const {
  state(memory_.experience, writer);
  memory_.table.save(writer);
  model_->save(writer);
}

void IdAgent::load(StateReader& reader) {
  published_.reset();
  Experience& experience = memory_.experience;
  state(experience, reader);
  if (!model_->can_restart()) experience.totals.learned = experience.learned;
  memory_.table.load(reader);
  model_->load(reader);
}

}  // namespace sau
