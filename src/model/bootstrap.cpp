#include "sau/model/bootstrap.hpp"

#include <algorithm>

#include "sau/core/argmax.hpp"
#include "sau/core/error.hpp"

namespace sau {

void BootstrapOptions::check() { model = one_model(JointBootstrap::kName, model); }

void argmax_probabilities(std::span<const MemberMarginal> marginals, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  const std::size_t members = marginals.front().draws.size();
  for (std::size_t k = 0; k < members; ++k) {
    out[argmax_of(out.size(), [&](std::size_t a) { return marginals[a].draws[k]; })] += 1.0;
  }
  for (double& p : out) p /= static_cast<double>(members);
}

double spread_of(const MemberMarginal& marginal) noexcept {
  double mean = 0.0, spread = 0.0;
  member_moments(marginal.draws, marginal.draws.size(), {&mean, 1}, {&spread, 1});
  return spread;
}

namespace {

std::string first_fault(const auto& members) {
  for (std::size_t k = 0; k < members.size(); ++k) {
    std::string fault = members[k].fault();
    if (!fault.empty()) return fault;
  }
  return {};
}

// opinion is members x actions.
std::vector<MemberMarginal> member_marginals(std::span<const double> opinion, std::size_t members,
                                             std::size_t actions) {
  std::vector<MemberMarginal> result(actions);
  for (std::size_t a = 0; a < actions; ++a) {
    for (std::size_t k = 0; k < members; ++k) {
      result[a].draws.push_back(opinion[k * actions + a]);
    }
  }
  return result;
}

}  // namespace

Bootstrap::Bootstrap(const Setup& setup, const Options& options)
    : members_(setup),
      rng_(resampling_stream(setup.stream)),
      opinion_(options.members * setup.shape.actions),
      value_(setup.shape.actions),
      spread_(setup.shape.actions) {
  for (std::size_t k = 0; k < options.members; ++k) {
    require_every_reward(kName, options.model, members_.add(options.model).rewards());
  }
}

void Bootstrap::look(Context x) noexcept {
  if (!members_.must_ask(x)) return;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    std::ranges::copy(members_[k].values(x),
                      std::span(opinion_).subspan(k * value_.size()).begin());
  }
  member_moments(opinion_, members_.size(), value_, spread_);
}

std::vector<MemberMarginal> Bootstrap::marginals(Context x) {
  look(x);
  return member_marginals(opinion_, members_.size(), value_.size());
}

void Bootstrap::update(Context x, Action action, double reward) noexcept {
  SAU_ASSERT(x.size() == members_.shape().dim && action < value_.size(), "a step of another shape");
  for (std::size_t k = 0; k < members_.size(); ++k) {
    for (std::uint64_t left = resampled(rng_); left > 0; --left) {
      members_[k].update(x, action, reward);
    }
  }
  members_.forget_answers();
}

std::string Bootstrap::fault() const { return first_fault(members_); }

void Bootstrap::state(const Bootstrap& self, StateWriter& writer) {
  writer("resampling", self.rng_);
  self.members_.save(writer);
}

void Bootstrap::state(Bootstrap& self, StateReader& reader) {
  reader("resampling", self.rng_);
  self.members_.load(reader);
}

JointBootstrap::JointBootstrap(const Stream& stream, const Options& options, const IdOptions& ids)
    : rng_(resampling_stream(stream)) {
  for (std::size_t k = 0; k < options.members; ++k) {
    require_every_reward(kName, options.model, members_.add(options.model, stream, ids).rewards());
  }
  weights_.members_ = members_.weights();
}

std::vector<double> JointBootstrap::Weights::opinions(HashedFeatures context,
                                                      std::span<const JointAction> actions) const {
  std::vector<double> opinion(members_.size() * actions.size());
  for (std::size_t k = 0; k < members_.size(); ++k) {
    members_[k]->values(context, actions,
                        std::span(opinion).subspan(k * actions.size(), actions.size()));
  }
  return opinion;
}

void JointBootstrap::Weights::values(HashedFeatures context, std::span<const JointAction> actions,
                                     std::span<double> out) const {
  member_moments(opinions(context, actions), members_.size(), out, {});
}

void JointBootstrap::Weights::widths(HashedFeatures context, std::span<const JointAction> actions,
                                     std::span<double> out) const {
  std::vector<double> mean(out.size());
  member_moments(opinions(context, actions), members_.size(), mean, out);
}

std::vector<MemberMarginal> JointBootstrap::Weights::marginals(
    HashedFeatures context, std::span<const JointAction> actions) const {
  return member_marginals(opinions(context, actions), members_.size(), actions.size());
}

JointBootstrap::Weights JointBootstrap::published() {
  Weights copy = weights_;
  copy.members_ = members_.published();
  return copy;
}

void JointBootstrap::learn(HashedFeatures context, const JointAction& action, double reward) {
  for (std::size_t k = 0; k < members_.size(); ++k) {
    for (std::uint64_t left = resampled(rng_); left > 0; --left) {
      members_[k].learn(context, action, reward);
    }
  }
}

std::string JointBootstrap::fault() const { return first_fault(members_); }

void JointBootstrap::save(StateWriter& writer) const {
  writer("resampling", rng_);
  members_.save(writer);
}

void JointBootstrap::load(StateReader& reader) {
  reader("resampling", rng_);
  members_.load(reader);
}

}  // namespace sau
