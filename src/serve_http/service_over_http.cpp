#include "sau/serve_http/service_over_http.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "serve/job_queue.hpp"
#include "serve_http/access.hpp"
#include "serve_http/answers.hpp"
#include "serve_http/routes.hpp"

namespace sau {
namespace {

using detail::Call;
using detail::error_response;
using detail::Found;
using detail::JobQueue;

HttpResponse refusal_of(const Found& found, const HttpRequest& request) {
  if (found.methods.empty()) {
    const std::string path(request.path().substr(0, 128));
    return error_response(404, "there is nothing at " + path);
  }
  HttpResponse response = error_response(405, "the method is not one of " + found.methods);
  response.headers.push_back({"Allow", found.methods});
  return response;
}

}  // namespace

struct ServiceOverHttp::Way {
  const Application* application;
  Found found;
};

ServiceOverHttp::ServiceOverHttp(Service& service, Evaluations& evaluations,
                                 ServiceOverHttpOptions options)
    : main_{.name = "", .service = &service, .evaluations = &evaluations},
      options_(std::move(options)),
      access_(std::make_unique<detail::Access>(options_.keys, options_.limits)),
      metrics_(std::make_unique<JobQueue>(options_.queue)),
      look_ups_(std::make_unique<JobQueue>(options_.queue)),
      models_(std::make_unique<JobQueue>(options_.queue)),
      training_(std::make_unique<JobQueue>(options_.queue)) {
  check_keys(options_.keys);
}

ServiceOverHttp::~ServiceOverHttp() = default;

HttpResponse ServiceOverHttp::error(int status, std::string_view message) {
  return error_response(status, message);
}

void ServiceOverHttp::check_keys(const std::vector<AccessKey>& keys) const {
  for (const AccessKey& key : keys) {
    if (key.application.empty()) continue;
    std::vector<std::string> known;
    for (const Application& each : options_.applications) known.push_back(each.name);
    if (std::ranges::find(known, key.application) == known.end()) {
      throw Error("a key is for an " + unknown_name("application", key.application, known));
    }
  }
}

void ServiceOverHttp::set_keys(std::vector<AccessKey> keys) {
  check_keys(keys);
  access_->set_keys(std::move(keys));
}

ServiceOverHttp::Way ServiceOverHttp::way_of(const HttpRequest& request, Port port) const {
  constexpr std::string_view kApps = "/apps/";
  std::string_view path = request.path();
  Way way{&main_, {}};
  if (path.starts_with(kApps)) {
    const std::string_view name =
        path.substr(kApps.size(), path.find('/', kApps.size()) - kApps.size());
    const auto found = std::ranges::find(options_.applications, name, &Application::name);
    if (found == options_.applications.end()) return way;  // there is nothing
    way.application = &*found;
    path.remove_prefix(kApps.size() + name.size());
  }
  Found found = detail::find_route(request.method, path);
  if (port == Port::kMain || found.health) way.found = std::move(found);
  return way;
}

std::optional<HttpResponse> ServiceOverHttp::check_head(const HttpRequest& head,
                                                        std::size_t& body_limit, Port port) {
  const Way way = way_of(head, port);
  const Found& found = way.found;
  if (auto refusal = access_->refusal_of(head, found, way.application->name)) {
    way.application->service->count_request(found.name, refusal->status, 0.0);
    return refusal;
  }
  if (found.name == "model" && head.method == "PUT") body_limit = options_.model_bytes;
  return std::nullopt;
}

void ServiceOverHttp::answer(HttpRequest request, const HttpReply& reply, Port port) {
  Way way = way_of(request, port);
  Found& found = way.found;
  const Application& application = *way.application;
  // Counts the answer when it passes through.
  const auto begin = std::chrono::steady_clock::now();
  const HttpReply counted(
      [service = application.service, reply, begin, name = found.name](HttpResponse response) {
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        service->count_request(name, response.status, took.count());
        reply(std::move(response));
      });
  if (found.route == nullptr) return counted(refusal_of(found, request));
  if (found.is_malformed) return counted(error_response(400, "malformed", "eventId"));
  Call call{.service = *application.service,
            .evaluations = *application.evaluations,
            .connections = options_.connections,
            .others = {},
            .request = std::move(request),
            .event_id = std::move(found.event_id),
            .invalid = found.invalid,
            .reply = counted};
  if (&application == &main_) call.others = options_.applications;
  switch (found.route->place) {
    case detail::Place::kServerThread:
      return found.route->handler(call);
    case detail::Place::kMetrics:
      return make_later(*metrics_, found.route->handler, std::move(call));
    case detail::Place::kLookUps:
      return make_later(*look_ups_, found.route->handler, std::move(call));
    case detail::Place::kModels:
      return make_later(*models_, found.route->handler, std::move(call));
    case detail::Place::kTraining:
      return make_later(*training_, found.route->handler, std::move(call));
  }
}

void ServiceOverHttp::make_later(JobQueue& queue, void (*handler)(Call&), Call call) {
  const HttpReply reply = call.reply;
  JobQueue::Job job = [this, handler, call = std::move(call)]() mutable {
    const auto fail = [&](int status, const char* line, const char* what) {
      if (options_.on_failure) {
        options_.on_failure(call.request.method + " " + call.request.target, what);
      }
      call.reply(error_response(status, line));
    };
    try {
      try {
        handler(call);
      } catch (const std::bad_alloc&) {
        fail(503, "not enough memory for this request", "not enough memory");
      } catch (const std::exception& error) {
        fail(500, "the server failed to answer this", error.what());
      }
    } catch (...) {
      call.reply({.status = 503});  // takes no memory
    }
  };
  if (!queue.submit(job)) reply(error_response(503, "too many requests of this kind; try again"));
}

}  // namespace sau
