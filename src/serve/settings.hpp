#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sau::detail {

// What a folder was made with, and keeps: written once, to service.json.
struct FolderSettings {
  std::string agent;  // canonical spec
  std::uint64_t seed = 1;
};

// Those of the folder, which is made with what is given when it is new; an empty agent and no seed
// are whatever the folder has. Throws UsageError when they differ from what is given, and Error
// when the file cannot be read.
FolderSettings settle_folder(const std::filesystem::path& folder, const std::string& agent,
                             std::optional<std::uint64_t> seed);
FolderSettings read_folder(const std::filesystem::path& folder);

}  // namespace sau::detail
