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
// or begins after it.
Replayer restored(const std::filesystem::path& folder, const FolderSettings& settings,
                  const SharedStore& store, const std::function<void(const std::string&)>& note);

// Up to where the log should be removed now, if at all: records older than `days` by the trusted
// time that the model on disk, which has read up to `learned`, covers. Throws Error when the store
// is damaged.
std::optional<LogHead> due_for_removal(const SharedStore& store, Sequence learned,
                                       Milliseconds trusted_time, std::int64_t days);

// Copies model.sau to base.sau, reads it back, and checks that it has read the log at least up to
// `least`. Throws Error on failure.
void write_base(const std::filesystem::path& folder, const FolderSettings& settings,
                Sequence least);

}  // namespace sau::detail
