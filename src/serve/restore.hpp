#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "serve/replayer.hpp"
#include "serve/settings.hpp"
#include "serve/shared_store.hpp"

namespace sau::detail {

// The newest model in the folder that can be read; the log goes on from there. One that is damaged
// is made anew from the log, and said so. Throws Error when the log does not reach as far as the
// model, or begins after it.
Replayer restored(const std::filesystem::path& folder, const FolderSettings& settings,
                  const SharedStore& store, const std::function<void(const std::string&)>& note);

// Up to where the log is to be removed now, if it is: what is older than `days` by the trusted
// time, and was read by the model on disk up to `learned`. Throws Error when the store is damaged.
std::optional<LogHead> due_for_removal(const SharedStore& store, Sequence learned,
                                       Milliseconds trusted_time, std::int64_t days);

// Makes base.sau of model.sau: on disk, read back, and up to `least` in the log. Throws Error.
void write_base(const std::filesystem::path& folder, const FolderSettings& settings,
                Sequence least);

}  // namespace sau::detail
