#pragma once

#include <string>
#include <string_view>

// Text as the formats want it.
namespace sau::detail {

std::string markdown_text(std::string_view text);
// For pdfLaTeX: everything it would take for a command, and ± as a formula.
std::string latex_text(std::string_view text);
// In double quotes where need be.
std::string csv_text(std::string_view text);
// Empty for what is not a number.
std::string csv_number(double value);

}  // namespace sau::detail
