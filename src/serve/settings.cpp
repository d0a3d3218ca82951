#include "serve/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sau/catalog/catalog.hpp"
#include "sau/core/container.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/store/event_store.hpp"
#include "serve/model_file.hpp"
#include "serve/replayer.hpp"

namespace sau::detail {
namespace {

namespace fs = std::filesystem;

constexpr int kFolderVersion = 3, kUpgradedVersion = 2;
constexpr int kFewestFiles = 20;  // that RocksDB must be allowed to keep open
constexpr const char* kMarkExtension = ".mark";
constexpr const char* kDefaultAgent = "sau";  // of a new folder

struct Stored {
  int version = 0;
  FolderSettings settings;
};

std::optional<Stored> stored_settings(const fs::path& folder) {
  const auto file = settings_file(folder);
  if (!fs::exists(file)) return std::nullopt;
  const auto json = nlohmann::json::parse(read_file(file), nullptr, false);
  if (!json.is_object() || !json.contains("version") || !json.contains("agent") ||
      !json.contains("seed") || !json["version"].is_number_integer() ||
      !json["agent"].is_string() || !json["seed"].is_number_unsigned()) {
    throw Error(file.string() + ": expected version, agent and seed");
  }
  const int version = json["version"].get<int>();
  if (version < kUpgradedVersion) {
    throw Error(fmt::format(
        "{}: a folder of version {}, made by a program from before the first release; this program "
        "reads versions {} and {}. Export it with the program that made it (sau log export), and "
        "begin a new folder",
        file.string(), version, kUpgradedVersion, kFolderVersion));
  }
  if (version > kFolderVersion) {
    throw Error(fmt::format(
        "{}: a folder of version {}; this program reads versions {} and {}: use a newer "
        "one",
        file.string(), version, kUpgradedVersion, kFolderVersion));
  }
  FolderSettings settings{.agent = json["agent"].get<std::string>(),
                          .seed = json["seed"].get<std::uint64_t>(),
                          .configuration = configuration_of_old_folders()};
  if (json.contains("configuration")) {
    const auto read = read_configuration(json["configuration"].dump(), settings.configuration);
    if (!read.ok()) {
      throw Error(
          fmt::format("{}: {}: {}", file.string(), read.failure().target, read.failure().message));
    }
    settings.configuration = read.value();
  }
  return Stored{version, std::move(settings)};
}

void write_settings(const fs::path& folder, const FolderSettings& settings) {
  const nlohmann::ordered_json json = {
      {"version", kFolderVersion},
      {"agent", settings.agent},
      {"seed", settings.seed},
      {"configuration", nlohmann::ordered_json::parse(to_json(settings.configuration))}};
  write_file(settings_file(folder), json.dump(1) + "\n");
}

// Whether the folder is empty, or holds only what an interrupted first start has left there.
bool is_new(const fs::path& folder) {
  if (!fs::exists(folder)) return true;
  const fs::path log = log_folder(folder).filename();
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = entry.path().filename();
    if (name != log && name != log.string() + kMarkExtension) return false;
  }
  const auto acknowledged = acknowledged_head(log_folder(folder));
  return !acknowledged || acknowledged->last == 0;
}

// How far a model has read the log; nothing if there is no such file, or if it is damaged.
std::optional<Sequence> position_of(const fs::path& model) {
  if (!fs::exists(model)) return std::nullopt;
  try {
    return read_model_head(read_file(model), model.string()).position;
  } catch (const DamagedFile&) {
    return std::nullopt;
  }
}

// Throws Error when the models show that records are missing at the end or the beginning of a log.
void check_models(const fs::path& folder, const fs::path& log, Sequence first, Sequence last) {
  for (const auto& file : {snapshot_file(folder), base_file(folder)}) {
    const Sequence position = position_of(file).value_or(0);
    if (position <= last) continue;
    throw Error(fmt::format(
        "{}: the model has read the log up to record {}, but the log in {} ends at {}: part of it "
        "is missing; nothing was changed. Restore the folder from a backup",
        file.string(), position, log.string(), last));
  }
  const auto base = base_file(folder);
  if (position_of(base).value_or(0) + 1 >= first) return;
  throw Error(fmt::format(
      "{}: the log begins with record {}, and {}, which should have learned from the records "
      "before it, is missing, damaged or too old; nothing was changed. Restore the folder from a "
      "backup",
      log.string(), first, base.string()));
}

// Removes the log of version 2, after reading and checking the one that replaces it.
void remove_old_log(const fs::path& folder, const fs::path& old, int open_files) {
  try {
    const auto store = open_event_store(log_folder(folder), {.open_files = open_files});
    check_models(folder, log_folder(folder), store->base().last + 1, store->head().last);
  } catch (const Error& error) {
    throw Error(fmt::format("{} (the log of version {}, {}, is kept)", error.what(),
                            kUpgradedVersion, old.string()));
  }
  fs::remove_all(old);
}

}  // namespace

