#pragma once

#include <span>
#include <string>

#include "sau/theory/theory.hpp"

namespace sau {

// [{"id","where","statement","statistic","value","relation","expected","tolerance","reason",
//   "verdict","note"}, ...]
std::string theory_json(std::span<const TheoryCheck> checks);
// The same as CSV with a header.
std::string theory_csv(std::span<const TheoryCheck> checks);
// A line that counts the verdicts, then one block per check.
std::string theory_text(std::span<const TheoryCheck> checks);

}  // namespace sau
