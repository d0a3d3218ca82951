#pragma once

#include <string>
#include <vector>

#include "sau/report/table.hpp"

namespace sau::detail {

// A number of a table as it is shown, without the marks of a format.
struct Entry {
  std::string value;  // empty: there is none
  std::string error;  // empty: there is none
  Standing standing = Standing::kOther;
};

// A line of a table. An algorithm has one, with its name; where the paper's numbers are beside it,
// two more without the name.
struct Line {
  std::string algorithm;
  std::string source;  // "here", "paper" or "z"; empty where the table has no number of the paper
  std::vector<Entry> entries;  // one a problem
};

// Decimals that show so many figures of the number.
int decimals_of(double number, int figures);

// What every format shows, with the same digits.
std::vector<Line> lay_out(const Table& table);

// What the marks and z mean, for a table that has any.
std::string legend(const Table& table, std::string_view best, std::string_view near);

}  // namespace sau::detail
