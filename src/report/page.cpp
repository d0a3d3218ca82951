#include "report/page.hpp"

#include <algorithm>

#include "report/embedded_web.hpp"
#include "sau/core/error.hpp"
#include "sau/report/report.hpp"

namespace sau {
namespace detail {
namespace {

constexpr std::string_view kPlace = R"(<script type="application/json" id="report-data"></script>)";
constexpr std::string_view kEnd = "></script>";

}  // namespace

std::string fill_page(std::string_view page, std::string_view json, std::string_view live) {
  const std::size_t place = page.find(kPlace);
  if (place == std::string_view::npos || page.find(kPlace, place + 1) != std::string_view::npos) {
    throw Error("the page built into this sau must have exactly one place for its data");
  }
  const std::size_t start = place + kPlace.size() - kEnd.size();
  std::string filled;
  filled.reserve(page.size() + json.size());
  filled += page.substr(0, start);
  if (!live.empty()) filled += " data-live=\"" + std::string(live) + '"';
  filled += '>';
  // In JSON < occurs only in strings. Escaped, it cannot end the script element.
  for (const char c : json) {
    if (c == '<') {
      filled += "\\u003c";
    } else {
      filled += c;
    }
  }
  filled += page.substr(start + 1);
  return filled;
}

}  // namespace detail

std::string report_html(const Report& report, std::string_view live) {
  const auto files = detail::embedded_web();
  const auto page = std::ranges::find(files, "report", &detail::EmbeddedFile::name);
  if (page == files.end()) {
    throw Error("this sau was built without the report page; other formats work");
  }
  return detail::fill_page(page->text, report_json(report), live);
}

}  // namespace sau
