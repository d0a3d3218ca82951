#include "draw/plain_page.hpp"

#include <fmt/format.h>

namespace sau::detail {
namespace {

constexpr std::string_view kStyle = R"(
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; color: #1b1b1b; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2.2rem; overflow-wrap: anywhere }
table { border-collapse: collapse; margin: .6rem 0; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .2rem .9rem .2rem 0; border-bottom: 1px solid #ddd }
.wide { overflow-x: auto } pre { font-size: .72rem; line-height: 1.35 }
.refused { background: #fdecea; border-left: 4px solid #b3261e; padding: .4rem .8rem; margin: .5rem 0 }
.note { background: #fff6e0; border-left: 4px solid #c98a00; padding: .4rem .8rem; margin: .5rem 0 }
img { max-width: 100%; height: auto } p, td { overflow-wrap: anywhere }
)";

// A picture inside the page. Not as an element: ids of one SVG would clash with those of another.
std::string data_link(std::string_view svg) {
  std::string out = "data:image/svg+xml,";
  for (const char c : svg) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-_.~ =:/;,").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string page_begin(std::string_view title) {
  const std::string text = html_text(title);
  return fmt::format(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
      "content=\"width=device-width, initial-scale=1\"><title>{}</title><style>{}</style></head>"
      "<body>\n<h1>{}</h1>\n",
      text, kStyle, text);
}

std::string page_end() { return "</body></html>\n"; }

std::string picture_element(const Picture& picture) {
  return fmt::format("<p><img alt=\"{}\" src=\"{}\"></p>\n", html_text(picture.name),
                     data_link(picture.bytes));
}

}  // namespace sau::detail
