#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <ctime>

#include "sau/serve/configuration.hpp"

namespace sau {
namespace {

constexpr Milliseconds kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute,
                       kDay = 24 * kHour;
constexpr Milliseconds kLongest = 10'000 * kDay;

struct Unit {
  char letter;
  bool of_day;  // stands after the T
  Milliseconds size;
};
constexpr Unit kUnits[] = {{'W', false, 7 * kDay},
                           {'D', false, kDay},
                           {'H', true, kHour},
                           {'M', true, kMinute},
                           {'S', true, kSecond}};

}  // namespace

std::string write_duration(Milliseconds duration) {
  if (duration == 0) return "PT0S";
  std::string text = "P";
  if (const Milliseconds days = duration / kDay; days > 0) text += fmt::format("{}D", days);
  Milliseconds rest = duration % kDay;
  if (rest > 0) text += 'T';
  if (rest >= kHour) text += fmt::format("{}H", rest / kHour);
  rest %= kHour;
  if (rest >= kMinute) text += fmt::format("{}M", rest / kMinute);
  rest %= kMinute;
  if (rest > 0) text += fmt::format("{}S", static_cast<double>(rest) / 1000.0);
  return text;
}

Result<Milliseconds> read_duration(std::string_view text, std::string_view target) {
  const Failure wrong{
      Failure::Code::kBadRequest,
      fmt::format("'{}' is not a time; expected ISO 8601 from PT0S to P10000D, such "
                  "as PT10M or P1DT12H",
                  text.substr(0, 64)),
      std::string(target)};
  if (!text.starts_with('P') || text.size() < 2) return wrong;
  double total = 0.0;
  bool in_day = false;
  const Unit* next = kUnits;  // units come in their order, each once
  for (text.remove_prefix(1); !text.empty();) {
    if (text.front() == 'T' && !in_day) {
      in_day = true;
      text.remove_prefix(1);
      if (text.empty()) return wrong;
      continue;
    }
    double number = 0.0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || end == text.data() + text.size() || !(number >= 0.0)) return wrong;
    while (next != std::end(kUnits) && (next->letter != *end || next->of_day != in_day)) ++next;
    if (next == std::end(kUnits)) return wrong;
    total += number * static_cast<double>(next->size);
    ++next;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  }
  if (!(total <= static_cast<double>(kLongest))) return wrong;
  return static_cast<Milliseconds>(std::llround(total));
}

std::string write_time(Milliseconds time) {
  const auto seconds = static_cast<std::time_t>(time / 1000 - (time % 1000 < 0 ? 1 : 0));
  const Milliseconds rest = time - static_cast<Milliseconds>(seconds) * 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, rest);
}

}  // namespace sau
