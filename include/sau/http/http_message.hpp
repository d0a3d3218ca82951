#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sau {

struct HttpHeader {
  std::string name, value;
};

struct HttpRequest {
  std::string method;               // as sent: GET, POST, ...
  std::string target;               // path and query as sent: "/report.json?full=1"
  std::vector<HttpHeader> headers;  // in the order sent
  std::string body;
  std::shared_ptr<const void> permit = {};  // for a large body: released with the request
  // Stands for the address that it came from: an IPv4 address, or an IPv6 /64 network.
  std::uint64_t client = 0;

  // The first header of this name, in any case; empty if there is none.
  std::string_view header(std::string_view name) const noexcept;
  // The target without its query.
  std::string_view path() const noexcept;
};

// The server adds Content-Length, Date and Connection. It sends no body with statuses that have
// none (204, 304), nor in answer to HEAD.
struct HttpResponse {
  int status = 200;
  std::vector<HttpHeader> headers = {};
  std::string body = {};
};

// An answer for people: the status, and a line of plain text that explains it.
HttpResponse text_response(int status, std::string_view line);

}  // namespace sau
