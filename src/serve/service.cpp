#include "sau/serve/service.hpp"

#include <utility>

#include "serve/local_service.hpp"
#include "serve/policies.hpp"

namespace sau {

Service::Service(ServiceOptions options)
    : Service(detail::make_local_service(std::move(options), false)) {}
Service::Service(std::unique_ptr<detail::ServiceBackend> backend) : backend_(std::move(backend)) {}
Service::~Service() = default;

std::string Service::agent() const { return backend_->agent(); }
void Service::rank(std::string body, Answer<RankAnswer> answer) {
  backend_->rank(std::move(body), std::move(answer));
}
void Service::reward(std::string_view event_id, std::string_view body, Answer<Done> answer) {
  backend_->reward(event_id, body, std::move(answer));
}
void Service::activate(std::string_view event_id, Answer<Done> answer) {
  backend_->activate(event_id, std::move(answer));
}
void Service::rank_slots(std::string_view body, Answer<SlotsAnswer> answer) {
  backend_->rank_slots(body, std::move(answer));
}
void Service::reward_slots(std::string_view event_id, std::string_view body, Answer<Done> answer) {
  backend_->reward_slots(event_id, body, std::move(answer));
}
void Service::activate_slots(std::string_view event_id, Answer<Done> answer) {
  backend_->activate_slots(event_id, std::move(answer));
}
Configuration Service::configuration() const { return backend_->configuration(); }
void Service::configure(std::string_view json, Answer<Configuration> answer) {
  backend_->configure(json, std::move(answer));
}
std::string Service::model() const { return backend_->model(); }
void Service::load_model(const std::string& bytes, Answer<Done> answer) {
  backend_->load_model(bytes, std::move(answer));
}
void Service::reset_model(Answer<Done> answer) { backend_->reset_model(std::move(answer)); }
std::string Service::versions() const { return backend_->versions(); }
void Service::roll_back(Sequence version, Answer<Done> answer) {
  backend_->roll_back(version, std::move(answer));
}
Policy Service::policy() const { return backend_->policy(); }
void Service::set_policy(std::string_view json, Answer<Policy> answer) {
  backend_->set_policy(json, std::move(answer));
}
void Service::reset_policy(Answer<Policy> answer) { backend_->reset_policy(std::move(answer)); }
void Service::apply_trained(const Policy& policy, Answer<Policy> answer) {
  backend_->apply_trained(policy, std::move(answer));
}
void Service::begin_trial(const GateRequest& request, Answer<Done> answer) {
  backend_->begin_trial(request, std::move(answer));
}
void Service::begin_trial(std::string_view json, Answer<Done> answer) {
  const auto request = detail::read_gate_request(json);
  if (!request.ok()) return answer(request.failure());
  begin_trial(request.value(), std::move(answer));
}
void Service::end_trial(GateOutcome outcome, Answer<Done> answer) {
  backend_->end_trial(outcome, std::move(answer));
}
std::optional<GateState> Service::gate() const { return backend_->gate(); }
Result<std::string> Service::log_properties() const { return backend_->log_properties(); }
void Service::remove_log(Answer<Done> answer) { backend_->remove_log(std::move(answer)); }
Result<Erased> Service::erase(std::string_view json) { return backend_->erase(json); }
std::string Service::model_properties() const { return backend_->model_properties(); }
Result<std::string> Service::decision(std::string_view event_id) const {
  return backend_->decision(event_id);
}
std::string Service::status() const { return backend_->status(); }
Result<std::string> Service::history(std::string_view span) const {
  return backend_->history(span);
}
std::string Service::metrics() const { return backend_->metrics(); }
void Service::count_request(std::string_view what, int status, double seconds) {
  backend_->count_request(what, status, seconds);
}
void Service::count_connections(std::size_t open,
                                const std::vector<std::pair<std::string, std::uint64_t>>& dropped) {
  backend_->count_connections(open, dropped);
}
bool Service::ready() const { return backend_->ready(); }
void Service::settle() { backend_->settle(); }
void Service::stop() { backend_->stop(); }

}  // namespace sau
