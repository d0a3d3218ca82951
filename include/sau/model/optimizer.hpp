#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sau/kernel/mlp_kernel.hpp"

namespace sau {

enum class Optimizer { kRmsprop, kAdam };
constexpr std::array<std::string_view, 2> enum_names(Optimizer) { return {"rmsprop", "adam"}; }

// The step after `done` mini-batches.
OptimizerStep make_optimizer_step(Optimizer optimizer, double rate, std::uint64_t done) noexcept;

}  // namespace sau
