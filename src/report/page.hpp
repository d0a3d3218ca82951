#pragma once

#include <string>
#include <string_view>

namespace sau::detail {

// The page with the data in the place that it keeps for them, and the address where it is to look
// for newer ones, if any. Throws Error for a page without such a place, or with two.
std::string fill_page(std::string_view page, std::string_view json, std::string_view live = {});

}  // namespace sau::detail
