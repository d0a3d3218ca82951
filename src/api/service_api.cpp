#include "sau/api/service_api.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <iterator>
#include <memory>
#include <utility>

#include "api/embedded_live.hpp"
#include "api/json_text.hpp"

namespace sau {
namespace {

using detail::append_json;

constexpr std::string_view kBase = "/personalizer/v1.0";
constexpr const char* kJson = "application/json; charset=utf-8";

// The codes that clients of the retired service know.
std::string_view code_of(int status) {
  if (status == 401) return "Unauthorized";
  if (status == 404) return "ResourceNotFound";
  return status >= 500 ? "InternalServerError" : "BadRequest";
}

int status_of(Failure::Code code) {
  switch (code) {
    case Failure::Code::kBadRequest:
      return 400;
    case Failure::Code::kUnauthorized:
      return 401;
    case Failure::Code::kNotFound:
      return 404;
    case Failure::Code::kConflict:
      return 409;
    case Failure::Code::kTooLarge:
      return 413;
    case Failure::Code::kOverloaded:
    case Failure::Code::kUnavailable:
      return 503;
    case Failure::Code::kInternal:
      break;
  }
  return 500;
}

HttpResponse json_response(int status, std::string body) {
  HttpResponse response{.status = status, .headers = {}, .body = std::move(body)};
  response.headers.reserve(4);  // (a list of them would be copied)
  response.headers.push_back({"Content-Type", kJson});
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  return response;
}

HttpResponse error_response(int status, std::string_view message, std::string_view target) {
  std::string body = R"({"error":{"code":)";
  append_json(body, code_of(status));
  body += R"(,"message":)";
  append_json(body, message);
  if (!target.empty()) {
    body += R"(,"target":)";
    append_json(body, target);
  }
  HttpResponse response = json_response(status, body + "}}");
  if (status == 503) response.headers.push_back({"Retry-After", "1"});
  if (status == 401) response.headers.push_back({"WWW-Authenticate", "Bearer"});
  return response;
}

HttpResponse failed(const Failure& failure) {
  return error_response(status_of(failure.code), failure.message, failure.target);
}

std::string rank_body(const RankAnswer& answer) {
  constexpr std::size_t kUsual = 64;  // bytes an action
  std::string body;
  body.reserve(kUsual * (answer.ranking.size() + 2));
  body += R"({"ranking":[)";
  for (const RankedAction& action : answer.ranking) {
    if (&action != &answer.ranking.front()) body += ',';
    body += R"({"id":)";
    append_json(body, action.id);
    std::array<char, 32> number;  // of the 24 that a double takes at most
    const char* const end = fmt::format_to(number.data(), FMT_COMPILE("{}"), action.probability);
    body += R"(,"probability":)";
    body += std::string_view(number.data(), end);
    body += '}';
  }
  body += R"(],"eventId":)";
  append_json(body, answer.event_id);
  body += R"(,"rewardActionId":)";
  append_json(body, answer.ranking[answer.chosen].id);
  body += '}';
  return body;
}

// What was asked for, after the base path or beside it.
struct Call {
  std::string_view what;  // name of the route, for the counters; "other" for none
  std::string event_id = {};
  bool malformed = false;
  bool open = false;  // to people without a key
};

// "/events/{id}/reward" when `path` is of this form.
bool is_event_call(std::string_view path, std::string_view before, std::string_view after,
                   Call& call) {
  if (!path.starts_with(before) || !path.ends_with(after) ||
      path.size() <= before.size() + after.size()) {
    return false;
  }
  const auto id = path.substr(before.size(), path.size() - before.size() - after.size());
  if (id.find('/') != std::string_view::npos) return false;
  call.malformed = !detail::percent_decoded(id, call.event_id);
  return true;
}

Call call_of(std::string_view path) {
  struct Fixed {
    std::string_view path, what;
    bool open;
  };
  static constexpr std::array kFixed = {
      Fixed{"/", "page", true}, Fixed{"/healthz", "healthz", true},
      Fixed{"/readyz", "readyz", true}, Fixed{"/metrics", "metrics", false},
      Fixed{"/v1/status", "status", false}};
  for (const Fixed& fixed : kFixed) {
    if (path == fixed.path) return {.what = fixed.what, .open = fixed.open};
  }
  Call call{.what = "other"};
  if (is_event_call(path, "/v1/decisions/", "", call)) call.what = "decision";
  if (!path.starts_with(kBase)) return call;
  path.remove_prefix(kBase.size());
  if (path == "/rank") call.what = "rank";
  if (path == "/configurations/service") call.what = "configuration";
  if (path == "/model") call.what = "model";
  if (path == "/model/properties") call.what = "model_properties";
  if (is_event_call(path, "/events/", "/reward", call)) call.what = "reward";
  if (is_event_call(path, "/events/", "/activate", call)) call.what = "activate";
  return call;
}

// The time of the comparison depends on the length of our key alone.
bool same_key(std::string_view key, std::string_view given) {
  unsigned difference = key.size() == given.size() ? 0U : 1U;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const char other = given.empty() ? '\0' : given[i % given.size()];
    difference |= static_cast<unsigned>(static_cast<unsigned char>(key[i]) ^
                                        static_cast<unsigned char>(other));
  }
  return difference == 0;
}

// Whether "host:port" is this machine as its own users call it.
bool is_loopback(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1) == "[::1]";
  host = host.substr(0, host.find(':'));
  const bool number = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host == "localhost" || (number && host.starts_with("127."));
}

