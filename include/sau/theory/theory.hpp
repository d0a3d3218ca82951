#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sau {

enum class Verdict {
  kHolds,
  kHoldsCorrected,  // false as printed in the paper, true in the form the check states
  kFails,
};
// "holds", "holds, corrected", "fails".
std::string_view verdict_name(Verdict verdict) noexcept;

// How the value must relate to the expected value.
enum class Relation { kEquals, kAtMost, kAtLeast };
// "equals", "at most", "at least".
std::string_view relation_name(Relation relation) noexcept;

// False if the value is NaN.
bool satisfies(double value, Relation relation, double expected, double tolerance) noexcept;

// One statement of the paper (Zhu & Rigotti 2021), checked by a number.
struct TheoryCheck {
  std::string id;         // such as prop1.before.order
  std::string where;      // place in the paper
  std::string statement;  // in the form that is checked; plain ASCII
  std::string statistic;  // what `value` is
  double value = 0.0;
  Relation relation = Relation::kEquals;
  double expected = 0.0;
  double tolerance = 0.0;
  std::string reason;  // for this tolerance
  Verdict verdict = Verdict::kFails;
  std::string note;

  // Sets the verdict. `as_printed`: whether the statement holds as the paper prints it.
  TheoryCheck judged(bool as_printed = true) &&;

  bool operator==(const TheoryCheck& other) const = default;
};

struct TheoryOptions {
  std::uint64_t seed = 1;
  std::uint64_t trials = 100;               // per regret; moments take 200 times as many draws
  const std::atomic<bool>* stop = nullptr;  // set by the caller to end early
};

// Runs all checks, on one thread; a pure function of seed and trials. Empty if `stop` ended it.
std::vector<TheoryCheck> check_theory(const TheoryOptions& options);

}  // namespace sau
