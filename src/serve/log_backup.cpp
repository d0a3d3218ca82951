#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/serve/log_tools.hpp"
#include "sau/store/event_store.hpp"
#include "serve/model_file.hpp"
#include "serve/replayer.hpp"
#include "serve/settings.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> contents_of(const fs::path& file) {
  if (!fs::exists(file)) return std::nullopt;
  return read_file(file);
}

void copy_models(const fs::path& from, const fs::path& to) {
  const fs::path models = detail::loaded_file(from, "").parent_path();
  if (!fs::exists(models)) return;
  for (const auto& entry : fs::directory_iterator(models)) {
    if (entry.path().extension() != ".sau") continue;
    const fs::path target = detail::loaded_file(to, entry.path().filename().string());
    fs::create_directories(target.parent_path());
    write_file(target, read_file(entry.path()));
  }
}

// Copies the log, and the model files that go with it. A server may write these meanwhile: if
// base.sau has changed while the log was copied, both are copied again.
void copy_folder(const fs::path& from, const fs::path& to) {
  constexpr int kTries = 20;
  for (int tries = 1;; ++tries) {
    const auto base = contents_of(detail::base_file(from));
    const auto model = contents_of(detail::snapshot_file(from));
    copy_event_store(detail::log_folder(from), detail::log_folder(to));
    if (contents_of(detail::base_file(from)) == base) {
      if (base) write_file(detail::base_file(to), *base);
      if (model) write_file(detail::snapshot_file(to), *model);
      break;
    }
    if (tries == kTries) throw Error(from.string() + ": its files keep changing");
    fs::remove_all(detail::log_folder(to));
  }
  copy_models(from, to);
  // Written last: without it, this is not the folder of a service.
  write_file(detail::settings_file(to), read_file(detail::settings_file(from)));
}

BackupCount copy_and_check(const fs::path& from, fs::path to) {
  detail::read_folder(from);
  if (!to.has_filename()) to = to.parent_path();  // it ends in a slash
  if (fs::exists(to) && !(fs::is_directory(to) && fs::is_empty(to))) {
    throw UsageError(to.string() + ": already exists, and is not an empty folder");
  }
  // Copies to a folder that nobody else uses, then renames it.
  const fs::path aside = fmt::format("{}.part{}", to.string(), ::getpid());
  if (to.has_parent_path()) fs::create_directories(to.parent_path());
  if (!fs::create_directory(aside)) throw Error(aside.string() + ": already exists");
  try {
    copy_folder(from, aside);
    const LogCheck check = verify_log(aside);
    fs::remove(to);  // an empty folder
    fs::rename(aside, to);
    BackupCount count{.records = check.decisions + check.entries};
    for (const auto& entry : fs::recursive_directory_iterator(to)) {
      if (entry.is_regular_file()) count.bytes += entry.file_size();
    }
    return count;
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove_all(aside, ignored);
    throw Error(error.what());
  }
}

// Whether a model can be read and has learned from no record after `last`.
bool is_model_up_to(const fs::path& file, Sequence last) {
  try {
    return detail::read_model_head(read_file(file), file.string()).position <= last;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

BackupCount back_up(const fs::path& folder, const fs::path& to) {
  return copy_and_check(folder, to);
}

BackupCount restore(const fs::path& backup, const fs::path& to) {
  return copy_and_check(backup, to);
}

bool upgrade_log(const fs::path& folder, const std::function<void(const std::string&)>& note) {
  if (!fs::exists(detail::settings_file(folder))) detail::read_folder(folder);  // says why not
  return detail::upgrade_folder(folder, note, StoreOptions{}.open_files);
}

AcceptedLoss accept_loss(const fs::path& folder,
                         const std::function<void(const std::string&)>& note) {
  detail::read_folder(folder);
  const fs::path log = detail::log_folder(folder);
  AcceptedLoss result;
  try {
    if (const auto acknowledged = acknowledged_head(log)) result.acknowledged = acknowledged->last;
  } catch (const Error& error) {
    note(error.what());
  }
  if (fs::exists(log / "CURRENT")) {
    result.last = open_event_store(log, {.read_only = true, .accept_loss = true})->head().last;
  }
  const auto base = detail::base_file(folder);
  if (fs::exists(base)) {
    const Sequence needed = detail::read_model_head(read_file(base), base.string()).position;
    if (needed > result.last) {
      throw Error(fmt::format(
          "{}: made from the log up to record {}, but the log ends at {}: the service cannot "
          "continue from there. Restore the folder from a backup",
          base.string(), needed, result.last));
    }
  }
  open_event_store(log, {.accept_loss = true, .note = note});
  // A model that has learned from lost records cannot be rebuilt from the log.
  const auto file = detail::snapshot_file(folder);
  if (fs::exists(file) && !is_model_up_to(file, result.last)) {
    fs::rename(file, file.string() + ".lost");
    result.model_removed = true;
  }
  return result;
}

}  // namespace sau
