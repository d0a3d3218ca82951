#include "catalog/agent_by_ids.hpp"

#include <unordered_map>
#include <utility>

#include "sau/agent/argument_checks.hpp"
#include "sau/agent/knowledge.hpp"
#include "sau/core/draw.hpp"
#include "sau/core/error.hpp"
#include "sau/model/joint_features.hpp"

namespace sau {

AgentByIds::AgentByIds(std::string spec, const Setup& setup, Make make)
    : spec_(std::move(spec)),
      setup_(setup),
      make_(std::move(make)),
      agent_(make_(setup.stream.with(Role::kModel))),
      columns_(column_hashes(setup.shape.dim)),
      forecast_(setup.shape.actions),
      number_(setup.shape.actions) {
  for (Action a = 0; a < setup.shape.actions; ++a) ids_.push_back(std::to_string(a));
  for (const std::string& id : ids_) offered_.push_back({.id = id, .features = {}});
}

void AgentByIds::put(Context x) {
  check_context(x, setup_.shape);
  put_columns(x, columns_, context_);
}

void AgentByIds::look(Context x) {
  put(x);
  agent_->decide(context_, offered_, std::nullopt, forecast_);
}

Choice AgentByIds::choose(Context x, Rng& rng) {
  look(x);
  const std::size_t action = draw_from(forecast_, rng.uniform(), &Forecast::probability);
  return {static_cast<Action>(action), forecast_[action].value};
}

void AgentByIds::learn(Context x, Choice made, double reward) {
  put(x);
  check_action(made, setup_.shape);
  check_reward(reward, rewards(), spec_);
  double probability = kUnknownProbability;
  if (agent_->uses_probability()) {
    // A Choice does not hold its probability. We take the one that the action has now, as for a
    // fixed set of actions.
    look(x);
    probability = forecast_[made.action].probability;
  }
  agent_->learn(context_, offered_[made.action], made.value, reward, probability);
}

void AgentByIds::probabilities(Context x, std::span<double> out) {
  check_room(out, setup_.shape);
  look(x);
  for (std::size_t a = 0; a < out.size(); ++a) out[a] = forecast_[a].probability;
}

std::span<const double> AgentByIds::values(Context x) {
  look(x);
  for (std::size_t a = 0; a < number_.size(); ++a) number_[a] = forecast_[a].value;
  return number_;
}

std::vector<double> AgentByIds::uncertainty(Context x) {
  look(x);
  for (std::size_t a = 0; a < number_.size(); ++a) number_[a] = forecast_[a].spread;
  return number_;
}

std::vector<ActionColumn> AgentByIds::evidence() const {
  std::unordered_map<std::string, ActionRecord> known;
  for (ActionRecord& record : agent_->actions(ids_.size())) known[record.id] = std::move(record);
  std::vector<ActionRecord> records;
  for (const std::string& id : ids_) records.push_back(known[id]);
  return evidence_columns(records);
}

void AgentByIds::play(Problem& problem, Streams& rng, std::uint64_t steps, Recorder& record) {
  check_problem(problem, setup_.shape, rewards(), spec_);
  sau::play(problem, *this, rng, steps, record);
}

void AgentByIds::merge(const AnyAgent&) { refuse_merge(spec_); }

std::unique_ptr<AnyAgent> AgentByIds::clone() const {
  auto copy = std::make_unique<AgentByIds>(spec_, setup_, make_);
  StateWriter writer;
  save(writer);
  StateReader reader(writer.bytes());
  copy->load(reader);
  return copy;
}

}  // namespace sau
