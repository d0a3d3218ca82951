#include "sau/core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <vector>

namespace sau {
namespace {

// Edits (insert, delete, replace, swap of neighbours) that turn one word into the other.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1), last(to.size() + 1), row(to.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replace = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[to.size()];
}

}  // namespace

std::string format_number(double value) {
  std::array<char, 32> text{};
  // Whole numbers below 1e15 without an exponent: steps=100000, not 1e+05.
  const bool whole = std::abs(value) < 1e15 && value == std::trunc(value);
  const auto result =
      whole ? std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed)
            : std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string> known) {
  std::string message = "unknown " + std::string(kind) + " '" + std::string(name) + "'";
  const std::string wanted = lower_case(name);
  const std::string* nearest = nullptr;
  std::size_t fewest = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t edits = edit_distance(wanted, lower_case(candidate));
    if (edits < fewest) {
      fewest = edits;
      nearest = &candidate;
    }
  }
  message += nearest != nullptr ? "; did you mean '" + *nearest + "'? known: " : "; known: ";
  for (std::size_t i = 0; i < known.size(); ++i) message += (i == 0 ? "" : ", ") + known[i];
  if (known.empty()) message += "none";
  return message;
}

std::string slug(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    if (plain) {
      result += c;
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  // A leading dot would hide the file, or name a parent folder.
  if (result.empty() || result.front() == '.') result.insert(0, "x");
  return result;
}

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned first = byte(i++);
    if (first < 0x80) continue;
    const std::size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    if (first < 0xC2 || first > 0xF4 || text.size() - i < more) return false;
    // Not overlong, not a surrogate, and not beyond the last character.
    const unsigned low = first == 0xE0 ? 0xA0U : first == 0xF0 ? 0x90U : 0x80U;
    const unsigned high = first == 0xED ? 0x9FU : first == 0xF4 ? 0x8FU : 0xBFU;
    if (byte(i) < low || byte(i) > high) return false;
    for (const std::size_t end = i++ + more; i < end; ++i) {
      if (byte(i) < 0x80 || byte(i) > 0xBF) return false;
    }
  }
  return true;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kAround = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(kAround), text.size());
  return text.substr(begin, text.find_last_not_of(kAround) + 1 - begin);
}

std::uint64_t scope_of(std::string_view canonical) noexcept {
  // FNV-1a, then the finaliser of SplitMix64 (Steele et al. 2014), to spread similar texts widely.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : canonical) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31);
}

}  // namespace sau
