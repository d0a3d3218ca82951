#pragma once

#include <string>
#include <string_view>

namespace sau::detail {

// The page with the data filled in and, if given, the address `live` where it looks for newer data.
// Throws Error if the page has no place for the data, or two.
std::string fill_page(std::string_view page, std::string_view json, std::string_view live = {});

}  // namespace sau::detail
