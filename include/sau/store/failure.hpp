#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "sau/core/error.hpp"

namespace sau {

// Why a request failed, as the caller is told.
struct Failure {
  enum class Code : std::uint8_t {
    kBadRequest,    // the request itself is wrong
    kUnauthorized,  // no key, or an unknown one
    kNotFound,      // no such event, or no such path
    kConflict,      // the event id was used for another request
    kTooLarge,      // more bytes than allowed
    kOverloaded,    // too busy at the moment: try again
    kUnavailable,   // could not be written to disk: try again
    kInternal,      // our fault
  };

  Code code = Code::kInternal;
  std::string message;      // a sentence for a person
  std::string target = {};  // the field that is wrong, as in actions[2].id
  // What programs tell it by, such as EvaluationNotFound. Empty: the code and the call say it.
  std::string_view name = {};
};

// A value, or why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : content_(std::in_place_index<1>, std::move(failure)) {}

  bool ok() const noexcept { return content_.index() == 0; }
  const T& value() const& {
    SAU_ASSERT(ok(), "a failure has no value");
    return *std::get_if<0>(&content_);
  }
  T& value() & {
    SAU_ASSERT(ok(), "a failure has no value");
    return *std::get_if<0>(&content_);
  }
  T&& value() && { return std::move(value()); }
  const Failure& failure() const& {
    SAU_ASSERT(!ok(), "a value is not a failure");
    return *std::get_if<1>(&content_);
  }

 private:
  std::variant<T, Failure> content_;
};

struct Done {};
// Success, or why it failed.
using Status = Result<Done>;

// The value. If there is none, throws Error with the reason, after `where` if that is given.
template <class T>
T good(Result<T> result, std::string_view where = {}) {
  if (!result.ok()) {
    throw Error((where.empty() ? "" : std::string(where) + ": ") + result.failure().message);
  }
  return std::move(result).value();
}

}  // namespace sau
