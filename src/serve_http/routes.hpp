#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sau/http/http_message.hpp"
#include "sau/http/http_reply.hpp"
#include "sau/http/http_server.hpp"
#include "sau/serve/service.hpp"

namespace sau::detail {

// A request on its way to the service, with everything its handler needs.
struct Call {
  Service& service;
  std::shared_ptr<const HttpTally> connections;  // may be null
  HttpRequest request;
  std::string event_id;  // from the path, if it has one
  HttpReply reply;
};

// Which thread makes an answer. Slow answers must not block a server thread, which has other
// connections; answers that wait for the learner or move whole models must not block the metrics.
enum class Place { kServerThread, kMetrics, kLookUps, kModels };

struct Route {
  std::string_view method;      // GET includes HEAD
  std::string_view base, path;  // {id} stands for an event id
  std::string_view name;        // for the counters
  bool open;                    // needs no key
  bool health;                  // also on the health port
  Place place;
  void (*handler)(Call& call);
};

// The result of looking up a method and a path.
struct Found {
  const Route* route = nullptr;     // null: no such path, or not with this method
  std::string_view name = "other";  // of the path
  bool open = false;
  bool health = false;
  std::string methods = {};   // of the path, if the method is not one of them: "GET, PUT"
  std::string event_id = {};  // decoded
  bool is_malformed = false;  // the event id
};
Found find_route(std::string_view method, std::string_view path);

}  // namespace sau::detail
