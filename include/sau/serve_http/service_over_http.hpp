#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sau/http/http_message.hpp"
#include "sau/http/http_reply.hpp"
#include "sau/http/http_server.hpp"
#include "sau/serve/service.hpp"

namespace sau {

namespace detail {
class JobQueue;
struct Call;
}  // namespace detail

struct ServiceOverHttpOptions {
  std::vector<std::string> keys = {};                 // none: whoever reaches the server may use it
  std::size_t model_bytes = std::size_t{256} << 20;   // of PUT /model
  std::size_t queue = 64;                             // answers of one kind that wait to be made
  std::shared_ptr<const HttpTally> connections = {};  // shown among the metrics
  // Told what failed while an answer was made, and of what ("GET /path"). From several threads.
  std::function<void(std::string_view request, const char* what)> on_failure = {};
};

// The service over HTTP (docs/http.md): the calls of the retired Personalizer below
// /personalizer/v1.0, and what goes beyond them beside it. Answers that take long to make, such as
// a whole model, are made by three threads of its own. Thread-safe.
class ServiceOverHttp {
 public:
  // The health port has /healthz, /readyz and /metrics alone.
  enum class Port { kMain, kHealth };

  ServiceOverHttp(Service& service, ServiceOverHttpOptions options);
  ServiceOverHttp(const ServiceOverHttp&) = delete;
  ServiceOverHttp& operator=(const ServiceOverHttp&) = delete;
  // What waits to be made is given up. The service must still be there.
  ~ServiceOverHttp();

  // For HttpServerOptions::on_head: keys, and bodies that may be larger than usual.
  std::optional<HttpResponse> check_head(const HttpRequest& head, std::size_t& body_limit,
                                         Port port = Port::kMain);
  void answer(HttpRequest request, const HttpReply& reply, Port port = Port::kMain);
  // {"error":{"code","message"}} for what the transport refuses.
  static HttpResponse error(int status, std::string_view message);

 private:
  bool has_key(const HttpRequest& request) const;
  void make_later(detail::JobQueue& queue, void (*handler)(detail::Call&), detail::Call call);

  Service& service_;
  const ServiceOverHttpOptions options_;
  std::unique_ptr<detail::JobQueue> metrics_, look_ups_, models_;
};

// One key a line; empty lines and lines that begin with # are passed over. Throws Error when there
// is none, or one that is too short to be a secret.
std::vector<std::string> read_keys(const std::filesystem::path& file);

}  // namespace sau
