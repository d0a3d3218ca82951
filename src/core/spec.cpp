#include "sau/core/spec.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sau {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

bool parse_number(std::string_view text, double& value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc{} && result.ptr == text.data() + text.size();
}

// Reads a spec from left to right; every failure names the text and the place.
class SpecParser {
 public:
  explicit SpecParser(std::string_view text) : text_(text) {}

  Spec parse() {
    Spec spec;
    spec.name = take_name("a name");
    if (peek() == '(') {
      ++place_;
      if (peek() != ')') {
        do {
          std::string key = take_key(spec);
          ++place_;
          spec.params.emplace_back(std::move(key), take_value());
        } while (take_comma());
      }
      if (peek() != ')') {
        fail(place_ < text_.size() ? "expected ',' or ')'; text with blanks needs quotes"
                                   : "expected ',' or ')'");
      }
      ++place_;
    }
    peek();
    if (place_ < text_.size()) fail("unexpected text after the spec");
    return spec;
  }

 private:
  char peek() {
    while (place_ < text_.size() && is_blank(text_[place_])) ++place_;
    return place_ < text_.size() ? text_[place_] : '\0';
  }

  bool take_comma() {
    if (peek() != ',') return false;
    ++place_;
    return true;
  }

  std::string take_plain() {
    peek();
    const std::size_t start = place_;
    while (place_ < text_.size() && !is_blank(text_[place_]) &&
           std::string_view(",()=\"").find(text_[place_]) == std::string_view::npos) {
      ++place_;
    }
    return std::string(text_.substr(start, place_ - start));
  }

  std::string take_name(const char* what) {
    peek();
    const std::size_t start = place_;
    std::string name = take_plain();
    if (!is_name(name)) {
      place_ = start;
      fail(std::string("expected ") + what);
    }
    return name;
  }

  // The name of a setting; the '=' after it is next. People also write a value alone, or a list
  // without quotes.
  std::string take_key(const Spec& spec) {
    peek();
    const std::size_t start = place_;
    std::string key = take_plain();
    const bool named = peek() == '=';
    if (named && is_name(key)) return key;
    place_ = start;
    if (named || key.empty()) fail("expected a setting's name");
    double number = 0.0;
    if (!spec.params.empty()) {
      const auto& [list, value] = spec.params.back();
      fail("'" + key + "' is a value without a name; " +
           (parse_number(value, number) && parse_number(key, number)
                ? "numbers of a list are joined by x: " + list + "=" + value + "x" + key
                : "a list needs quotes: " + list + "=\"" + value + "," + key + "\""));
    }
    const bool path = key.find_first_of("./") != std::string::npos && !parse_number(key, number);
    fail("'" + key + "' is a value without a name; write " +
         (path ? "file=" + key : "setting=" + key + " ('sau list' has the names of settings)"));
  }

  std::string take_value() {
    if (peek() != '"') {
      std::string value = take_plain();
      if (value.empty()) fail("expected a value");
      return value;
    }
    std::string value;
    for (++place_; place_ < text_.size() && text_[place_] != '"'; ++place_) {
      if (text_[place_] == '\\' && place_ + 1 < text_.size()) ++place_;
      value += text_[place_];
    }
    if (place_ >= text_.size()) fail("the quote is not closed");
    ++place_;
    return value;
  }

  [[noreturn]] void fail(const std::string& why) const {
    std::string shown(text_);
    for (char& c : shown) c = static_cast<unsigned char>(c) < ' ' ? '?' : c;
    throw UsageError("cannot read '" + shown + "' at character " + std::to_string(place_ + 1) +
                     ": " + why + " (a spec looks like name or name(key=value,key=value))");
  }

  std::string_view text_;
  std::size_t place_ = 0;
};

[[noreturn]] void refuse(std::string_view owner, std::string_view key, std::string_view text,
                         const std::string& expected) {
  throw UsageError(std::string(owner) + ": " + std::string(key) + "=" + std::string(text) +
                   " is not allowed; expected " + expected);
}

bool inside(const Bounds& bounds, double value) {
  return bounds.open ? bounds.min < value && value < bounds.max
                     : bounds.min <= value && value <= bounds.max;
}

bool parse_count(std::string_view text, const Bounds& bounds, std::uint64_t& value) {
  std::uint64_t read = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), read);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) {
    // 1e5 is a whole number too.
    double number = 0.0;
    if (!parse_number(text, number) || !(number >= 0.0 && number < 18446744073709551616.0) ||
        number != std::floor(number)) {
      return false;
    }
    read = static_cast<std::uint64_t>(number);
  }
  if (!inside(bounds, static_cast<double>(read))) return false;
  value = read;
  return true;
}

std::string expected(const char* kind, const Bounds& bounds) {
  const std::string range = detail::describe_bounds(bounds);
  return range.empty() ? kind : std::string(kind) + ", " + range;
}

}  // namespace

Spec parse_spec(std::string_view text) { return SpecParser(text).parse(); }

