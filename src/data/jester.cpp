#include <charconv>
#include <cmath>
#include <cstring>

#include "data/loaders.hpp"
#include "sau/core/error.hpp"

namespace sau::detail {
namespace {

constexpr std::size_t kJokes = 40;

// The text after 'key': in the header of a NumPy file.
std::string_view header_value(std::string_view header, std::string_view key) {
  const std::size_t start = header.find("'" + std::string(key) + "':");
  if (start == std::string_view::npos) return "";
  const std::string_view rest = header.substr(start + key.size() + 3);
  return rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
}

}  // namespace

// A NumPy file (format 1.0) of 19181 rows of 40 ratings, float64.
TableBuilder prepare_jester(std::string_view text, const std::string& file) {
  constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);
  constexpr std::size_t kHead = 10;
  std::uint16_t size = 0;
  if (text.size() >= kHead) std::memcpy(&size, text.data() + kMagic.size(), sizeof size);
  if (!text.starts_with(kMagic) || text.size() < kHead + size) {
    throw Error(file + ": expected a NumPy file of version 1.0");
  }
  const std::string_view header = text.substr(kHead, size);
  const std::string_view shape = header_value(header, "shape");
  std::size_t rows = 0;
  const auto read =
      std::from_chars(shape.data() + (shape.empty() ? 0 : 1), shape.data() + shape.size(), rows);
  const bool expected = header_value(header, "descr").starts_with("'<f8'") &&
                        header_value(header, "fortran_order").starts_with("False") &&
                        shape.starts_with('(') && read.ec == std::errc{} &&
                        shape.substr(static_cast<std::size_t>(read.ptr - shape.data()))
                            .starts_with(", " + std::to_string(kJokes) + ")");
  text.remove_prefix(kHead + size);
  if (!expected || rows == 0 || text.size() != rows * kJokes * sizeof(double)) {
    throw Error(file + ": expected rows of " + std::to_string(kJokes) +
                " float64 numbers in C order");
  }
  std::vector<PackedColumn> columns(kJokes);
  for (std::size_t i = 0; i < rows * kJokes; ++i) {
    double rating = 0.0;
    std::memcpy(&rating, text.data() + i * sizeof rating, sizeof rating);
    if (!(std::abs(rating) <= 10.0)) {
      throw Error(file + ": row " + std::to_string(i / kJokes + 1) + ", column " +
                  std::to_string(i % kJokes + 1) + ": found " + std::to_string(rating) +
                  ", expected a rating from -10 to 10");
    }
    columns[i % kJokes].push(rating);
  }
  TableBuilder table;
  for (PackedColumn& column : columns) table.add_number(std::move(column), false);
  return table;
}

}  // namespace sau::detail