// An Answer that replies: with the body made of the value, or with the failure.
template <class T, class Body>
Answer<T> replying(const HttpReply& reply, int status, Body body) {
  return [reply, status, body](const Result<T>& result) {
    if (!result.ok()) return reply(failed(result.failure()));
    reply(status == 204 ? HttpResponse{.status = 204}
                        : json_response(status, body(result.value())));
  };
}
Answer<Done> acknowledging(const HttpReply& reply) {
  return replying<Done>(reply, 204, [](Done) { return std::string(); });
}

void page(const HttpReply& reply) {
  reply({.status = 200,
         .headers = {{"Content-Type", "text/html; charset=utf-8"},
                     {"Cache-Control", "no-cache"},
                     {"X-Content-Type-Options", "nosniff"},
                     {"Content-Security-Policy",
                      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                      "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
                      "frame-ancestors 'none'"}},
         .body = std::string(detail::embedded_live().front().text)});
}

}  // namespace

ServiceApi::ServiceApi(Service& service, ServiceApiOptions options)
    : service_(service), options_(std::move(options)) {}

HttpResponse ServiceApi::error(int status, std::string_view message) {
  return error_response(status, message, "");
}

bool ServiceApi::has_key(const HttpRequest& request) const {
  if (options_.keys.empty()) return true;
  constexpr std::string_view kBearer = "Bearer ";
  std::string_view given = request.header("Ocp-Apim-Subscription-Key");
  if (const auto bearer = request.header("Authorization");
      given.empty() && bearer.starts_with(kBearer)) {
    given = bearer.substr(kBearer.size());
  }
  bool known = false;
  for (const std::string& key : options_.keys) known = same_key(key, given) || known;
  return known;
}

