#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sau/http/http_message.hpp"
#include "sau/http/http_reply.hpp"
#include "sau/http/http_server.hpp"
#include "sau/serve/service.hpp"

namespace sau::detail {

// A request on its way to the service, and all that its handler needs.
struct Call {
  Service& service;
  std::shared_ptr<const HttpTally> connections;  // may be null
  HttpRequest request;
  std::string event_id;  // of the path, where it has one
  HttpReply reply;
};

// Which thread makes an answer. What takes long must not hold up the connections of a server's
// thread; what may wait for the learner or moves whole models must not hold up the metrics.
enum class Place { kServerThread, kMetrics, kLookUps, kModels };

struct Route {
  std::string_view method;      // GET is HEAD as well
  std::string_view base, path;  // {id} stands for an event id
  std::string_view name;        // for the counters
  bool open;                    // needs no key
  bool health;                  // is on the health port too
  Place place;
  void (*handler)(Call& call);
};

// What a method and a path lead to.
struct Found {
  const Route* route = nullptr;     // null: nothing, or not by this method
  std::string_view name = "other";  // of the path
  bool open = false;
  bool health = false;
  std::string methods = {};   // of the path, when the method is not one of them: "GET, PUT"
  std::string event_id = {};  // decoded
  bool is_malformed = false;  // the event id
};
Found find_route(std::string_view method, std::string_view path);

}  // namespace sau::detail
