#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "serve/replayer.hpp"
#include "serve/settings.hpp"
#include "serve/shared_store.hpp"

namespace sau::detail {

// The newest model in the folder that can be read; learning continues from there. A damaged model
// is rebuilt from the log, with a note. Throws Error when the log ends before the model's position,
// or begins after it, and when the model is of another agent than the present policy and the log
// does not say why.
Replayer restored(const std::filesystem::path& folder, const FolderSettings& settings,
                  const Policy& policy, const SharedStore& store,
                  const std::function<void(const std::string&)>& note);

// Up to where the log should be removed now, if at all: records that the model on disk, which has
// read up to `learned`, covers, and that are older than the configuration keeps them, by the
// trusted time, or that somebody wants removed. Throws Error when the store is damaged.
std::optional<LogHead> due_for_removal(const SharedStore& store, Sequence learned,
                                       Milliseconds trusted_time,
                                       const Configuration& configuration);

// Copies model.sau to base.sau, reads it back, and checks that it has read the log at least up to
// `least`. Throws Error on failure.
void write_base(const std::filesystem::path& folder, const FolderSettings& settings,
                Sequence least);

}  // namespace sau::detail
