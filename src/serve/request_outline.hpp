#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace sau::detail {

// The parts of a logged rank request that are shown, read without hashing features. The request was
// checked when it came, so only its structure is read here. Memory is reused from one request to
// the next; results are valid until the next read().
class RequestOutline {
 public:
  struct Action {
    std::string_view id;
    std::string_view features;  // a JSON array
    bool excluded = false;
  };

  RequestOutline();
  ~RequestOutline();

  // False when it is not a rank request.
  bool read(std::string_view request);

  // The request as it was sent, without blanks between its parts.
  std::string_view text() const noexcept { return text_; }
  std::string_view context() const noexcept { return context_; }  // a JSON array
  std::span<const Action> actions() const noexcept { return actions_; }

 private:
  struct Reader;  // keeps simdjson out of this header

  std::string_view text_, context_;
  std::vector<Action> actions_;
  std::unique_ptr<Reader> reader_;
};

}  // namespace sau::detail
