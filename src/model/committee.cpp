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
    : members_(setup),
      credibility_(0, 0),
      value_(setup.shape.actions),
      disagreement_(setup.shape.actions) {
  const std::string_view usual = setup.shape.dim > kWide ? kWideMembers : kUsualMembers;
  const std::string_view specs = options.members == "usual" ? usual : options.members;
  for (const std::string& spec : split_specs(specs, '+')) {
    const AnyModel& model = members_.add(spec);
    for (std::size_t i = 0; i < model.opinions(); ++i) {
      const std::string_view name = model.opinion_name(i);
      opinions_.push_back({.member = members_.size() - 1,
                           .name = name.empty() ? spec : spec + ":" + std::string(name)});
    }
  }
  credibility_ = Credibility(opinions_.size(), setup.shape.actions);
  opinion_.resize(opinions_.size() * setup.shape.actions);
  novelty_.resize(opinion_.size());
  played_.resize(opinions_.size());
}

void Committee::look(Context x) noexcept {
  if (!members_.must_ask(x)) return;
  std::size_t place = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const std::size_t size = members_[i].opinions() * value_.size();
    members_[i].opinion_values(x, std::span(opinion_).subspan(place, size));
    std::ranges::copy(members_[i].novelty(x),
                      novelty_.begin() + static_cast<std::ptrdiff_t>(place));
    place += size;
  }
  credibility_.judge(opinion_, novelty_, value_, disagreement_);
}

void Committee::update(Context x, Action action, double reward) noexcept {
  SAU_ASSERT(x.size() == members_.shape().dim && action < value_.size(), "a step of another shape");
  look(x);
  for (std::size_t k = 0; k < opinions_.size(); ++k) {
    played_[k] = opinion_[k * value_.size() + action];
  }
  credibility_.observe(action, played_, reward);
  for (std::size_t i = 0; i < members_.size(); ++i) members_[i].update(x, action, reward);
  leave_out_failed();
  members_.forget_answers();
}

void Committee::leave_out_failed() noexcept {
  for (std::size_t k = 0; k < opinions_.size(); ++k) {
    if (credibility_.left_out(k)) continue;
    try {
      const std::string fault = members_[opinions_[k].member].fault();
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
    const std::string fault = members_[opinions_[k].member].fault();
    records.back().fault = fault.empty() ? kErrorsTooLarge : fault;
  }
  return records;
}

void Committee::state(const Committee& self, StateWriter& writer) {
  Credibility::state(self.credibility_, writer);
  self.members_.save(writer);
}

void Committee::state(Committee& self, StateReader& reader) {
  Credibility::state(self.credibility_, reader);
  self.credibility_.restored();
  self.members_.load(reader);
}

}  // namespace sau
