#include "sau/model/bootstrap.hpp"

#include <algorithm>

#include "sau/core/argmax.hpp"
#include "sau/core/error.hpp"
#include "sau/model/committee_options.hpp"

namespace sau {

void BootstrapOptions::check() {
  model = canonical_models(model);
  if (split_specs(model, '+').size() != 1) {
    throw UsageError("bootstrap: model=\"" + model + "\" is not allowed; expected one model");
  }
}

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
    : rng_(resampling_stream(setup.stream)),
      latest_(setup.shape.dim),
      opinion_(options.members * setup.shape.actions),
      value_(setup.shape.actions),
      spread_(setup.shape.actions) {
  for (std::size_t k = 0; k < options.members; ++k) {
    members_.push_back(make_model(
        options.model, {.shape = setup.shape, .stream = member_stream(setup.stream, k)}));
    if (!members_.back()->rewards().contains(kRewards)) {
      throw UsageError("bootstrap: " + options.model +
                       " does not learn from every reward; expected a model that does");
    }
  }
}

Bootstrap::Bootstrap(const Bootstrap& other)
    : rng_(other.rng_),
      latest_(other.latest_),
      fresh_(other.fresh_),
      opinion_(other.opinion_),
      value_(other.value_),
      spread_(other.spread_) {
  for (const auto& member : other.members_) members_.push_back(member->clone());
}

void Bootstrap::look(Context x) noexcept {
  if (fresh_ && std::ranges::equal(x, latest_)) return;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    members_[k]->own_values(x, std::span(opinion_).subspan(k * value_.size(), value_.size()));
  }
  member_moments(opinion_, members_.size(), value_, spread_);
  std::ranges::copy(x, latest_.begin());
  fresh_ = true;
}

std::vector<MemberMarginal> Bootstrap::marginals(Context x) {
  look(x);
  return member_marginals(opinion_, members_.size(), value_.size());
}

void Bootstrap::update(Context x, Action action, double reward) noexcept {
  SAU_ASSERT(x.size() == latest_.size() && action < value_.size(), "a step of another shape");
  for (const auto& member : members_) {
    for (std::uint64_t left = resampled(rng_); left > 0; --left) member->update(x, action, reward);
  }
  fresh_ = false;
}

std::string Bootstrap::fault() const {
  for (const auto& member : members_) {
    std::string fault = member->fault();
    if (!fault.empty()) return fault;
  }
  return {};
}

void Bootstrap::state(const Bootstrap& self, StateWriter& writer) {
  writer("resampling", self.rng_);
  for (const auto& member : self.members_) member->save(writer);
}

void Bootstrap::state(Bootstrap& self, StateReader& reader) {
  reader("resampling", self.rng_);
  for (const auto& member : self.members_) member->load(reader);
  self.fresh_ = false;
}

JointBootstrap::JointBootstrap(const Stream& stream, const Options& options, const IdOptions& ids)
    : rng_(resampling_stream(stream)) {
  for (std::size_t k = 0; k < options.members; ++k) {
    members_.push_back(make_joint_model(options.model, member_stream(stream, k), ids));
    // A view: the member lives as long as this bootstrap.
    weights_.members_.emplace_back(&members_.back()->weights(), [](const AnyJointWeights*) {});
  }
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
  for (std::size_t k = 0; k < members_.size(); ++k) copy.members_[k] = members_[k]->published();
  return copy;
}

void JointBootstrap::learn(HashedFeatures context, const JointAction& action, double reward) {
  for (const auto& member : members_) {
    for (std::uint64_t left = resampled(rng_); left > 0; --left) {
      member->learn(context, action, reward);
    }
  }
}

std::string JointBootstrap::fault() const {
  for (const auto& member : members_) {
    std::string fault = member->fault();
    if (!fault.empty()) return fault;
  }
  return {};
}

void JointBootstrap::save(StateWriter& writer) const {
  writer("resampling", rng_);
  for (const auto& member : members_) member->save(writer);
}

void JointBootstrap::load(StateReader& reader) {
  reader("resampling", rng_);
  for (const auto& member : members_) member->load(reader);
}

}  // namespace sau
