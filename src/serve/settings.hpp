#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace sau::detail {

// What a folder was made with, and keeps: written once, to service.json.
struct FolderSettings {
  std::string agent;  // canonical spec
  std::uint64_t seed = 1;
};

// Those of the folder, which is made with `wanted` when it is new. Throws UsageError when they
// differ from `wanted`, and Error when the file cannot be read.
FolderSettings settle_folder(const std::filesystem::path& folder, const FolderSettings& wanted);
FolderSettings read_folder(const std::filesystem::path& folder);

}  // namespace sau::detail
