#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "http/input_buffer.hpp"
#include "sau/http/http_message.hpp"

namespace sau::detail {

// Makes requests of bytes, one after the other.
class RequestReader {
 public:
  enum class Step {
    kNeedMore,  // bytes; those that are left are not enough
    kHead,      // head() is there: comes once for every request, before kWhole
    kWhole,     // take() it
    kRefused,   // status() and line() say why; nothing after it can be read
  };

  explicit RequestReader(std::size_t header_limit);
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;
  ~RequestReader();

  // Uses as many bytes as it can.
  Step read(InputBuffer& input);

  // Whether there is a part of a request.
  bool begun() const noexcept;

  // From kHead on:
  const HttpRequest& head() const noexcept;
  bool whole() const noexcept;  // there is no body to come
  bool keep_alive() const noexcept;
  bool is_http_1_0() const noexcept;
  bool expects_continue() const noexcept;
  void limit_body(std::size_t bytes) noexcept;  // none may come otherwise
  // As the head says, or as large as it may be where it does not say it.
  std::size_t body_size() const noexcept;
  void hold(std::shared_ptr<const void> permit) noexcept;  // goes with the request

  // The request, or its head when the rest is of no interest; begins with the next one.
  HttpRequest take();
  // Gives up what there is of the request, and its memory.
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
