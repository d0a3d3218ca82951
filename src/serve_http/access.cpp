#include "serve_http/access.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "sau/core/text.hpp"
#include "sau/http/host.hpp"
#include "serve_http/answers.hpp"

namespace sau::detail {
namespace {

// The time that this takes depends only on the length of our key.
bool same_key(std::string_view key, std::string_view given) {
  unsigned difference = key.size() == given.size() ? 0U : 1U;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const char other = given.empty() ? '\0' : given[i % given.size()];
    difference |= static_cast<unsigned>(static_cast<unsigned char>(key[i]) ^
                                        static_cast<unsigned char>(other));
  }
  return difference == 0;
}

// The key of "Bearer KEY" (RFC 6750); empty if the header has another form. The name of the scheme
// may be in any case, with any number of blanks after it.
std::string_view bearer_key(std::string_view header) {
  constexpr std::string_view kScheme = "bearer ";
  if (lower_case(header.substr(0, kScheme.size())) != kScheme) return {};
  header.remove_prefix(std::min(header.find_first_not_of(' ', kScheme.size()), header.size()));
  return header;
}

std::string_view given_key(const HttpRequest& head) {
  const std::string_view given = head.header("Ocp-Apim-Subscription-Key");
  return given.empty() ? bearer_key(head.header("Authorization")) : given;
}

// Compares with every key, so that the time does not show which one it was.
const AccessKey* find_key(const std::vector<AccessKey>& keys, std::string_view given) {
  const AccessKey* found = nullptr;
  for (const AccessKey& key : keys) {
    if (same_key(key.secret, given)) found = &key;
  }
  return found;
}

HttpResponse with_challenge(HttpResponse response, std::string challenge) {
  response.headers.push_back({"WWW-Authenticate", "Bearer realm=\"sau\"" + std::move(challenge)});
  return response;
}

HttpResponse unknown_key(bool given) {
  if (!given) {
    return with_challenge(error_response(401,
                                         "give a key in the header Ocp-Apim-Subscription-Key, or "
                                         "in Authorization after the word Bearer"),
                          "");
  }
  return with_challenge(error_response(401, "this key is not one of the server's"),
                        ", error=\"invalid_token\"");
}

HttpResponse missing_right(Right right) {
  const std::string name(name_of(right));
  return with_challenge(
      error_response(403, "this key does not have the right '" + name + "', which this call needs",
                     "", "Forbidden"),
      R"(, error="insufficient_scope", scope=")" + name + "\"");
}

HttpResponse wrong_application(const AccessKey& key) {
  return error_response(403, "this key is for the application '" + key.application + "' alone", "",
                        "Forbidden");
}

HttpResponse too_many(unsigned seconds, const char* whose) {
  HttpResponse response = error_response(
      429, std::string("too many requests ") + whose + "; try again later", "", "TooManyRequests");
  response.headers.push_back({"Retry-After", std::to_string(seconds)});
  return response;
}

// A page of another site, open in a browser on this machine, must not be able to use a server
// without keys: neither from the site's own name nor through a host name that points to this
// machine.
std::optional<HttpResponse> foreign_site(const HttpRequest& head) {
  const std::string host = lower_case(head.header("Host"));
  if (!is_own_host(host, "127.0.0.1")) return error_response(421, kWrongHost);
  const std::string origin = lower_case(head.header("Origin"));
  if (origin.empty() || origin == "http://" + host || origin == "https://" + host) {
    return std::nullopt;
  }
  return error_response(403, "requests from other sites need a key");
}

}  // namespace

Access::Access(std::vector<AccessKey> keys, const RateLimits& limits) : limits_(limits) {
  set_keys(std::move(keys));
}

void Access::set_keys(std::vector<AccessKey> keys) {
  auto fresh = std::make_shared<const std::vector<AccessKey>>(std::move(keys));
  const std::lock_guard lock(mutex_);
  keys_.swap(fresh);
}

Access::Keys Access::keys() const {
  const std::lock_guard lock(mutex_);
  return keys_;
}

std::optional<HttpResponse> Access::refusal_of(const HttpRequest& head, const Found& found,
                                               std::string_view application) {
  const Keys all = keys();
  if (all->empty()) {
    if (auto refusal = foreign_site(head)) return refusal;
  }
  if (found.open) return std::nullopt;
  // Checked before the key, so that nobody can try many keys in a short time.
  if (limits_.per_address > 0.0) {
    const unsigned seconds = by_address_.wait(head.client, limits_.per_address);
    if (seconds > 0) return too_many(seconds, "from this address");
  }
  if (all->empty()) return std::nullopt;
  const std::string_view given = given_key(head);
  const AccessKey* const key = find_key(*all, given);
  if (key == nullptr) return unknown_key(!given.empty());
  if (!key->application.empty() && key->application != application) return wrong_application(*key);
  // A caller who has a key may know which paths there are.
  if (found.route != nullptr && !key->may(*found.route->right)) {
    return missing_right(*found.route->right);
  }
  if (const double rate = key->rate > 0.0 ? key->rate : limits_.per_key; rate > 0.0) {
    const unsigned seconds = by_key_.wait(std::hash<std::string>()(key->secret), rate);
    if (seconds > 0) return too_many(seconds, "with this key");
  }
  return std::nullopt;
}

}  // namespace sau::detail
