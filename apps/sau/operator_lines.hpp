#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "sau/http/http_server.hpp"

namespace sau::cli {

// Writes a line for the operator to standard error, with the time. Thread-safe; does not throw. If
// standard error is full or closed, the service must not block or stop: the line is left out, and a
// later one says so.
void note(const std::string& line) noexcept;

// From now on each line is a JSON object: {"time", "message"}.
void write_lines_as_json() noexcept;

// Notes that a request ("GET /path") has failed, and why.
void note_failure(std::string_view request, const char* what);

// Prints a line that other programs may wait for. If nobody reads it, the service continues.
void say(const std::string& line);

// Notes dropped and refused connections, at most every ten seconds.
class DropLines {
 public:
  explicit DropLines(const HttpTally& tally) : tally_(tally) {}

  void look();

 private:
  using Counts = std::array<std::uint64_t, 4>;

  const HttpTally& tally_;
  Counts told_{};
  std::chrono::steady_clock::time_point next_;
};

}  // namespace sau::cli
