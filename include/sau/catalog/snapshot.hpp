#pragma once

#include <filesystem>
#include <memory>

#include "sau/agent/any_agent.hpp"
#include "sau/core/rng.hpp"

namespace sau {

// An agent and the generator it was choosing with: continuing from here gives the same bytes as
// never having stopped.
struct SavedAgent {
  std::unique_ptr<AnyAgent> agent;
  Rng rng;
};

// Writes the whole file or nothing (docs/formats/agent.md).
void save_agent(const std::filesystem::path& path, const AnyAgent& agent, const Rng& rng);

// Throws an Error that names the file if it is not an agent file, is damaged, or has a newer
// version.
SavedAgent load_agent(const std::filesystem::path& path);

}  // namespace sau
