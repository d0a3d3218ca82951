#include <fmt/format.h>

#include <sstream>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/serve_http/service_over_http.hpp"

namespace sau {

std::vector<std::string> read_keys(const std::filesystem::path& file) {
  constexpr std::size_t kShortest = 16;
  std::istringstream lines(read_file(file));
  std::vector<std::string> keys;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    for (const char c : line) {
      if (c <= ' ' || c > '~') {
        throw Error(
            fmt::format("{}:{}: a key may have only printable ASCII characters, and no blanks",
                        file.string(), number));
      }
    }
    if (line.size() < kShortest) {
      throw Error(fmt::format("{}:{}: a key of {} characters; expected {} or more", file.string(),
                              number, line.size(), kShortest));
    }
    keys.push_back(std::move(line));
  }
  if (keys.empty()) throw Error(file.string() + ": contains no key");
  return keys;
}

}  // namespace sau
