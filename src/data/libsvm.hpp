#pragma once

#include <string>
#include <string_view>

#include "data/table.hpp"

namespace sau::detail {

// Lines of  label place:value place:value ...  with places counted from 1, or from 0 if there is a
// place 0; # starts a comment. Throws an Error that names file, line and field.
TableBuilder read_libsvm(std::string_view text, const std::string& file, bool standardise);

}  // namespace sau::detail
