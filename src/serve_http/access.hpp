#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "sau/http/http_message.hpp"
#include "sau/serve_http/access_key.hpp"
#include "serve_http/rate_limit.hpp"
#include "serve_http/routes.hpp"

namespace sau::detail {

// Who may call. Thread-safe.
class Access {
 public:
  // Without keys, whoever reaches the server may use it.
  Access(std::vector<AccessKey> keys, const RateLimits& limits);

  // Replaces all keys. Requests that were let in before are answered.
  void set_keys(std::vector<AccessKey> keys);

  // The answer to a request that is refused; `application` is the one that it is for, or empty.
  std::optional<HttpResponse> refusal_of(const HttpRequest& head, const Found& found,
                                         std::string_view application);

 private:
  using Keys = std::shared_ptr<const std::vector<AccessKey>>;
  Keys keys() const;

  mutable std::mutex mutex_;
  Keys keys_;
  const RateLimits limits_;
  RateLimit by_key_, by_address_;
};

}  // namespace sau::detail
