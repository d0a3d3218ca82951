#include "http/request_reader.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <cstdint>
#include <utility>

namespace sau::detail {
namespace {

namespace http = boost::beast::http;
using ErrorCode = boost::system::error_code;
using View = boost::beast::string_view;

std::string text_of(View text) { return {text.data(), text.size()}; }

bool same_name(std::string_view a, std::string_view b) {
  return boost::beast::iequals(View(a.data(), a.size()), View(b.data(), b.size()));
}

// A target may be a whole URL, which then overrides Host (RFC 9112, section 3.2.2).
void shorten_target(HttpRequest& request) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!request.target.starts_with(scheme)) continue;
    const std::size_t slash = request.target.find('/', scheme.size());
    const std::string host = request.target.substr(scheme.size(), slash - scheme.size());
    request.target = slash == std::string::npos ? "/" : request.target.substr(slash);
    std::erase_if(request.headers,
                  [](const HttpHeader& header) { return same_name(header.name, "Host"); });
    request.headers.push_back({"Host", host});
    return;
  }
}

}  // namespace

class RequestReader::Parser final : public http::basic_parser<true> {
 public:
  explicit Parser(std::size_t limit) : header_left_(limit) {
    header_limit(static_cast<std::uint32_t>(std::min<std::size_t>(limit, UINT32_MAX)));
    basic_parser::body_limit(UINT64_MAX);  // the real one is not known when the headers end
  }

  bool has_begun() const noexcept { return got_some(); }

  HttpRequest request;
  bool told = false;  // read() has returned kHead
  bool http_1_0 = false;
  unsigned hosts = 0, encodings = 0;
  bool chunked_only = true;
  std::string expectation;
  std::size_t body_limit = 0, body_free = 0;
  std::shared_ptr<BodyPermit> permit;
  bool no_room = false;  // the permit could not grow with the body

 private:
  void on_request_impl(http::verb, View method, View target, int version,
                       ErrorCode& error) override {
    request.method = text_of(method);
    request.target = text_of(target);
    request.headers.reserve(8);
    http_1_0 = version < 11;
    pay(method.size() + target.size() + 12, error);  // spaces, version and line end
  }

  void on_field_impl(http::field field, View name, View value, ErrorCode& error) override {
    // Trailers, after a body, are not headers, and nothing here needs them.
    if (told) return;
    pay(name.size() + value.size() + 4, error);
    if (field == http::field::host) ++hosts;
    if (field == http::field::transfer_encoding) {
      ++encodings;
      chunked_only = chunked_only && boost::beast::iequals(value, "chunked");
    }
    if (field == http::field::expect) expectation = text_of(value);
    request.headers.push_back({text_of(name), text_of(value)});
  }

  void on_header_impl(ErrorCode&) override {}

  void on_body_init_impl(boost::optional<std::uint64_t> const& size, ErrorCode&) override {
    // Reserve the announced size, but not much before any bytes have come.
    constexpr std::uint64_t kTrust = 65'536;
    request.body.reserve(std::min(size.value_or(0), kTrust));
  }

  std::size_t on_body_impl(View bytes, ErrorCode& error) override { return add(bytes, error); }
  void on_chunk_header_impl(std::uint64_t size, View, ErrorCode& error) override {
    if (size > body_limit - request.body.size()) error = http::error::body_limit;
  }
  std::size_t on_chunk_body_impl(std::uint64_t, View bytes, ErrorCode& error) override {
    return add(bytes, error);
  }
  void on_finish_impl(ErrorCode&) override {}
  void on_response_impl(int, View, int, ErrorCode&) override {}

  std::size_t add(View bytes, ErrorCode& error) {
    if (bytes.size() > body_limit - request.body.size()) {
      error = http::error::body_limit;
      return 0;
    }
    // Grow with the bytes that have come, and not beyond the announced size.
    const std::size_t needed = request.body.size() + bytes.size();
    if (needed > request.body.capacity()) {
      const std::uint64_t most = content_length().value_or(body_limit);
      const std::size_t capacity =
          std::max<std::size_t>(needed, std::min<std::uint64_t>(2 * request.body.capacity(), most));
      if (permit && capacity > body_free && !permit->grow_to(capacity)) {
        no_room = true;
        error = http::error::body_limit;
        return 0;
      }
      request.body.reserve(capacity);
    }
    request.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }

