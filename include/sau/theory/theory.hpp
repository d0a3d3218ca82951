#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sau {

enum class Verdict {
  kHolds,
  kHoldsCorrected,  // not as printed in the paper, but in the form the check states
  kFails,
};
// "holds", "holds, corrected", "fails".
std::string_view verdict_name(Verdict verdict) noexcept;

// How a value has to lie to what is expected of it.
enum class Relation { kEquals, kAtMost, kAtLeast };
// "equals", "at most", "at least".
std::string_view relation_name(Relation relation) noexcept;

// Never true for a value that is not a number.
bool satisfies(double value, Relation relation, double expected, double tolerance) noexcept;

// One statement of the paper (Zhu & Rigotti 2021), checked by a number.
struct TheoryCheck {
  std::string id;         // such as prop1.before.order
  std::string where;      // in the paper
  std::string statement;  // in plain ASCII, in the form that is checked
  std::string statistic;  // what `value` is
  double value = 0.0;
  Relation relation = Relation::kEquals;
  double expected = 0.0;
  double tolerance = 0.0;
  std::string reason;  // for the tolerance
  Verdict verdict = Verdict::kFails;
  std::string note;

  // Sets the verdict; `as_printed` is whether the paper's own form of the statement holds.
  TheoryCheck judged(bool as_printed = true) &&;

  bool operator==(const TheoryCheck& other) const = default;
};

struct TheoryOptions {
  std::uint64_t seed = 1;
  std::uint64_t trials = 100;               // of a regret; a moment takes 200 times as many draws
  const std::atomic<bool>* stop = nullptr;  // set from outside to end early
};

// All checks: a pure function of seed and trials, on one thread. Empty when `stop` ended it.
std::vector<TheoryCheck> check_theory(const TheoryOptions& options);

}  // namespace sau
