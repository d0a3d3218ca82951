#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/core/text.hpp"
#include "sau/serve_http/access_key.hpp"
#include "sau/serve_http/secret_file.hpp"

namespace sau {
namespace {

constexpr std::array kRights = {
    std::pair{std::string_view("decide"), Right::kDecide},
    std::pair{std::string_view("reward"), Right::kReward},
    std::pair{std::string_view("read"), Right::kRead},
    std::pair{std::string_view("admin"), Right::kAdmin},
};

Right right_of(const std::string& word) {
  const auto found = std::ranges::find(kRights, word, &std::pair<std::string_view, Right>::first);
  if (found != kRights.end()) return found->second;
  std::vector<std::string> known;
  known.reserve(kRights.size());
  for (const auto& [name, right] : kRights) known.emplace_back(name);
  throw Error(unknown_name("right", word, known));
}

constexpr std::string_view kApplication = "app=", kRate = "rate=";

double rate_of(const std::string& text) {
  double rate = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  if (error != std::errc() || end != text.data() + text.size() || !(rate > 0.0) || rate > 1e9) {
    throw Error("rate=" + text + ": expected how many requests a second, a number above 0");
  }
  return rate;
}

void check_secret(const std::string& secret, const std::vector<AccessKey>& before) {
  constexpr std::size_t kShortest = 16;
  if (std::ranges::any_of(secret, [](char c) { return c <= ' ' || c > '~'; })) {
    throw Error("a key may have only printable ASCII characters");
  }
  if (secret.size() < kShortest) {
    throw Error(
        fmt::format("a key of {} characters; expected {} or more", secret.size(), kShortest));
  }
  if (std::ranges::find(before, secret, &AccessKey::secret) != before.end()) {
    throw Error("this key is in the file twice");
  }
}

AccessKey read_key(const std::string& line, const std::vector<AccessKey>& before) {
  std::istringstream words(line);
  AccessKey key;
  words >> key.secret;
  check_secret(key.secret, before);
  unsigned rights = 0;
  for (std::string word; words >> word;) {
    if (word.starts_with(kApplication)) {
      key.application = word.substr(kApplication.size());
      if (key.application.empty()) throw Error("app= needs a name");
    } else if (word.starts_with(kRate)) {
      key.rate = rate_of(word.substr(kRate.size()));
    } else {
      rights |= static_cast<unsigned>(right_of(word));
    }
  }
  if (rights != 0) key.rights = rights;
  return key;
}

}  // namespace

std::string_view name_of(Right right) {
  return std::ranges::find(kRights, right, &std::pair<std::string_view, Right>::second)->first;
}

std::vector<AccessKey> read_keys(const std::filesystem::path& file) {
  static_cast<void>(exposure_of(file));
  std::istringstream lines(read_file(file));
  std::vector<AccessKey> keys;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    try {
      keys.push_back(read_key(line, keys));
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", file.string(), number, error.what()));
    }
  }
  if (keys.empty()) throw Error(file.string() + ": contains no key");
  return keys;
}

}  // namespace sau
