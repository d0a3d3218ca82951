#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sau/agent/any_agent.hpp"
#include "sau/agent/offer_agent.hpp"
#include "sau/core/setup.hpp"

namespace sau {

// An agent for actions by id, as in the service, on a fixed set of actions: column i of the context
// is the feature x<i>, and action a has the id "<a>" and no features.
class AgentByIds final : public AnyAgent {
 public:
  using Make = std::function<std::unique_ptr<OfferAgent>(const Stream&)>;

  AgentByIds(std::string spec, const Setup& setup, Make make);

  const std::string& spec() const noexcept override { return spec_; }
  Shape shape() const noexcept override { return setup_.shape; }
  RewardRange rewards() const noexcept override { return agent_->rewards(); }
  Choice choose(Context x, Rng& rng) override;
  void learn(Context x, Choice made, double reward) override;
  void probabilities(Context x, std::span<double> out) override;
  // Choices are not counted, so the last one had the same chances as the next one.
  void last_probabilities(Context x, std::span<double> out) override { probabilities(x, out); }
  std::span<const double> values(Context x) override;
  std::string fault() const override { return agent_->fault(); }
  std::vector<MemberRecord> members() const override { return agent_->members(); }
  std::vector<ActionColumn> evidence() const override;
  // sqrt(S2_a) / n_a, as decide() forecasts it.
  std::vector<double> uncertainty(Context x) override;
  void play(Problem& problem, Streams& rng, std::uint64_t steps, Recorder& record) override;
  void merge(const AnyAgent& other) override;
  std::unique_ptr<AnyAgent> clone() const override;
  void save(StateWriter& writer) const override { agent_->save(writer); }
  void load(StateReader& reader) override { agent_->load(reader); }

 private:
  void put(Context x);
  void look(Context x);

  std::string spec_;
  Setup setup_;
  Make make_;
  std::unique_ptr<OfferAgent> agent_;
  std::vector<std::uint64_t> columns_;
  std::vector<std::string> ids_;
  std::vector<OfferedAction> offered_;
  std::vector<HashedFeature> context_;
  std::vector<Forecast> forecast_;
  std::vector<double> number_;
};

}  // namespace sau
