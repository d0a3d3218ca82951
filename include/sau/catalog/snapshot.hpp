#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sau/agent/any_agent.hpp"
#include "sau/core/archive.hpp"
#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"

namespace sau {

// An agent and the generator it was choosing with: continuing from here gives the same bytes as
// never having stopped.
struct SavedAgent {
  std::unique_ptr<AnyAgent> agent;
  Rng rng;
};

// The whole file or none of it (docs/formats/agent.md).
void save_agent(const std::filesystem::path& path, const AnyAgent& agent, const Rng& rng);

// Throws Error, naming the file, when it is not an agent file, is damaged, or is of a newer format.
SavedAgent load_agent(const std::filesystem::path& path);

// What an agent file says of itself, without building the agent.
struct AgentFileInfo {
  std::uint64_t format_version = 0;
  std::string sau_version;
  std::string agent;  // canonical spec
  Shape shape;
  std::uint64_t state_bytes = 0;
  std::vector<FieldSize> fields;  // of the state, in their order
};
AgentFileInfo inspect_agent(const std::filesystem::path& path);
bool is_agent_file(const std::filesystem::path& path);

}  // namespace sau
