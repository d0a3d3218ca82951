#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sau {

// Times and durations as text: the one place that writes them for files and other programs.
// Thread-safe, and the same in every locale.

using Milliseconds = std::int64_t;  // since 1970, UTC

Milliseconds milliseconds_now();

// ISO 8601: "2026-11-16T05:52:39.123Z".
std::string write_time(Milliseconds time);
void append_time(std::string& out, Milliseconds time);
// The same without the fraction of a second: "2026-11-16T05:52:39Z".
std::string write_time_in_seconds(Milliseconds time);
// Reads ISO 8601 with a date and a time: any number of digits for the fraction, or none; "Z", an
// offset such as "+02:00", or nothing, which means UTC. nullopt for any other text.
std::optional<Milliseconds> parse_time(std::string_view text);
// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, section 5.6.7).
std::string http_date(Milliseconds time);

// ISO 8601, days to seconds: "P1DT2H3M4.5S".
std::string write_duration(Milliseconds duration);
// Reads the same, weeks, and "1.12:00:00" as .NET writes it, up to P10000D. nullopt: other text.
std::optional<Milliseconds> parse_duration(std::string_view text);

}  // namespace sau
