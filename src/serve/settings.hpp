#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "sau/serve/configuration.hpp"

namespace sau::detail {

// What a folder was made with, and keeps: written once, to service.json.
struct FolderSettings {
  std::string agent;  // canonical spec
  std::uint64_t seed = 1;
  Configuration configuration = {};  // what holds until something is configured
};

// Those of the folder; for a new one, what is given or the defaults. Nothing is written. Throws
// UsageError when the folder has others than those given, and Error when it cannot be read.
FolderSettings settings_for(const std::filesystem::path& folder, const std::string& agent,
                            std::optional<std::uint64_t> seed);
// Writes them to a folder that has none yet.
void keep_settings(const std::filesystem::path& folder, const FolderSettings& settings);
// Of a folder in the format of this version; throws UsageError when it is none, or an older one.
FolderSettings read_folder(const std::filesystem::path& folder);

// A folder of version 2 becomes one of this version: its log is written anew, read back, and only
// then is the old one removed. Does nothing with other folders, and
// returns false. Throws Error when it cannot, and
// leaves the folder as it was.
bool upgrade_folder(const std::filesystem::path& folder,
                    const std::function<void(const std::string&)>& note);

}  // namespace sau::detail
