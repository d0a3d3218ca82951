#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/report/paper.hpp"

// The order in which tables and figures show things, and what names say.
namespace sau::detail {

inline constexpr const char* kUniform = "Uniform";

// "linear" of "linear(dim=40)".
std::string family_of(const std::string& spec);

// Whether name or spec say that the data are made up.
bool says_synthetic(const std::string& text);

// The problems of the papers in their order; a variant such as mushroom-fresh follows the one it is
// named after; all others are equal, and last.
std::size_t problem_rank(const std::string& name, std::span<const Paper> all = papers());

// The algorithms of the papers in their order, others after them, Uniform last.
std::size_t algorithm_rank(const std::string& name, std::span<const Paper> all = papers());

// The first paper with numbers for a problem of that name and these steps; null if there is none.
const Paper* paper_beside(std::string_view problem, std::uint64_t steps,
                          std::span<const Paper> all = papers());

// The first paper with numbers for a problem of that name, whatever the steps; null if there is
// none.
const Paper* paper_with(std::string_view problem, std::span<const Paper> all = papers());

// All that is known to lie between our numbers and those of the papers.
std::vector<Difference> known_differences(std::span<const Paper> all = papers());

// The ids of what is known about a cell of that table, whose numbers are `z` combined standard
// errors apart; may be empty.
std::vector<std::string> differences_of(const Paper& paper, TableKind table,
                                        std::string_view problem, std::string_view algorithm,
                                        double z);

}  // namespace sau::detail
