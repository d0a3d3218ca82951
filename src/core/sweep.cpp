#include "sau/core/sweep.hpp"

#include <algorithm>

#include "sau/core/error.hpp"
#include "sau/core/spec.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

constexpr std::size_t kMostAlternatives = 10'000;
constexpr std::string_view kBlanks = " \t\n\r";

// A setting with alternatives and its place in the text, without blanks around it.
struct SweptSetting {
  std::size_t begin = 0, end = 0;
  std::string_view key;
  std::vector<std::string_view> values;
};

// The places outside quotes of the characters in `marks`.
std::vector<std::size_t> places_of(std::string_view text, std::string_view marks) {
  std::vector<std::size_t> places;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      quoted = !quoted;
    } else if (quoted && text[i] == '\\') {
      ++i;
    } else if (!quoted && marks.find(text[i]) != std::string_view::npos) {
      places.push_back(i);
    }
  }
  return places;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (const std::size_t place : places_of(text, {&separator, 1})) {
    parts.push_back(trimmed(text.substr(begin, place - begin)));
    begin = place + 1;
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

std::vector<SweptSetting> swept_settings(std::string_view text) {
  std::vector<SweptSetting> swept;
  std::size_t begin = std::string_view::npos;  // of the setting that is being read
  for (const std::size_t place : places_of(text, "(,)")) {
    if (begin != std::string_view::npos) {
      const std::string_view setting = trimmed(text.substr(begin, place - begin));
      const std::size_t equals = setting.find('=');
      if (equals != std::string_view::npos) {
        const std::string_view key = trimmed(setting.substr(0, equals));
        std::vector<std::string_view> values = split(setting.substr(equals + 1), '|');
        if (values.size() > 1 && key != "file") {
          const auto at = static_cast<std::size_t>(setting.data() - text.data());
          swept.push_back({at, at + setting.size(), key, std::move(values)});
        }
      }
    }
    begin = text[place] == ')' ? std::string_view::npos : place + 1;
  }
  return swept;
}

}  // namespace

std::vector<Alternative> alternatives_of(std::string_view text) {
  std::vector<Alternative> all(1);
  std::size_t done = 0;  // the part of the text that is in `all`
  for (const SweptSetting& setting : swept_settings(text)) {
    if (all.size() * setting.values.size() > kMostAlternatives) {
      throw UsageError("'" + std::string(text.substr(0, 80)) + "' stands for more than " +
                       std::to_string(kMostAlternatives) + " specs");
    }
    std::vector<Alternative> more;
    for (const Alternative& one : all) {
      for (const std::string_view value : setting.values) {
        const std::string given = std::string(setting.key) + "=" + std::string(value);
        more.push_back({one.spec + std::string(text.substr(done, setting.begin - done)) + given,
                        one.settings + (one.settings.empty() ? "" : ",") + given});
      }
    }
    all = std::move(more);
    done = setting.end;
  }
  for (Alternative& one : all) one.spec += text.substr(done);
  return all;
}

std::vector<std::string> expand_sweep(std::string_view text) {
  std::vector<std::string> specs;
  for (Alternative& one : alternatives_of(text)) specs.push_back(std::move(one.spec));
  return specs;
}

std::string without_alternatives(std::string_view text) {
  std::string rest(text);
  std::vector<SweptSetting> swept = swept_settings(text);
  std::ranges::reverse(swept);  // so that the places of the others stay as they are
  for (const SweptSetting& setting : swept) {
    // With the comma before it, or after it; or with the parentheses, if it is alone in them.
    const std::size_t before = rest.find_last_not_of(kBlanks, setting.begin - 1);
    const std::size_t after = rest.find_first_not_of(kBlanks, setting.end);
    if (rest[before] == ',') {
      rest.erase(before, setting.end - before);
    } else if (rest[after] == ',') {
      rest.erase(setting.begin, after + 1 - setting.begin);
    } else {
      rest.erase(before, after + 1 - before);
    }
  }
  return rest;
}

}  // namespace sau
