#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/report/paper.hpp"

// The order in which tables and figures show things, and what a name tells about its problem.
namespace sau::detail {

inline constexpr const char* kUniform = "Uniform";

// "linear" of "linear(dim=40)".
std::string family_of(const std::string& spec);

// Whether a name or spec contains the word "synthetic".
bool says_synthetic(const std::string& text);

// The papers' problems in their order. A variant such as mushroom-fresh follows the problem it is
// named after. All others share the last rank.
std::size_t problem_rank(const std::string& name, std::span<const Paper> all = papers());

// The papers' algorithms in their order, then others, Uniform last.
std::size_t algorithm_rank(const std::string& name, std::span<const Paper> all = papers());

// The first paper with numbers for a problem of that name and these steps; null if there is none.
const Paper* paper_beside(std::string_view problem, std::uint64_t steps,
                          std::span<const Paper> all = papers());

// What a paper prints for a cell; the first that prints something.
struct Printed {
  const Paper* paper = nullptr;
  PaperValue value;
};
std::optional<Printed> printed(TableKind table, std::string_view problem, std::uint64_t steps,
                               std::string_view algorithm, std::span<const Paper> all = papers());

// The first paper with numbers for a problem of that name, with any steps; null if there is none.
const Paper* paper_with(std::string_view problem, std::span<const Paper> all = papers());

// All known reasons why our numbers differ from the papers'.
std::vector<Difference> known_differences(std::span<const Paper> all = papers());

// The ids of the known differences for a cell of that table, whose two numbers are `z` combined
// standard errors apart; may be empty.
std::vector<std::string> differences_of(const Paper& paper, TableKind table,
                                        std::string_view problem, std::string_view algorithm,
                                        double z);

}  // namespace sau::detail
