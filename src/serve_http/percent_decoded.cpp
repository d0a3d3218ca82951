#include "serve_http/percent_decoded.hpp"

#include <charconv>

namespace sau::detail {

bool percent_decoded(std::string_view text, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned char byte = 0;
    if (text.size() - i < 3) return false;
    const char* const first = text.data() + i + 1;
    const auto [end, error] = std::from_chars(first, first + 2, byte, 16);
    if (error != std::errc() || end != first + 2) return false;
    out += static_cast<char>(byte);
    i += 2;
  }
  return true;
}

}  // namespace sau::detail
