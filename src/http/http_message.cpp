#include "sau/http/http_message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "http/response_head.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

constexpr std::pair<int, const char*> kReasons[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
};

const char* reason(int status) {
  const auto* const found =
      std::ranges::find(kReasons, status, &std::pair<int, const char*>::first);
  return found == std::end(kReasons) ? "" : found->second;
}

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, section 5.6.7), whatever the locale.
std::string http_date(std::time_t time) {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc{};
  gmtime_r(&time, &utc);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kDays[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday,
                     kMonths[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour,
                     utc.tm_min, utc.tm_sec);
}

bool breaks_the_line(const std::string& text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos;
}

}  // namespace

std::string_view HttpRequest::header(std::string_view name) const noexcept {
  const auto same = [name](const HttpHeader& header) {
    return std::ranges::equal(header.name, name, [](char a, char b) {
      const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c + 0; };
      return lower(a) == lower(b);
    });
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

std::string response_head(const HttpResponse& response, Persistence persistence, std::time_t now) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status,
                                 reason(response.status), http_date(now));
  for (const HttpHeader& header : response.headers) {
    if (breaks_the_line(header.name) || breaks_the_line(header.value)) {
      throw Error("the header " + slug(header.name) + " of a response has a line break in it");
    }
    head += header.name + ": " + header.value + "\r\n";
  }
  if (has_body(response.status))
    head += fmt::format("Content-Length: {}\r\n", response.body.size());
  if (persistence == Persistence::kClose) head += "Connection: close\r\n";
  if (persistence == Persistence::kKeepAlive) head += "Connection: keep-alive\r\n";
  return head + "\r\n";
}

}  // namespace detail
}  // namespace sau
