#pragma once

#include <string>

#include "sau/stats/compare.hpp"

// Numbers of comparisons, written for people.
namespace sau::detail {

// "-36.8 [-42.0, -31.8]": three digits of the interval's width, or four of a value without one.
std::string estimate_text(const Estimate& estimate);

// "0.012", "< 0.001".
std::string p_text(double p);

// The one of a pair with less regret at the 5 % level.
enum class Winner { kNeither, kA, kB };
Winner winner_of(const PairComparison& pair);

}  // namespace sau::detail
