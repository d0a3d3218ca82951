#include "sau/model/committee.hpp"

#include <algorithm>
#include <new>

#include "sau/core/error.hpp"
#include "sau/core/note.hpp"

namespace sau {

void CommitteeOptions::check() {
  if (members != "usual") members = canonical_models(members);
}

Committee::Committee(const Setup& setup, const Options& options)
    : credibility_(0, 0),
      latest_(setup.shape.dim),
      value_(setup.shape.actions),
      disagreement_(setup.shape.actions) {
  const std::string_view usual = setup.shape.dim > kWide ? kWideMembers : kUsualMembers;
  const std::string_view specs = options.members == "usual" ? usual : options.members;
  for (const std::string& spec : split_specs(specs, '+')) {
    members_.push_back(make_model(
        spec, {.shape = setup.shape, .stream = member_stream(setup.stream, members_.size())}));
    const AnyModel& model = *members_.back();
    for (std::size_t i = 0; i < model.opinions(); ++i) {
      const std::string_view name = model.opinion_name(i);
      opinions_.push_back({.member = members_.size() - 1,
                           .name = name.empty() ? spec : spec + ":" + std::string(name)});
    }
  }
  credibility_ = Credibility(opinions_.size(), setup.shape.actions);
  opinion_.resize(opinions_.size() * setup.shape.actions);
  played_.resize(opinions_.size());
}

Committee::Committee(const Committee& other)
    : opinions_(other.opinions_),
      credibility_(other.credibility_),
      latest_(other.latest_),
      fresh_(other.fresh_),
      opinion_(other.opinion_),
      value_(other.value_),
      disagreement_(other.disagreement_),
      played_(other.played_) {
  for (const auto& member : other.members_) members_.push_back(member->clone());
}

void Committee::look(Context x) noexcept {
  if (fresh_ && std::ranges::equal(x, latest_)) return;
  std::span<double> room = opinion_;
  for (const auto& member : members_) {
    const std::size_t size = member->opinions() * value_.size();
    member->values(x, room.first(size));
    room = room.subspan(size);
  }
  credibility_.judge(opinion_, value_, disagreement_);
  std::ranges::copy(x, latest_.begin());
  fresh_ = true;
}

void Committee::update(Context x, Action action, double reward) noexcept {
  SAU_ASSERT(x.size() == latest_.size() && action < value_.size(), "a step of another shape");
  look(x);
  for (std::size_t k = 0; k < opinions_.size(); ++k) {
    played_[k] = opinion_[k * value_.size() + action];
  }
  credibility_.observe(action, played_, reward);
  for (const auto& member : members_) member->update(x, action, reward);
  leave_out_failed();
  fresh_ = false;
}

void Committee::leave_out_failed() noexcept {
  for (std::size_t k = 0; k < opinions_.size(); ++k) {
    if (credibility_.left_out(k)) continue;
    try {
      const std::string fault = members_[opinions_[k].member]->fault();
      if (fault.empty()) continue;
      credibility_.leave_out(k);
      note({Note::Kind::kWarning, "committee: left out " + opinions_[k].name + ": " + fault});
    } catch (const std::bad_alloc&) {  // no memory for the words; members() has them later
      credibility_.leave_out(k);
    }
  }
}

std::string Committee::fault() const {
  for (std::size_t k = 0; k < opinions_.size(); ++k) {
    if (!credibility_.left_out(k)) return {};
  }
  return "no member is left; the last one: " + members().back().fault;
}

std::vector<MemberRecord> Committee::members() const {
  const std::vector<double> share = credibility_.mean_shares();
  std::vector<MemberRecord> records;
  for (std::size_t k = 0; k < opinions_.size(); ++k) {
    records.push_back({.spec = opinions_[k].name, .weight = share[k], .fault = {}});
    if (!credibility_.left_out(k)) continue;
    const std::string fault = members_[opinions_[k].member]->fault();
    records.back().fault = fault.empty() ? kErrorsTooLarge : fault;
  }
  return records;
}

void Committee::state(const Committee& self, StateWriter& writer) {
  Credibility::state(self.credibility_, writer);
  for (const auto& member : self.members_) member->save(writer);
}

void Committee::state(Committee& self, StateReader& reader) {
  Credibility::state(self.credibility_, reader);
  self.credibility_.restored();
  for (const auto& member : self.members_) member->load(reader);
  self.fresh_ = false;
}

}  // namespace sau
