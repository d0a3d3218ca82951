#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "sau/run/experiment.hpp"

namespace sau {

// Plays a trial as run_trial() does, with the same choices, and gives every decision to `write` as
// a JSON line in the form of `sau log export`, with the chance of every action. Rewards come at
// once, even if the problem's are late. Returns false when `stop` ended it early.
bool log_trial(const Cell& cell, std::uint64_t seed, std::uint64_t trial,
               const std::function<void(const std::string& line)>& write,
               const std::atomic<bool>* stop = nullptr);

}  // namespace sau
