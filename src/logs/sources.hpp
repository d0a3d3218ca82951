#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sau/evaluate/choice_source.hpp"

namespace sau::detail {

// One function per format; see open_choices().
std::unique_ptr<ChoiceSource> open_folder_choices(const std::filesystem::path& folder,
                                                  const std::vector<std::string>& by);
std::unique_ptr<ChoiceSource> open_json_choices(const std::filesystem::path& file,
                                                const std::vector<std::string>& by);
std::unique_ptr<ChoiceSource> open_dsjson_choices(const std::filesystem::path& file,
                                                  const std::vector<std::string>& by);

}  // namespace sau::detail
