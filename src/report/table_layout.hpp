#pragma once

#include <string>
#include <vector>

#include "sau/report/table.hpp"

namespace sau::detail {

// A number of a table as it is shown, without the markup of a format.
struct Entry {
  std::string value;  // may be empty
  std::string error;  // may be empty
  Standing standing = Standing::kOther;
  std::string stuck = {};   // share of stuck trials, such as "4 %"; empty if none is
  bool two_groups = false;  // the trials are of two kinds
};

// A line of a table. An algorithm has one line with its name and, if the paper has numbers for it,
// two more without the name.
struct Line {
  std::string algorithm;
  std::string source;  // "here", "paper" or "z"; empty if the table has no numbers of the paper
  std::vector<Entry> entries;  // one per problem
};

// How many decimals show that many significant digits of the number.
int decimals_of(double number, int figures);

// The lines that every format shows, with the same digits.
std::vector<Line> lay_out(const Table& table);

// What stands behind a number for stuck trials and two groups: " †4 %‡".
std::string marks(const Entry& entry);

// Explains the marks and z; empty if the table has none.
std::string legend(const Table& table, std::string_view best, std::string_view near);

}  // namespace sau::detail
