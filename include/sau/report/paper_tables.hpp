#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sau {

// The tables of the paper (Zhu & Rigotti 2021: table 1 and its appendix tables).
enum class TableKind {
  kRegret,      // cumulative regret
  kNormalised,  // the same in percent of Uniform's mean
  kTime,        // processor time of a trial, in seconds
};
// "regret", "normalised", "time".
std::string_view table_name(TableKind kind) noexcept;

// A number as the paper prints it.
struct PaperValue {
  double mean = 0.0;
  double sem = 0.0;
};

// Empty where the paper has no such cell. Names as the paper writes them.
std::optional<PaperValue> paper_value(TableKind kind, std::string_view problem,
                                      std::string_view algorithm);

// In the paper's order.
const std::vector<std::string>& paper_algorithms();

struct PaperProblem {
  std::string name;
  std::uint64_t steps = 0;  // of the trials behind its numbers
};
const std::vector<PaperProblem>& paper_problems();

}  // namespace sau
