#pragma once

#include <span>
#include <string>
#include <string_view>

// Escaping for the output formats.
namespace sau::detail {

std::string markdown_text(std::string_view text);
// For pdfLaTeX: escapes special characters; signs and Greek letters become formulas; characters
// that it does not know become U+ and their number. Long words may be broken into lines, as in
// latex_name.
std::string latex_text(std::string_view text);
// A name. A long one may be broken into lines after ( , + _ / - and |.
std::string latex_name(std::string_view name);
// The type of a column with these names, and the heading of a column of numbers: of fixed width, so
// that lines break, if a name is long. Both need the package array.
std::string latex_column(std::span<const std::string> names);
std::string latex_heading(std::string_view name);
// In double quotes if necessary.
std::string csv_text(std::string_view text);
// Empty for NaN and infinity.
std::string csv_number(double value);

}  // namespace sau::detail
