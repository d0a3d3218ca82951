#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "sau/http/http_message.hpp"
#include "sau/serve_http/access_key.hpp"
#include "serve_http/routes.hpp"

namespace sau::detail {

// Who may call. Thread-safe.
class Access {
 public:
  // Without keys, whoever reaches the server may use it.
  explicit Access(std::vector<AccessKey> keys);

  // Replaces all keys. Requests that were let in before are answered.
  void set_keys(std::vector<AccessKey> keys);

  // The answer to a request that is refused.
  std::optional<HttpResponse> refusal_of(const HttpRequest& head, const Found& found) const;

 private:
  using Keys = std::shared_ptr<const std::vector<AccessKey>>;
  Keys keys() const;

  mutable std::mutex mutex_;
  Keys keys_;
};

}  // namespace sau::detail
