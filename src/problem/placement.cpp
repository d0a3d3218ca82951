#include "sau/problem/placement.hpp"

#include <charconv>

#include "sau/core/error.hpp"

namespace sau {
namespace {

// False unless the text is the number as it is usually written, so that one action has one spec.
bool read_action(std::string_view text, std::uint64_t& action) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), action);
  return read.ec == std::errc{} && std::to_string(action) == text;
}

}  // namespace

void check_place(std::string_view owner, std::string_view best, std::uint64_t actions) {
  std::uint64_t action = 0;
  if (best == kRandomPlace || (read_action(best, action) && action < actions)) return;
  throw UsageError(std::string(owner) + ": best=" + std::string(best) +
                   " is not allowed; expected random or the number of an action, from 0 to " +
                   std::to_string(actions - 1));
}

Action best_action(std::string_view best, std::uint64_t actions, const Stream& stream) {
  std::uint64_t action = 0;
  if (!read_action(best, action)) action = Rng(stream).below(actions);
  return static_cast<Action>(action);
}

}  // namespace sau
