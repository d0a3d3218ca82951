#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sau/http/http_message.hpp"
#include "sau/http/http_reply.hpp"
#include "sau/serve/service.hpp"

namespace sau {

struct ServiceApiOptions {
  std::vector<std::string> keys = {};  // none: whoever reaches the server may use it
  std::size_t model_bytes = 1U << 30;  // of PUT /model
};

// The service over HTTP (docs/http.md): the calls of the retired Personalizer below
// /personalizer/v1.0, and what goes beyond them beside it.
class ServiceApi {
 public:
  ServiceApi(Service& service, ServiceApiOptions options);

  // For HttpServerOptions::on_head: keys, and bodies that may be larger than usual.
  std::optional<HttpResponse> check_head(const HttpRequest& head, std::size_t& body_limit);
  void answer(HttpRequest request, HttpReply reply);
  // {"error":{"code","message"}} for what the transport refuses.
  static HttpResponse error(int status, std::string_view message);

 private:
  bool has_key(const HttpRequest& request) const;

  Service& service_;
  ServiceApiOptions options_;
};

// One key a line; empty lines and lines that begin with # are passed over. Throws Error when there
// is none, or one that is too short to be a secret.
std::vector<std::string> read_keys(const std::filesystem::path& file);

}  // namespace sau
