#include "serve_http/routes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <span>
#include <utility>

#include "serve_http/answers.hpp"
#include "serve_http/embedded_live.hpp"
#include "serve_http/percent_decoded.hpp"
#include "serve_http/process_metrics.hpp"

namespace sau::detail {
namespace {

// An Answer that replies with what `respond` makes of the value, or with the failure. A thread of
// the service calls it, and it must not throw, even when memory runs out.
template <class T, class Respond>
Answer<T> replying(const Call& call, Respond respond) {
  return [reply = call.reply, invalid = call.invalid, respond](const Result<T>& result) {
    try {
      reply(result.ok() ? respond(result.value()) : failed(result.failure(), invalid));
    } catch (const std::exception&) {
      reply({.status = 503});
    }
  };
}
Answer<Done> acknowledging(const Call& call) {
  return replying<Done>(call, [](Done) { return HttpResponse{.status = 204}; });
}
Answer<Policy> with_policy(const Call& call) {
  return replying<Policy>(
      call, [](const Policy& policy) { return json_response(200, policy_body(policy)); });
}

void rank(Call& call) {
  call.service.rank(std::move(call.request.body),
                    replying<RankAnswer>(call, [](const RankAnswer& answer) {
                      return json_response(201, rank_body(answer));
                    }));
}

void reward(Call& call) {
  call.service.reward(call.event_id, call.request.body, acknowledging(call));
}

void activate(Call& call) { call.service.activate(call.event_id, acknowledging(call)); }

void rank_slots(Call& call) {
  call.service.rank_slots(call.request.body,
                          replying<SlotsAnswer>(call, [](const SlotsAnswer& answer) {
                            return json_response(201, slots_body(answer));
                          }));
}
void reward_slots(Call& call) {
  call.service.reward_slots(call.event_id, call.request.body, acknowledging(call));
}
void activate_slots(Call& call) { call.service.activate_slots(call.event_id, acknowledging(call)); }

void configuration(Call& call) {
  call.reply(json_response(200, to_json(call.service.configuration())));
}

void configure(Call& call) {
  call.service.configure(call.request.body,
                         replying<Configuration>(call, [](const Configuration& value) {
                           return json_response(200, to_json(value));
                         }));
}

void policy(Call& call) { call.reply(json_response(200, policy_body(call.service.policy()))); }
void set_policy(Call& call) { call.service.set_policy(call.request.body, with_policy(call)); }
void reset_policy(Call& call) { call.service.reset_policy(with_policy(call)); }

void log_properties(Call& call) {
  auto properties = call.service.log_properties();
  call.reply(properties.ok() ? json_response(200, std::move(properties).value())
                             : failed(properties.failure()));
}
void remove_log(Call& call) { call.service.remove_log(acknowledging(call)); }

void erase(Call& call) {
  const auto erased = call.service.erase(call.request.body);
  call.reply(erased.ok() ? json_response(200, erased_body(erased.value()))
                         : failed(erased.failure()));
}

void evaluations(Call& call) { call.reply(json_response(200, call.evaluations.list())); }
void create_evaluation(Call& call) {
  auto created = call.evaluations.create(call.request.body);
  if (!created.ok()) return call.reply(failed(created.failure(), call.invalid));
  HttpResponse response = json_response(201, std::move(created.value().json));
  response.headers.push_back(
      {"Location", std::string(call.request.path()) + "/" + created.value().id});
  call.reply(std::move(response));
}
void evaluation(Call& call) {
  auto found = call.evaluations.get(call.event_id);
  call.reply(found.ok() ? json_response(200, std::move(found).value()) : failed(found.failure()));
}
void remove_evaluation(Call& call) {
  const Status removed = call.evaluations.remove(call.event_id);
  call.reply(removed.ok() ? HttpResponse{.status = 204} : failed(removed.failure()));
}
void apply_evaluation(Call& call) {
  call.evaluations.apply(call.request.body, acknowledging(call));
}

// What Vowpal Wabbit's own client library would send.
void binary_log(Call& call) {
  call.reply(error_response(403,
                            "binary logs of Vowpal Wabbit's client library are not read; `sau log "
                            "import` reads dsjson files",
                            "", "InvalidApiAccess"));
}

void model(Call& call) {
  call.reply({.status = 200,
              .headers = {{"Content-Type", "application/octet-stream"}},
              .body = call.service.model()});
}

void load_model(Call& call) {
  // A caller who has the answer may send the next model, so the room of this one must be free
  // before that.
  const auto permit = std::make_shared<std::shared_ptr<const void>>(std::move(call.request.permit));
  call.service.load_model(call.request.body, [permit, answer = acknowledging(call)](Status status) {
    permit->reset();
    answer(std::move(status));
  });
}

void reset_model(Call& call) { call.service.reset_model(acknowledging(call)); }

void model_properties(Call& call) {
  call.reply(json_response(200, call.service.model_properties()));
}

void model_versions(Call& call) { call.reply(json_response(200, call.service.versions())); }
void roll_back(Call& call) {
  Sequence version = 0;
  const char* const end = call.event_id.data() + call.event_id.size();
  const auto [read, error] = std::from_chars(call.event_id.data(), end, version);
  if (error != std::errc() || read != end) {
    return call.reply(error_response(400, "expected the number of a version", "version"));
  }
  call.service.roll_back(version, acknowledging(call));
}

void decision(Call& call) {
  auto decision = call.service.decision(call.event_id);
  call.reply(decision.ok() ? json_response(200, std::move(decision).value())
                           : failed(decision.failure()));
}

void gate(Call& call) {
  const auto found = call.service.gate();
  call.reply(json_response(200, found ? to_json(*found) : "null"));
}
void begin_trial(Call& call) { call.service.begin_trial(call.request.body, acknowledging(call)); }
void stop_trial(Call& call) { call.service.end_trial(GateOutcome::kStopped, acknowledging(call)); }
void promote(Call& call) { call.service.end_trial(GateOutcome::kPromoted, acknowledging(call)); }

void status(Call& call) { call.reply(json_response(200, call.service.status())); }

void history(Call& call) {
  auto history = call.service.history(call.event_id);
  call.reply(history.ok() ? json_response(200, std::move(history).value())
                          : failed(history.failure()));
}

void metrics(Call& call) {
  if (const HttpTally* const tally = call.connections.get()) {
    call.service.count_connections(tally->open, {{"idle", tally->idle},
                                                 {"slow", tally->slow},
                                                 {"address", tally->address},
                                                 {"full", tally->full}});
  }
  call.reply({.status = 200,
              .headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}},
              .body = call.service.metrics() + process_metrics()});
}

