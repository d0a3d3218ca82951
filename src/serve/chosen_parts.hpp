#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

namespace sau::detail {

// The parts of a logged request that are learned from, as JSON. The request was checked when it
// came, so the rest is skipped without being parsed. Memory is used again from one request to the
// next, except after an unusually large one; results are valid until the next find(), and the bytes
// after their end may be read.
class ChosenParts {
 public:
  // False when there is no such action.
  bool find(std::string_view request, std::size_t chosen);

  std::string_view context() const noexcept { return context_; }  // an array, or empty
  std::string_view action() const noexcept { return action_; }    // an object

 private:
  bool find_context(simdjson::ondemand::value json);
  bool find_action(simdjson::ondemand::value json, std::size_t chosen);

  simdjson::ondemand::parser parser_;
  std::string text_;  // then room that the parser may read
  std::string_view context_, action_;
};

}  // namespace sau::detail
