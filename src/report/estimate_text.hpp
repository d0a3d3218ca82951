#pragma once

#include <string>

#include "sau/stats/compare.hpp"

// Numbers of comparisons for people.
namespace sau::detail {

// "-36.8 [-42.0, -31.8]": three figures of the interval's width, or four of a value without one.
std::string estimate_text(const Estimate& estimate);

// "0.012", "< 0.001".
std::string p_text(double p);

// What a pair's difference says at the 5 % level: "a", "b" or "", for the one with less regret.
enum class Winner { kNeither, kA, kB };
Winner winner_of(const PairComparison& pair);

}  // namespace sau::detail
