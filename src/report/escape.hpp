#pragma once

#include <string>
#include <string_view>

// Escaping for the output formats.
namespace sau::detail {

std::string markdown_text(std::string_view text);
// For pdfLaTeX: escapes special characters; ± becomes a formula.
std::string latex_text(std::string_view text);
// In double quotes if necessary.
std::string csv_text(std::string_view text);
// Empty for NaN and infinity.
std::string csv_number(double value);

}  // namespace sau::detail
