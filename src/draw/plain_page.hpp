#pragma once

#include <string>
#include <string_view>

#include "sau/draw/draw.hpp"

// Pages of tables and figures that need no other file, no script and no network.
namespace sau::detail {

// Text between tags or in an attribute.
std::string html_text(std::string_view text);

// Everything up to the first line below the heading.
std::string page_begin(std::string_view title);
std::string page_end();
// An SVG picture inside the page.
std::string picture_element(const Picture& picture);

}  // namespace sau::detail
