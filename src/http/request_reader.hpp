#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "http/body_permit.hpp"
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

  // `client` is for HttpRequest::client.
  explicit RequestReader(std::size_t header_limit, std::uint64_t client = 0);
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
  // The size in the head, at most the limit; 0 if the head has none.
  std::size_t announced_size() const noexcept;
  // A body of more than `free` bytes takes room of the permit as it grows, and is refused with
  // kNoRoom when there is none. The permit is stored in the request.
  void hold(std::shared_ptr<BodyPermit> permit, std::size_t free) noexcept;
  static constexpr const char* kNoRoom = "too many large bodies; try again";

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
  const std::uint64_t client_;
  std::unique_ptr<Parser> parser_;
  int status_ = 0;
  std::string line_;
};

}  // namespace sau::detail
