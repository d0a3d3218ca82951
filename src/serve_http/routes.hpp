#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sau/evaluations/evaluations.hpp"
#include "sau/http/http_message.hpp"
#include "sau/http/http_reply.hpp"
#include "sau/http/http_server.hpp"
#include "sau/serve/service.hpp"
#include "sau/serve_http/access_key.hpp"
#include "sau/serve_http/service_over_http.hpp"

namespace sau::detail {

// A request on its way to the service, with everything its handler needs.
struct Call {
  Service& service;
  Evaluations& evaluations;
  std::shared_ptr<const HttpTally> connections;  // may be null
  std::span<const Application> others;           // if it is for the process: all further services
  HttpRequest request;
  std::string event_id;      // {id} of the path: of an event, an evaluation, a version, or a span
  std::string_view invalid;  // of the route
  HttpReply reply;
};

// Which thread makes an answer. Slow answers must not block a server thread, which has other
// connections; answers that wait for the learner or move whole models must not block the metrics;
// and learning from a whole log blocks nothing else.
enum class Place { kServerThread, kMetrics, kLookUps, kModels, kTraining };

// Which paths a call has: below every version of Personalizer's base path, or just its own.
enum class Base { kPersonalizer, kNone };

struct Route {
  std::string_view method;  // GET includes HEAD
  Base base;
  std::string_view path;     // {id} stands for an id
  std::string_view name;     // for the counters
  std::string_view invalid;  // the code of a request that is wrong; empty: BadRequest
  bool in_client;            // clients of v1.0 have it: below that path it has the codes they know
  std::optional<Right> right;  // that the key needs; nothing: the call needs no key
  bool health;                 // also on the health port
  Place place;
  void (*handler)(Call& call);
};

// The result of looking up a method and a path.
struct Found {
  const Route* route = nullptr;     // null: no such path, or not with this method
  std::string_view name = "other";  // of the path
  bool open = false;                // needs no key
  bool health = false;
  std::string methods = {};       // of the path, if the method is not one of them: "GET, PUT"
  std::string event_id = {};      // decoded
  bool is_malformed = false;      // the event id
  std::string_view invalid = {};  // the code of a request that is wrong, below this base path
};
Found find_route(std::string_view method, std::string_view path);

}  // namespace sau::detail
