#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "sau/serve/configuration.hpp"

namespace sau::detail {

// The settings of a folder, which never change: written once, to service.json.
struct FolderSettings {
  std::string agent;  // canonical spec
  std::uint64_t seed = 1;
  Configuration configuration = {};  // valid until somebody changes it
};

// The settings of the folder; for a new folder, those given or the defaults. Writes nothing. Throws
// UsageError when the folder has other settings than those given, and Error when it cannot be read.
FolderSettings settings_for(const std::filesystem::path& folder, const std::string& agent,
                            std::optional<std::uint64_t> seed);
// Writes them to a folder that has none yet.
void keep_settings(const std::filesystem::path& folder, const FolderSettings& settings);
// Reads the settings. Throws UsageError when this is not a folder of a service, or of an older
// version.
FolderSettings read_folder(const std::filesystem::path& folder);

// Throws UsageError if the folder is that of a trainer of a cluster: a log that is changed by hand
// is not the same as that of the other trainers any more.
void refuse_trainer(const std::filesystem::path& folder);

// Upgrades a folder of version 2: rewrites its log, reads it back, and only then removes the old
// one. Returns false, and does nothing, for other folders. Throws Error, and leaves the folder as
// it was, on failure, and when the old log or a model shows that records are missing. `open_files`:
// as in StoreOptions, for all stores together.
bool upgrade_folder(const std::filesystem::path& folder,
                    const std::function<void(const std::string&)>& note, int open_files);

}  // namespace sau::detail
