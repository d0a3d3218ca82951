#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sau/evaluations/evaluations.hpp"
#include "sau/http/http_message.hpp"
#include "sau/http/http_reply.hpp"
#include "sau/http/http_server.hpp"
#include "sau/serve/service.hpp"
#include "sau/serve_http/access_key.hpp"

namespace sau {

namespace detail {
class Access;
class JobQueue;
struct Call;
}  // namespace detail

// How many requests a second are answered; 0: any number. Others get 429.
struct RateLimits {
  double per_key = 0.0;      // unless the key has a rate of its own
  double per_address = 0.0;  // an IPv4 address, or an IPv6 /64 network
};

// A further service, below /apps/NAME.
struct Application {
  std::string name;
  Service* service = nullptr;
  Evaluations* evaluations = nullptr;
};

struct ServiceOverHttpOptions {
  std::vector<AccessKey> keys = {};  // none: everybody who reaches the server may use it
  RateLimits limits = {};
  std::vector<Application> applications = {};
  std::size_t model_bytes = std::size_t{256} << 20;   // the largest body of PUT /model
  std::size_t queue = 64;                             // answers of one kind that may wait
  std::shared_ptr<const HttpTally> connections = {};  // shown among the metrics
  // Called when making an answer failed: for which request ("GET /path"), and why. From several
  // threads.
  std::function<void(std::string_view request, const char* what)> on_failure = {};
};

// The service over HTTP (docs/http.md): the calls of the retired Personalizer below
// /personalizer/v1.0 and /personalizer/v1.1-preview.3, and other paths for the calls that
// Personalizer did not have. Four extra threads make the answers that take long, such as a whole
// model. Further services have the same calls below /apps/NAME; calls that are open to all, such as
// /healthz, are about the process. Thread-safe.
class ServiceOverHttp {
 public:
  // The health port has only /healthz, /readyz and /metrics.
  enum class Port { kMain, kHealth };

  ServiceOverHttp(Service& service, Evaluations& evaluations, ServiceOverHttpOptions options);
  ServiceOverHttp(const ServiceOverHttp&) = delete;
  ServiceOverHttp& operator=(const ServiceOverHttp&) = delete;
  // Answers that wait to be made are dropped. The service and the evaluations must still exist.
  ~ServiceOverHttp();

  // For HttpServerOptions::on_head: checks keys, and allows larger bodies where they are needed.
  std::optional<HttpResponse> check_head(const HttpRequest& head, std::size_t& body_limit,
                                         Port port = Port::kMain);
  void answer(HttpRequest request, const HttpReply& reply, Port port = Port::kMain);
  // Throws Error, like the constructor, if a key is for an unknown application.
  void check_keys(const std::vector<AccessKey>& keys) const;
  // Replaces the keys while the service runs, after such a check; no keys mean the same as in the
  // options.
  void set_keys(std::vector<AccessKey> keys);
  // {"error":{"code","message"}} for requests that the transport refuses.
  static HttpResponse error(int status, std::string_view message);

 private:
  // Where a request goes: to which application, and the path within it.
  struct Way;
  Way way_of(const HttpRequest& request, Port port) const;
  void make_later(detail::JobQueue& queue, void (*handler)(detail::Call&), detail::Call call);

  const Application main_;
  const ServiceOverHttpOptions options_;
  const std::unique_ptr<detail::Access> access_;
  std::unique_ptr<detail::JobQueue> metrics_, look_ups_, models_, training_;
};

}  // namespace sau
