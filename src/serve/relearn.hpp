#pragma once

#include <filesystem>
#include <string>

#include "sau/store/event_store.hpp"
#include "serve/replayer.hpp"
#include "serve/settings.hpp"

namespace sau::detail {

// What was learned up to here cannot be unlearned: a model file has learned from it.
struct Fixed {
  Sequence until = 0;
  std::string file;
};
Fixed fixed_until(const std::filesystem::path& folder, const EventStore& store);

// The model that the log results in. Throws Error if it cannot be rebuilt.
Replayer relearned(const std::filesystem::path& folder, const FolderSettings& settings,
                   const EventStore& store);

}  // namespace sau::detail
