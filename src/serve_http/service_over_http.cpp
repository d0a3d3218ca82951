#include "sau/serve_http/service_over_http.hpp"

#include <chrono>
#include <new>
#include <utility>

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

Found found_on(ServiceOverHttp::Port port, const HttpRequest& request) {
  Found found = detail::find_route(request.method, request.path());
  if (port == ServiceOverHttp::Port::kHealth && !found.health) return {};
  return found;
}

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

ServiceOverHttp::ServiceOverHttp(Service& service, Evaluations& evaluations,
                                 ServiceOverHttpOptions options)
    : service_(service),
      evaluations_(evaluations),
      options_(std::move(options)),
      access_(std::make_unique<detail::Access>(options_.keys)),
      metrics_(std::make_unique<JobQueue>(options_.queue)),
      look_ups_(std::make_unique<JobQueue>(options_.queue)),
      models_(std::make_unique<JobQueue>(options_.queue)),
      training_(std::make_unique<JobQueue>(options_.queue)) {}

ServiceOverHttp::~ServiceOverHttp() = default;

HttpResponse ServiceOverHttp::error(int status, std::string_view message) {
  return error_response(status, message);
}

void ServiceOverHttp::set_keys(std::vector<AccessKey> keys) { access_->set_keys(std::move(keys)); }

std::optional<HttpResponse> ServiceOverHttp::check_head(const HttpRequest& head,
                                                        std::size_t& body_limit, Port port) {
  const Found found = found_on(port, head);
  if (auto refusal = access_->refusal_of(head, found)) {
    service_.count_request(found.name, refusal->status, 0.0);
    return refusal;
  }
  if (found.name == "model" && head.method == "PUT") body_limit = options_.model_bytes;
  return std::nullopt;
}

void ServiceOverHttp::answer(HttpRequest request, const HttpReply& reply, Port port) {
  Found found = found_on(port, request);
  // Counts the answer when it passes through.
  const auto begin = std::chrono::steady_clock::now();
  const HttpReply counted([this, reply, begin, name = found.name](HttpResponse response) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    service_.count_request(name, response.status, took.count());
    reply(std::move(response));
  });
  if (found.route == nullptr) return counted(refusal_of(found, request));
  if (found.is_malformed) return counted(error_response(400, "malformed", "eventId"));
  Call call{.service = service_,
            .evaluations = evaluations_,
            .connections = options_.connections,
            .request = std::move(request),
            .event_id = std::move(found.event_id),
            .invalid = found.invalid,
            .reply = counted};
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