std::optional<HttpResponse> ServiceApi::check_head(const HttpRequest& head,
                                                   std::size_t& body_limit) {
  const Call call = call_of(head.path());
  if (!call.open && !has_key(head)) {
    service_.count_request(call.what, 401, 0.0);
    return error_response(401, "give a key in the header Ocp-Apim-Subscription-Key", "");
  }
  // A page of another site, open in a browser on this machine, is not a user of this server:
  // neither under its own name nor under one that it has made to point here.
  if (options_.keys.empty() && !is_loopback(head.header("Host"))) {
    service_.count_request(call.what, 421, 0.0);
    return error_response(421, "not the host that is served here: use the address that was printed",
                          "");
  }
  const auto origin = head.header("Origin");
  if (options_.keys.empty() && !origin.empty()) {
    const auto host = head.header("Host");
    if (origin != "http://" + std::string(host) && origin != "https://" + std::string(host)) {
      service_.count_request(call.what, 403, 0.0);
      return error_response(403, "requests of other sites need a key", "");
    }
  }
  if (call.what == "model" && head.method == "PUT") body_limit = options_.model_bytes;
  return std::nullopt;
}

void ServiceApi::answer(HttpRequest request, const HttpReply& reply) {
  const std::string_view path = request.path();
  const Call call = call_of(path);
  // Counts the answer on its way.
  const auto begin = std::chrono::steady_clock::now();
  const HttpReply counted([this, reply, begin, what = call.what](HttpResponse response) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    service_.count_request(what, response.status, took.count());
    reply(std::move(response));
  });
  const bool get = request.method == "GET" || request.method == "HEAD";
  const auto allow = [&](bool fits, const char* methods) {
    if (fits) return true;
    HttpResponse response =
        error_response(405, "the method is not one of " + std::string(methods), "");
    response.headers.push_back({"Allow", methods});
    counted(std::move(response));
    return false;
  };
  if (call.malformed) return counted(error_response(400, "malformed", "eventId"));

  if (call.what == "rank") {
    if (allow(request.method == "POST", "POST")) {
      service_.rank(std::move(request.body), replying<RankAnswer>(counted, 201, rank_body));
    }
  } else if (call.what == "reward") {
    if (allow(request.method == "POST", "POST")) {
      service_.reward(call.event_id, request.body, acknowledging(counted));
    }
  } else if (call.what == "activate") {
    if (allow(request.method == "POST", "POST")) {
      service_.activate(call.event_id, acknowledging(counted));
    }
  } else if (call.what == "configuration") {
    if (!allow(get || request.method == "PUT", "GET, PUT")) return;
    if (get) return counted(json_response(200, to_json(service_.configuration())));
    service_.configure(request.body, replying<Configuration>(counted, 200, [](const auto& value) {
                         return to_json(value);
                       }));
  } else if (call.what == "model") {
    if (!allow(get || request.method == "PUT" || request.method == "DELETE", "GET, PUT, DELETE")) {
      return;
    }
    if (request.method == "PUT") {
      return service_.load_model(request.body, acknowledging(counted));
    }
    if (request.method == "DELETE") return service_.reset_model(acknowledging(counted));
    counted({.status = 200,
             .headers = {{"Content-Type", "application/octet-stream"}},
             .body = service_.model()});
  } else if (call.what == "decision") {
    if (!allow(get, "GET")) return;
    auto decision = service_.decision(call.event_id);
    counted(decision.ok() ? json_response(200, std::move(decision).value())
                          : failed(decision.failure()));
  } else if (call.what == "model_properties") {
    if (allow(get, "GET")) counted(json_response(200, service_.model_properties()));
  } else if (call.what == "status") {
    if (allow(get, "GET")) counted(json_response(200, service_.status()));
  } else if (call.what == "metrics") {
    if (!allow(get, "GET")) return;
    counted({.status = 200,
             .headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}},
             .body = service_.metrics()});
  } else if (call.what == "healthz") {
    if (allow(get, "GET")) counted(text_response(200, "ok"));
  } else if (call.what == "readyz") {
    if (!allow(get, "GET")) return;
    const bool ready = service_.ready();
    counted(ready ? text_response(200, "ready") : error_response(503, "not ready yet", ""));
  } else if (call.what == "page") {
    if (allow(get, "GET")) page(counted);
  } else {
    counted(error_response(404, "there is nothing at " + std::string(path.substr(0, 128)), ""));
  }
}

}  // namespace sau