FolderSettings read_folder(const fs::path& folder) {
  const auto found = stored_settings(folder);
  if (!found) {
    throw UsageError(folder.string() + ": not a folder of sau serve: it has no service.json");
  }
  if (found->version != kFolderVersion) {
    throw UsageError(fmt::format(
        "{}: a folder of version {}: `sau log upgrade {}` makes it one of version {}, and so does "
        "starting sau serve",
        folder.string(), found->version, folder.string(), kFolderVersion));
  }
  return found->settings;
}

void refuse_trainer(const fs::path& folder) {
  std::error_code unknown;
  const bool is_trainer = fs::exists(folder / "trainer.json", unknown);
  if (unknown) throw Error(fmt::format("{}: {}", folder.string(), unknown.message()));
  if (!is_trainer) return;
  throw UsageError(
      folder.string() +
      ": the folder of a trainer of a cluster; its log cannot be changed by others, or "
      "it would differ from those of the other trainers");
}

FolderSettings settings_for(const fs::path& folder, const std::string& agent,
                            std::optional<std::uint64_t> seed) {
  // Two spellings of the same agent are compared in canonical form.
  const auto canonical = [](const std::string& spec) { return canonical_offer_agent(spec); };
  if (const auto found = stored_settings(folder)) {
    const FolderSettings& settings = found->settings;
    const FolderSettings wanted{.agent = agent.empty() ? settings.agent : canonical(agent),
                                .seed = seed.value_or(settings.seed)};
    if (canonical(settings.agent) != canonical(wanted.agent) || settings.seed != wanted.seed) {
      throw UsageError(fmt::format(
          "{} was made for the agent {} with seed {}, not {} with seed {}; give those, or another "
          "folder",
          folder.string(), settings.agent, settings.seed, wanted.agent, wanted.seed));
    }
    return settings;
  }
  FolderSettings wanted{.agent = canonical(agent.empty() ? kDefaultAgent : agent),
                        .seed = seed.value_or(1)};
  const RewardRange learned = make_offer_agent(wanted.agent, wanted.seed)->rewards();
  Configuration& start = wanted.configuration;
  start.reward_minimum = std::max(start.reward_minimum, learned.min);
  start.reward_maximum = std::min(start.reward_maximum, learned.max);
  std::error_code error;
  const bool is_folder = fs::is_directory(folder, error);
  if (!is_folder && fs::exists(folder)) throw UsageError(folder.string() + ": not a folder");
  if (!is_new(folder)) {
    throw UsageError(folder.string() + ": not empty, and not a folder of sau serve");
  }
  return wanted;
}

void keep_settings(const fs::path& folder, const FolderSettings& settings) {
  if (!fs::exists(settings_file(folder))) write_settings(folder, settings);
}

bool upgrade_folder(const fs::path& folder, const std::function<void(const std::string&)>& note,
                    int open_files) {
  const auto found = stored_settings(folder);
  if (!found) return false;
  const fs::path old = folder / "events", log = log_folder(folder);
  if (found->version == kFolderVersion) {
    // An interrupted upgrade may have left only this to do.
    if (fs::exists(old) && fs::exists(log / "CURRENT")) {
      remove_old_log(folder, old, open_files);
      note(fmt::format("{}: removed; an interrupted upgrade had left it beside the new log",
                       old.string()));
    }
    return false;
  }
  const fs::path log_mark = log.string() + kMarkExtension;
  if (!fs::exists(old / "CURRENT")) {
    throw Error(fmt::format(
        "{}: says that the folder is of version {}, but there is no log of that version in {}; "
        "nothing was changed",
        settings_file(folder).string(), found->version, old.string()));
  }
  note(fmt::format("{}: a folder of version {}; its log is rewritten in version {}",
                   folder.string(), found->version, kFolderVersion));
  // Written beside it first. Until service.json says otherwise, the old log counts; anything in the
  // place of the new one was left by an interrupted upgrade.
  const fs::path aside = log.string() + ".part", aside_mark = aside.string() + kMarkExtension;
  fs::remove_all(aside);
  fs::remove(aside_mark);
  CarryOver how;
  how.check = [&](Sequence first, Sequence last) { check_models(folder, old, first, last); };
  how.note = note;
  how.open_files = std::max(open_files / 2, kFewestFiles);  // two stores are open
  carry_over_event_store(old, aside, how);
  fs::remove_all(log);
  fs::rename(aside, log);
  fs::rename(aside_mark, log_mark);
  write_settings(folder, found->settings);
  remove_old_log(folder, old, open_files);
  note(fmt::format("{}: upgraded to version {}: {} records", folder.string(), kFolderVersion,
                   acknowledged_head(log)->last));
  return true;
}

}  // namespace sau::detail
