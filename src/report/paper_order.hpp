#pragma once

#include <cstddef>
#include <string>

// The order in which tables and figures show things, and what names say.
namespace sau::detail {

inline constexpr const char* kUniform = "Uniform";

// "linear" of "linear(dim=40)".
std::string family_of(const std::string& spec);

// The paper's problems in its order; a variant such as mushroom-fresh follows the one it is named
// after; all others are equal, and last.
std::size_t problem_rank(const std::string& name);

// The paper's algorithms in its order, others after them, Uniform last.
std::size_t algorithm_rank(const std::string& name);

// Whether name or spec say that the data are made up.
bool says_synthetic(const std::string& text);

}  // namespace sau::detail
