#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "http/input_buffer.hpp"
#include "sau/http/http_message.hpp"

namespace sau::detail {

// Parses bytes into requests, one after the other.
class RequestReader {
 public:
  enum class Step {
    kNeedMore,  // more bytes are needed
    kHead,      // head() is complete: comes once per request, before kWhole
    kWhole,     // the request is complete: take() it
    kRefused,   // status() and line() say why; nothing after it can be read
  };

  explicit RequestReader(std::size_t header_limit);
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;
  ~RequestReader();

  // Uses as many bytes as it can.
  Step read(InputBuffer& input);

  // Whether a part of a request has come.
  bool begun() const noexcept;

  // From kHead on:
  const HttpRequest& head() const noexcept;
  bool whole() const noexcept;  // there is no body to come
  bool keep_alive() const noexcept;
  bool is_http_1_0() const noexcept;
  bool expects_continue() const noexcept;
  void limit_body(std::size_t bytes) noexcept;  // without it, no body is accepted
  // The size in the head, or the limit if the head has none.
  std::size_t body_size() const noexcept;
  void hold(std::shared_ptr<const void> permit) noexcept;  // stored in the request

  // Returns the request, or only its head if called before kWhole. Then begins the next request.
  HttpRequest take();
  // Drops the partial request and frees its memory.
  void give_up();

  int status() const noexcept;
  const std::string& line() const noexcept;

 private:
  class Parser;
  Step refuse(int status, std::string line);

  const std::size_t header_limit_;
  std::unique_ptr<Parser> parser_;
  int status_ = 0;
  std::string line_;
};

}  // namespace sau::detail