void healthz(Call& call) { call.reply(text_response(200, "ok")); }

void readyz(Call& call) {
  const bool ready = call.service.ready() && std::ranges::all_of(call.others, [](const auto& each) {
                       return each.service->ready();
                     });
  call.reply(ready ? text_response(200, "ready") : error_response(503, "not ready yet"));
}

void page(Call& call) {
  call.reply(
      {.status = 200,
       .headers = {{"Content-Type", "text/html; charset=utf-8"},
                   {"Cache-Control", "no-cache"},
                   {"X-Content-Type-Options", "nosniff"},
                   {"Content-Security-Policy",
                    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                    "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
                    "frame-ancestors 'none'"}},
       .body = std::string(embedded_live().front().text)});
}

constexpr std::array<std::string_view, 2> kPersonalizerBases = {"/personalizer/v1.0",
                                                                "/personalizer/v1.1-preview.3"};
constexpr std::array<std::string_view, 1> kNoBase = {""};
constexpr std::span<const std::string_view> paths_of(Base base) {
  if (base == Base::kPersonalizer) return kPersonalizerBases;
  return kNoBase;
}

constexpr auto kBase = Base::kPersonalizer, kOurs = Base::kNone;
constexpr bool kHealth = true, kMainOnly = false;
constexpr auto kDecide = Right::kDecide, kReward = Right::kReward;
constexpr auto kRead = Right::kRead, kAdmin = Right::kAdmin;
constexpr std::nullopt_t kOpen = std::nullopt;
constexpr auto kHere = Place::kServerThread, kMetrics = Place::kMetrics;
constexpr auto kLookUps = Place::kLookUps, kModels = Place::kModels;
constexpr auto kTraining = Place::kTraining;

constexpr Route personalizer(std::string_view method, std::string_view path, std::string_view name,
                             Right right, std::string_view invalid, Place place,
                             void (*handler)(Call& call)) {
  return {method, kBase, path, name, invalid, false, right, kMainOnly, place, handler};
}
// The calls of the client libraries for v1.0.
constexpr Route in_client(std::string_view path, std::string_view name, Right right,
                          std::string_view invalid, void (*handler)(Call& call)) {
  return {"POST", kBase, path, name, invalid, true, right, kMainOnly, kHere, handler};
}
constexpr Route ours(std::string_view method, std::string_view path, std::string_view name,
                     std::optional<Right> right, bool health, Place place,
                     void (*handler)(Call& call)) {
  return {method, kOurs, path, name, "", false, right, health, place, handler};
}

