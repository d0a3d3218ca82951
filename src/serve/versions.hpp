#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sau/serve/log_tools.hpp"

namespace sau::detail {

// Earlier models of a folder, in versions/: for each a model file, named by its version, and a JSON
// file that says what it is. Functions throw Error.

// Writes one, and removes the oldest until no more than `most` are left.
void keep_version(const std::filesystem::path& folder, const ModelVersion& version,
                  std::string_view model, std::size_t most);

// The model file of a version; the error names the versions that there are.
std::string read_version(const std::filesystem::path& folder, Sequence version);

std::string to_json(const std::vector<ModelVersion>& versions);

}  // namespace sau::detail
