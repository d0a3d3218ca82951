#include "sau/http/http_message.hpp"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/status.hpp>

#include "http/response_head.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

// Empty for a status that Beast does not know.
std::string_view reason(int status) {
  namespace http = boost::beast::http;
  const http::status known = http::int_to_status(static_cast<unsigned>(status));
  if (known == http::status::unknown) return {};
  const auto text = http::obsolete_reason(known);
  return {text.data(), text.size()};
}

bool breaks_the_line(const std::string& text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos;
}

template <class... Texts>
void append(std::string& to, const Texts&... texts) {
  (to.append(std::string_view(texts)), ...);
}

}  // namespace

std::string_view HttpRequest::header(std::string_view name) const noexcept {
  using View = boost::beast::string_view;
  const auto same = [wanted = View(name.data(), name.size())](const HttpHeader& header) {
    return boost::beast::iequals(View(header.name.data(), header.name.size()), wanted);
  };
  const auto found = std::ranges::find_if(headers, same);
  return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

std::string_view HttpRequest::path() const noexcept {
  return std::string_view(target).substr(0, target.find('?'));
}

HttpResponse text_response(int status, std::string_view line) {
  return {.status = status,
          .headers = {{"Content-Type", "text/plain; charset=utf-8"}},
          .body = std::string(line) + "\n"};
}

namespace detail {

bool has_body(int status) noexcept { return status >= 200 && status != 204 && status != 304; }

void append_head(std::string& to, const HttpResponse& response, Persistence persistence,
                 std::string_view date) {
  for (const HttpHeader& header : response.headers) {
    if (breaks_the_line(header.name) || breaks_the_line(header.value)) {
      throw Error("the header " + slug(header.name) + " of a response contains a line break");
    }
  }
  append(to, "HTTP/1.1 ", std::to_string(response.status), " ", reason(response.status));
  append(to, "\r\nDate: ", date);
  for (const HttpHeader& header : response.headers) {
    append(to, "\r\n", header.name, ": ", header.value);
  }
  if (has_body(response.status)) {
    append(to, "\r\nContent-Length: ", std::to_string(response.body.size()));
  }
  if (persistence == Persistence::kClose) append(to, "\r\nConnection: close");
  if (persistence == Persistence::kKeepAlive) append(to, "\r\nConnection: keep-alive");
  append(to, "\r\n\r\n");
}

}  // namespace detail
}  // namespace sau