  // The base class counts only bytes that are in the buffer: many short headers, sent one by one,
  // would never reach its limit.
  void pay(std::size_t bytes, ErrorCode& error) {
    if (bytes > header_left_) {
      error = http::error::header_limit;
      return;
    }
    header_left_ -= bytes;
  }

  std::size_t header_left_;
};

RequestReader::RequestReader(std::size_t header_limit, std::uint64_t client)
    : header_limit_(header_limit),
      client_(client),
      parser_(std::make_unique<Parser>(header_limit)) {}
RequestReader::~RequestReader() = default;

RequestReader::Step RequestReader::read(InputBuffer& input) {
  while (!parser_->is_done()) {
    if (parser_->told && parser_->content_length().value_or(0) > parser_->body_limit) {
      return refuse(413, "the body is too large");
    }
    if (input.empty()) return Step::kNeedMore;
    ErrorCode error;
    const std::string_view bytes = input.bytes();
    input.used(parser_->put(boost::asio::const_buffer(bytes.data(), bytes.size()), error));
    if (error == http::error::need_more) {
      // For example a chunk header that does not end.
      if (input.bytes().size() > header_limit_) return refuse(431, "the headers are too large");
      return Step::kNeedMore;
    }
    if (error == http::error::header_limit) return refuse(431, "the headers are too large");
    if (error == http::error::body_limit) {
      return parser_->no_room ? refuse(503, kNoRoom) : refuse(413, "the body is too large");
    }
    if (error == http::error::bad_version) return refuse(505, "only HTTP/1.0 and HTTP/1.1");
    if (error) return refuse(400, "not an HTTP request: " + error.message());
    if (parser_->told || !parser_->is_header_done()) continue;
    parser_->told = true;
    if (parser_->hosts > 1 || (parser_->hosts == 0 && !parser_->http_1_0)) {
      return refuse(400, "exactly one Host header is needed");
    }
    // The end of a body must not be in doubt: its rest would be read as the next request.
    if (parser_->encodings > 1 || !parser_->chunked_only) {
      return refuse(501, "the only transfer encoding known here is chunked");
    }
    if (!parser_->expectation.empty() && !same_name(parser_->expectation, "100-continue")) {
      return refuse(417, "the only expectation known here is 100-continue");
    }
    shorten_target(parser_->request);
    parser_->request.client = client_;
    return Step::kHead;
  }
  return Step::kWhole;
}

RequestReader::Step RequestReader::refuse(int status, std::string line) {
  status_ = status;
  line_ = std::move(line);
  return Step::kRefused;
}

bool RequestReader::begun() const noexcept { return parser_->has_begun(); }
const HttpRequest& RequestReader::head() const noexcept { return parser_->request; }
bool RequestReader::whole() const noexcept { return parser_->is_done(); }
bool RequestReader::keep_alive() const noexcept { return parser_->keep_alive(); }
bool RequestReader::is_http_1_0() const noexcept { return parser_->http_1_0; }
bool RequestReader::expects_continue() const noexcept { return !parser_->expectation.empty(); }
void RequestReader::limit_body(std::size_t bytes) noexcept { parser_->body_limit = bytes; }

std::size_t RequestReader::announced_size() const noexcept {
  return std::min<std::uint64_t>(parser_->content_length().value_or(0), parser_->body_limit);
}
void RequestReader::hold(std::shared_ptr<BodyPermit> permit, std::size_t free) noexcept {
  parser_->request.permit = permit;
  parser_->permit = std::move(permit);
  parser_->body_free = free;
}

HttpRequest RequestReader::take() {
  HttpRequest request = std::move(parser_->request);
  parser_ = std::make_unique<Parser>(header_limit_);
  return request;
}

void RequestReader::give_up() {
  parser_->request = {};
  parser_ = std::make_unique<Parser>(header_limit_);
}

int RequestReader::status() const noexcept { return status_; }
const std::string& RequestReader::line() const noexcept { return line_; }

}  // namespace sau::detail