constexpr std::array kRoutes = {
    in_client("/rank", "rank", kDecide, "InvalidRankRequest", rank),
    in_client("/events/{id}/reward", "reward", kReward, "InvalidRewardRequest", reward),
    in_client("/events/{id}/activate", "activate", kDecide, "InvalidEventIdToActivate", activate),
    personalizer("POST", "/multislot/rank", "rank_slots", kDecide, "InvalidRankRequest", kHere,
                 rank_slots),
    personalizer("POST", "/multislot/events/{id}/reward", "reward_slots", kReward,
                 "InvalidRewardRequest", kLookUps, reward_slots),
    personalizer("POST", "/multislot/events/{id}/activate", "activate_slots", kDecide,
                 "InvalidEventIdToActivate", kLookUps, activate_slots),
    personalizer("GET", "/configurations/service", "configuration", kRead, "", kHere,
                 configuration),
    personalizer("PUT", "/configurations/service", "configuration", kAdmin,
                 "InvalidServiceConfiguration", kHere, configure),
    personalizer("GET", "/configurations/policy", "policy", kRead, "", kHere, policy),
    personalizer("PUT", "/configurations/policy", "policy", kAdmin, "InvalidPolicyConfiguration",
                 kModels, set_policy),
    personalizer("DELETE", "/configurations/policy", "policy", kAdmin, "", kModels, reset_policy),
    personalizer("POST", "/configurations/applyFromEvaluation", "apply_evaluation", kAdmin,
                 "InvalidPolicyConfiguration", kTraining, apply_evaluation),
    personalizer("GET", "/evaluations", "evaluations", kRead, "", kLookUps, evaluations),
    personalizer("POST", "/evaluations", "evaluations", kAdmin, "InvalidEvaluationContract",
                 kLookUps, create_evaluation),
    personalizer("GET", "/evaluations/{id}", "evaluation", kRead, "", kLookUps, evaluation),
    personalizer("DELETE", "/evaluations/{id}", "evaluation", kAdmin, "", kLookUps,
                 remove_evaluation),
    personalizer("GET", "/logs/properties", "log_properties", kRead, "", kLookUps, log_properties),
    personalizer("DELETE", "/logs", "logs", kAdmin, "", kHere, remove_log),
    personalizer("POST", "/logs/interactions", "binary_log", kDecide, "", kHere, binary_log),
    personalizer("POST", "/logs/observations", "binary_log", kReward, "", kHere, binary_log),
    personalizer("GET", "/model", "model", kRead, "", kModels, model),
    personalizer("PUT", "/model", "model", kAdmin, "InvalidModelImportFormat", kModels, load_model),
    personalizer("DELETE", "/model", "model", kAdmin, "", kHere, reset_model),
    personalizer("GET", "/model/properties", "model_properties", kRead, "", kModels,
                 model_properties),
    ours("GET", "/v1/decisions/{id}", "decision", kRead, kMainOnly, kLookUps, decision),
    ours("GET", "/v1/models", "models", kRead, kMainOnly, kModels, model_versions),
    ours("POST", "/v1/models/{id}/rollback", "rollback", kAdmin, kMainOnly, kModels, roll_back),
    ours("POST", "/v1/erase", "erase", kAdmin, kMainOnly, kTraining, erase),
    ours("GET", "/v1/gate", "gate", kRead, kMainOnly, kHere, gate),
    ours("PUT", "/v1/gate", "gate", kAdmin, kMainOnly, kTraining, begin_trial),
    ours("DELETE", "/v1/gate", "gate", kAdmin, kMainOnly, kHere, stop_trial),
    ours("POST", "/v1/gate/promote", "gate", kAdmin, kMainOnly, kHere, promote),
    ours("GET", "/v1/status", "status", kRead, kMainOnly, kLookUps, status),
    ours("GET", "/v1/history/{id}", "history", kRead, kMainOnly, kLookUps, history),
    ours("GET", "/metrics", "metrics", kRead, kHealth, kMetrics, metrics),
    ours("GET", "/healthz", "healthz", kOpen, kHealth, kHere, healthz),
    ours("GET", "/readyz", "readyz", kOpen, kHealth, kHere, readyz),
    ours("GET", "/", "page", kOpen, kMainOnly, kHere, page)};

// Whether `path` has this form. If so, `id` is the part in place of {id}, as it was sent.
bool matches(std::string_view form, std::string_view path, std::string_view& id) {
  constexpr std::string_view kId = "{id}";
  const auto at = form.find(kId);
  if (at == std::string_view::npos) return form == path;
  const std::string_view before = form.substr(0, at), after = form.substr(at + kId.size());
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) ||
      !path.ends_with(after)) {
    return false;
  }
  id = path.substr(before.size(), path.size() - before.size() - after.size());
  return id.find('/') == std::string_view::npos;
}

}  // namespace

Found find_route(std::string_view method, std::string_view path) {
  if (method == "HEAD") method = "GET";
  Found found;
  std::string_view id;
  for (const Route& route : kRoutes) {
    const auto bases = paths_of(route.base);
    const auto base = std::ranges::find_if(bases, [&](std::string_view each) {
      return path.starts_with(each) && matches(route.path, path.substr(each.size()), id);
    });
    if (base == bases.end()) continue;
    found.name = route.name;
    found.open = !route.right;
    found.health = route.health;
    if (route.method == method) {
      found.route = &route;
      if (!route.in_client || *base != kPersonalizerBases.front()) found.invalid = route.invalid;
      found.methods.clear();
      if (route.path.find('{') != std::string_view::npos) {
        found.is_malformed = !percent_decoded(id, found.event_id);
      }
      return found;
    }
    found.methods += (found.methods.empty() ? "" : ", ") + std::string(route.method);
  }
  return found;
}

}  // namespace sau::detail
