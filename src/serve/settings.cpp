#include "serve/settings.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sau/agent/joint_agent.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "serve/replayer.hpp"

namespace sau::detail {
namespace {

constexpr int kFolderVersion = 2;

}  // namespace

FolderSettings read_folder(const std::filesystem::path& folder) {
  const auto file = settings_file(folder);
  if (!std::filesystem::exists(file)) {
    throw UsageError(folder.string() + ": not a folder of sau serve: it has no service.json");
  }
  const auto json = nlohmann::json::parse(read_file(file), nullptr, false);
  if (!json.is_object() || !json.contains("version") || !json.contains("agent") ||
      !json.contains("seed") || !json["version"].is_number_integer() ||
      !json["agent"].is_string() || !json["seed"].is_number_unsigned()) {
    throw Error(file.string() + ": expected version, agent and seed");
  }
  if (json["version"].get<int>() != kFolderVersion) {
    throw Error(fmt::format("{}: a folder of version {}; this program reads version {}",
                            file.string(), json["version"].get<int>(), kFolderVersion));
  }
  return {.agent = json["agent"].get<std::string>(), .seed = json["seed"].get<std::uint64_t>()};
}

FolderSettings settle_folder(const std::filesystem::path& folder, const std::string& agent,
                             std::optional<std::uint64_t> seed) {
  // The canonical spelling: the same agent under another one is no other agent.
  const auto canonical = [](const std::string& spec) { return make_joint_agent(spec, 1)->spec(); };
  if (std::filesystem::exists(settings_file(folder))) {
    FolderSettings found = read_folder(folder);
    const FolderSettings wanted{agent.empty() ? found.agent : canonical(agent),
                                seed.value_or(found.seed)};
    if (found.agent != wanted.agent || found.seed != wanted.seed) {
      throw UsageError(fmt::format(
          "{} was made for the agent {} with seed {}, not {} with seed {}; give those, or another "
          "folder",
          folder.string(), found.agent, found.seed, wanted.agent, wanted.seed));
    }
    return found;
  }
  FolderSettings wanted{canonical(agent.empty() ? "hashed_linear+sau_sampling" : agent),
                        seed.value_or(1)};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(folder.string() + ": " + error.message());
  if (!std::filesystem::is_empty(folder)) {
    throw UsageError(folder.string() + ": not empty, and not a folder of sau serve");
  }
  const nlohmann::ordered_json json = {
      {"version", kFolderVersion}, {"agent", wanted.agent}, {"seed", wanted.seed}};
  write_file(settings_file(folder), json.dump(1) + "\n");
  return wanted;
}

}  // namespace sau::detail
