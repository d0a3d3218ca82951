#include "sau/model/joint_committee.hpp"

#include "sau/core/note.hpp"
#include "sau/core/spec.hpp"
#include "sau/core/stack_memory.hpp"

namespace sau {
namespace {

std::vector<std::string> member_specs(const CommitteeOptions& options) {
  return split_specs(options.members == "usual" ? JointCommittee::kUsualMembers : options.members,
                     '+');
}

}  // namespace

JointCommittee::JointCommittee(const Stream& stream, const Options& options, const IdOptions& ids)
    : weights_(member_specs(options).size()) {
  for (const std::string& spec : member_specs(options)) {
    members_.add(spec, stream, ids);
    weights_.spec_.push_back(spec);
  }
  weights_.members_ = members_.weights();
  opinion_.resize(members_.size());
}

void JointCommittee::Weights::judge(HashedFeatures context, std::span<const JointAction> actions,
                                    std::span<double> value, std::span<double> disagreement) const {
  StackMemory<4096> memory;
  std::pmr::vector<double> opinion(members_.size() * actions.size(), memory.resource());
  std::pmr::vector<double> novelty(disagreement.empty() ? 0 : opinion.size(), memory.resource());
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (credibility_.left_out(k)) continue;
    const std::span<double> own = std::span(opinion).subspan(k * actions.size(), actions.size());
    members_[k]->values(context, actions, own);
    credibility_.clip(own);
    if (novelty.empty()) continue;
    members_[k]->novelty(context, actions,
                         std::span(novelty).subspan(k * actions.size(), actions.size()));
  }
  std::pmr::vector<double> unused(actions.size(), memory.resource());
  credibility_.judge(opinion, novelty, value.empty() ? std::span<double>(unused) : value,
                     disagreement.empty() ? std::span<double>(unused) : disagreement);
}

JointCommittee::Weights JointCommittee::published() {
  Weights copy = weights_;
  copy.members_ = members_.published();
  return copy;
}

void JointCommittee::learn(HashedFeatures context, const JointAction& action, double reward) {
  for (std::size_t k = 0; k < members_.size(); ++k) {
    members_[k].weights().values(context, {&action, 1}, std::span(opinion_).subspan(k, 1));
  }
  weights_.credibility_.observe(0, opinion_, reward);
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (!weights_.fault_[k].empty()) continue;
    members_[k].learn(context, action, reward);
    weights_.fault_[k] = members_[k].fault();
    if (weights_.fault_[k].empty()) continue;
    weights_.credibility_.leave_out(k);
    note({Note::Kind::kWarning,
          "committee: left out " + weights_.spec_[k] + ": " + weights_.fault_[k]});
  }
}

std::vector<MemberRecord> JointCommittee::Weights::members() const {
  const std::vector<double> share = credibility_.shares(0);
  std::vector<MemberRecord> records;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    records.push_back({.spec = spec_[k], .weight = share[k], .fault = fault_[k]});
    if (credibility_.left_out(k) && fault_[k].empty()) records.back().fault = kErrorsTooLarge;
  }
  return records;
}

std::string JointCommittee::fault() const {
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (!weights_.credibility_.left_out(k)) return {};
  }
  return "no member is left; the last one: " + weights_.members().back().fault;
}

void JointCommittee::save(StateWriter& writer) const {
  Credibility::state(weights_.credibility_, writer);
  members_.save(writer);
}

void JointCommittee::load(StateReader& reader) {
  Credibility::state(weights_.credibility_, reader);
  weights_.credibility_.restored();
  members_.load(reader);
  for (std::size_t k = 0; k < members_.size(); ++k) weights_.fault_[k] = members_[k].fault();
}

}  // namespace sau
