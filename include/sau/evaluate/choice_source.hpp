#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sau/evaluate/logged_choice.hpp"

namespace sau {

// The segment of a decision that does not have the feature.
inline constexpr std::string_view kNoSegment = "(none)";

// Where logged decisions come from: a file, the folder of a service, arrays in memory.
class ChoiceSource {
 public:
  // Reads a piece of the log into an empty batch. May run on any thread, several at a time.
  using Piece = std::function<void(ChoiceBatch&)>;

  virtual ~ChoiceSource() = default;

  // Its name, for messages.
  virtual const std::string& name() const noexcept = 0;
  // The lines or records that it has: `line` of every decision lies between them.
  virtual std::uint64_t first_line() const { return 1; }
  virtual std::uint64_t last_line() const = 0;

  // Whether the caller chose the order of the actions, so that the first one is the caller's own
  // choice.
  virtual bool has_order() const { return true; }

  // The next piece, in order; nothing at the end.
  virtual std::optional<Piece> next() = 0;
  // Back to the beginning.
  virtual void rewind() = 0;
};

// Throws an Error that names the source, the line and the field when a decision cannot be
// evaluated: its chance is 0 or above 1, or its reward is not finite. It may have no chance (NaN).
void check_choice(const ChoiceSource& source, const LoggedChoice& choice);

}  // namespace sau