std::vector<std::string> split_specs(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\' && i + 1 < text.size()) parts.back() += text[i++];
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (c == separator && depth == 0) {
      parts.emplace_back();
      continue;
    }
    parts.back() += text[i];
  }
  return parts;
}

namespace detail {

std::string describe_bounds(const Bounds& bounds) {
  const bool low = std::isfinite(bounds.min), high = std::isfinite(bounds.max);
  const std::string min = format_number(bounds.min), max = format_number(bounds.max);
  if (low && high) {
    return bounds.open ? "between " + min + " and " + max + ", ends excluded"
                       : "from " + min + " to " + max;
  }
  if (low) return (bounds.open ? "above " : "at least ") + min;
  if (high) return (bounds.open ? "below " : "at most ") + max;
  return "";
}

void read_value(std::string_view owner, std::string_view key, std::string_view text,
                const Bounds& bounds, double& value) {
  double read = 0.0;
  if (!parse_number(text, read) || !std::isfinite(read) || !inside(bounds, read)) {
    refuse(owner, key, text, expected("a number", bounds));
  }
  value = read;
}

void read_value(std::string_view owner, std::string_view key, std::string_view text,
                const Bounds& bounds, std::uint64_t& value) {
  if (!parse_count(text, bounds, value))
    refuse(owner, key, text, expected("a whole number", bounds));
}

void read_value(std::string_view owner, std::string_view key, std::string_view text,
                const Bounds& bounds, CountOrAll& value) {
  if (text == "all") {
    value.limit = 0;
  } else if (!parse_count(text, bounds, value.limit)) {
    refuse(owner, key, text, expected("all or a whole number", bounds));
  }
}

void read_value(std::string_view owner, std::string_view key, std::string_view text,
                const Bounds& bounds, CountRange& value) {
  constexpr std::string_view kBetween = "..";
  const std::size_t place = text.find(kBetween);
  const std::string_view low = text.substr(0, place);
  const std::string_view high =
      place == std::string_view::npos ? low : text.substr(place + kBetween.size());
  CountRange read;
  if (!parse_count(low, bounds, read.min) || !parse_count(high, bounds, read.max) ||
      read.min > read.max) {
    refuse(owner, key, text, expected("a whole number or a range such as 10..200", bounds));
  }
  value = read;
}

void read_value(std::string_view owner, std::string_view key, std::string_view text,
                const Bounds& bounds, std::vector<double>& value) {
  std::vector<double> read;
  for (std::size_t start = 0; !text.empty() && start <= text.size();) {
    const std::size_t end = std::min(text.find('x', start), text.size());
    double element = 0.0;
    if (!parse_number(text.substr(start, end - start), element) || !std::isfinite(element) ||
        !inside(bounds, element)) {
      refuse(owner, key, text, expected("numbers joined by x", bounds));
    }
    read.push_back(element);
    start = end + 1;
  }
  value = std::move(read);
}

void read_value(std::string_view owner, std::string_view key, std::string_view text, const Bounds&,
                bool& value) {
  static const std::string kChoices[] = {"false", "true"};
  value = read_choice(owner, key, text, kChoices) == 1;
}

void read_value(std::string_view, std::string_view, std::string_view text, const Bounds&,
                std::string& value) {
  value = std::string(text);
}

std::size_t read_choice(std::string_view owner, std::string_view key, std::string_view text,
                        std::span<const std::string> choices) {
  std::string list;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (text == choices[i]) return i;
    list += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + choices[i];
  }
  refuse(owner, key, text, list);
}

std::string write_value(double value) { return format_number(value); }
std::string write_value(std::uint64_t value) { return std::to_string(value); }
std::string write_value(CountOrAll value) {
  return value.limit == 0 ? "all" : std::to_string(value.limit);
}
std::string write_value(CountRange value) {
  const std::string low = std::to_string(value.min);
  return value.min == value.max ? low : low + ".." + std::to_string(value.max);
}
std::string write_value(bool value) { return value ? "true" : "false"; }

std::string write_value(const std::string& value) {
  const bool plain = !value.empty() && std::ranges::none_of(value, [](char c) {
    return is_blank(c) || std::string_view(",()=\"\\").find(c) != std::string_view::npos;
  });
  if (plain) return value;
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string write_value(const std::vector<double>& value) {
  if (value.empty()) return "\"\"";
  std::string text;
  for (const double element : value) text += (text.empty() ? "" : "x") + format_number(element);
  return text;
}

void check_keys(std::string_view owner, const Params& params, std::span<const std::string> known) {
  for (std::size_t i = 0; i < params.size(); ++i) {
    const std::string& key = params[i].first;
    if (std::ranges::find(known, key) == known.end()) {
      throw UsageError(std::string(owner) + ": " + unknown_name("setting", key, known));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (params[j].first == key) {
        throw UsageError(std::string(owner) + ": setting '" + key + "' is given twice");
      }
    }
  }
}

}  // namespace detail
}  // namespace sau
