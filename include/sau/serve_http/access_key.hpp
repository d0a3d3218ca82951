#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sau {

// What a caller may do. No right includes another: `admin` does not include `decide`.
enum class Right : unsigned { kDecide = 1, kReward = 2, kRead = 4, kAdmin = 8 };

// "decide", "reward", "read" or "admin".
std::string_view name_of(Right right);

struct AccessKey {
  static constexpr unsigned kAllRights = 15;

  std::string secret;
  unsigned rights = kAllRights;  // a sum of Rights
  std::string application = {};  // the only one it is for; empty: all
  double rate = 0.0;             // requests a second; 0: RateLimits::per_key

  bool may(Right right) const { return (rights & static_cast<unsigned>(right)) != 0; }
};

// One key per line, which may be followed by its rights, an application and a rate, as in "KEY
// decide reward app=shop rate=100"; without rights it has all. Empty lines and lines that begin
// with # are skipped. Throws Error when there is no key, when one is too short to be a secret or
// there twice, when a word is unknown, and when everybody on this machine may write to the file.
std::vector<AccessKey> read_keys(const std::filesystem::path& file);

}  // namespace sau
