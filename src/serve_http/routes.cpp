#include "serve_http/routes.hpp"

#include <array>
#include <memory>
#include <utility>

#include "serve_http/answers.hpp"
#include "serve_http/embedded_live.hpp"
#include "serve_http/json_text.hpp"

namespace sau::detail {
namespace {

// An Answer that replies with what `respond` makes of the value, or with the failure. A thread of
// the service calls it, and it must not throw, even when memory runs out.
template <class T, class Respond>
Answer<T> replying(const HttpReply& reply, Respond respond) {
  return [reply, respond](const Result<T>& result) {
    try {
      reply(result.ok() ? respond(result.value()) : failed(result.failure()));
    } catch (const std::exception&) {
      reply({.status = 503});
    }
  };
}
Answer<Done> acknowledging(const HttpReply& reply) {
  return replying<Done>(reply, [](Done) { return HttpResponse{.status = 204}; });
}

void rank(Call& call) {
  call.service.rank(std::move(call.request.body),
                    replying<RankAnswer>(call.reply, [](const RankAnswer& answer) {
                      return json_response(201, rank_body(answer));
                    }));
}

void reward(Call& call) {
  call.service.reward(call.event_id, call.request.body, acknowledging(call.reply));
}

void activate(Call& call) { call.service.activate(call.event_id, acknowledging(call.reply)); }

void configuration(Call& call) {
  call.reply(json_response(200, to_json(call.service.configuration())));
}

void configure(Call& call) {
  call.service.configure(call.request.body,
                         replying<Configuration>(call.reply, [](const Configuration& value) {
                           return json_response(200, to_json(value));
                         }));
}

void model(Call& call) {
  call.reply({.status = 200,
              .headers = {{"Content-Type", "application/octet-stream"}},
              .body = call.service.model()});
}

void load_model(Call& call) {
  // Who has the answer may send the next model: the room of this one is free before.
  const auto permit = std::make_shared<std::shared_ptr<const void>>(std::move(call.request.permit));
  call.service.load_model(call.request.body,
                          [permit, answer = acknowledging(call.reply)](Status status) {
                            permit->reset();
                            answer(std::move(status));
                          });
}

void reset_model(Call& call) { call.service.reset_model(acknowledging(call.reply)); }

void model_properties(Call& call) {
  call.reply(json_response(200, call.service.model_properties()));
}

void decision(Call& call) {
  auto decision = call.service.decision(call.event_id);
  call.reply(decision.ok() ? json_response(200, std::move(decision).value())
                           : failed(decision.failure()));
}

void status(Call& call) { call.reply(json_response(200, call.service.status())); }

void metrics(Call& call) {
  if (const HttpTally* const tally = call.connections.get()) {
    call.service.count_connections(tally->open, {{"idle", tally->idle},
                                                 {"slow", tally->slow},
                                                 {"address", tally->address},
                                                 {"full", tally->full}});
  }
  call.reply({.status = 200,
              .headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}},
              .body = call.service.metrics()});
}

void healthz(Call& call) { call.reply(text_response(200, "ok")); }

void readyz(Call& call) {
  call.reply(call.service.ready() ? text_response(200, "ready")
                                  : error_response(503, "not ready yet"));
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

constexpr std::string_view kBase = "/personalizer/v1.0", kOurs;
constexpr bool kOpen = true, kKeyed = false, kHealth = true, kMainOnly = false;
constexpr auto kHere = Place::kServerThread, kMetrics = Place::kMetrics;
constexpr auto kLookUps = Place::kLookUps, kModels = Place::kModels;
constexpr std::array kRoutes = {
    Route{"POST", kBase, "/rank", "rank", kKeyed, kMainOnly, kHere, rank},
    Route{"POST", kBase, "/events/{id}/reward", "reward", kKeyed, kMainOnly, kHere, reward},
    Route{"POST", kBase, "/events/{id}/activate", "activate", kKeyed, kMainOnly, kHere, activate},
    Route{"GET", kBase, "/configurations/service", "configuration", kKeyed, kMainOnly, kHere,
          configuration},
    Route{"PUT", kBase, "/configurations/service", "configuration", kKeyed, kMainOnly, kHere,
          configure},
    Route{"GET", kBase, "/model", "model", kKeyed, kMainOnly, kModels, model},
    Route{"PUT", kBase, "/model", "model", kKeyed, kMainOnly, kModels, load_model},
    Route{"DELETE", kBase, "/model", "model", kKeyed, kMainOnly, kHere, reset_model},
    Route{"GET", kBase, "/model/properties", "model_properties", kKeyed, kMainOnly, kModels,
          model_properties},
    Route{"GET", kOurs, "/v1/decisions/{id}", "decision", kKeyed, kMainOnly, kLookUps, decision},
    Route{"GET", kOurs, "/v1/status", "status", kKeyed, kMainOnly, kLookUps, status},
    Route{"GET", kOurs, "/metrics", "metrics", kKeyed, kHealth, kMetrics, metrics},
    Route{"GET", kOurs, "/healthz", "healthz", kOpen, kHealth, kHere, healthz},
    Route{"GET", kOurs, "/readyz", "readyz", kOpen, kHealth, kHere, readyz},
    Route{"GET", kOurs, "/", "page", kOpen, kMainOnly, kHere, page}};

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
    if (!path.starts_with(route.base)) continue;
    if (!matches(route.path, path.substr(route.base.size()), id)) continue;
    found.name = route.name;
    found.open = route.open;
    found.health = route.health;
    if (route.method == method) {
      found.route = &route;
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
