#include "run/settings_file.hpp"

#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "run/cell_file.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/core/note.hpp"
#include "sau/core/text.hpp"
#include "sau/core/version.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "sau-run";
constexpr std::string_view kCells = "cells/";

// The field of that name and type; throws an Error that names it if it is missing or wrong.
template <class T>
T field(const nlohmann::json& object, const char* name, const fs::path& path) {
  const auto found = object.find(name);
  const bool present = object.is_object() && found != object.end();
  bool fits = false;
  if constexpr (std::is_same_v<T, std::string>) {
    fits = present && found->is_string();
  } else {
    fits = present && found->is_number_unsigned();
  }
  if (!fits) {
    throw Error(path.string() + ": is damaged: the field '" + name + "' is " +
                (present ? found->dump() : "missing") + ", expected " +
                (std::is_same_v<T, std::string> ? "a text" : "a whole number, at least 0"));
  }
  return found->get<T>();
}

// Gives a cell of a folder before version 3 the spec that now means the same.
void update_problem(Cell& cell) {
  const std::string spec = with_first_best(cell.problem_spec);
  if (cell.problem == cell.problem_spec) cell.problem = spec;
  cell.problem_spec = spec;
}

Shard shard_of(const nlohmann::json& object, const fs::path& path) {
  const Shard shard{.number = field<std::uint64_t>(object, "number", path),
                    .of = field<std::uint64_t>(object, "of", path),
                    .tables = object.value("tables", nlohmann::json()) == true};
  if (shard.number < 1 || shard.number > shard.of) {
    throw Error(path.string() + ": is damaged: there is no shard " + shard.text());
  }
  return shard;
}

}  // namespace

Settings read_settings(const fs::path& folder) {
  const fs::path path = folder / kSettingsFile;
  if (!fs::exists(path)) {
    throw Error(folder.string() + " is not a sau result folder: it has no " + kSettingsFile);
  }
  const auto json = nlohmann::json::parse(read_file(path), nullptr, false);
  if (json.is_discarded()) throw Error(path.string() + ": is damaged: it is not JSON");
  const auto format = field<std::string>(json, "format", path);
  if (format != kFormat) {
    throw Error(path.string() + ": does not belong to a sau result folder: its format is '" +
                format + "'");
  }
  const auto format_version = field<std::uint64_t>(json, "version", path);
  if (format_version < 1 || format_version > kFormatVersion) {
    throw Error(path.string() + ": has format version " + std::to_string(format_version) +
                "; this sau reads versions 1 to " + std::to_string(kFormatVersion));
  }
  Settings settings{format_version,
                    field<std::string>(json, "sau", path),
                    field<std::uint64_t>(json, "seed", path),
                    {},
                    {}};
  const auto shard = json.find("shard");
  if (shard != json.end()) settings.shard = shard_of(*shard, path);
  const auto cells = json.find("cells");
  if (cells == json.end() || !cells->is_array()) {
    throw Error(path.string() + ": is damaged: the field 'cells' is missing or not a list");
  }
  for (const auto& entry : *cells) {
    SettingsCell& cell = settings.cells.emplace_back();
    cell.cell.problem = field<std::string>(entry, "problem", path);
    cell.cell.agent = field<std::string>(entry, "agent", path);
    cell.cell.problem_spec = field<std::string>(entry, "problem_spec", path);
    cell.cell.agent_spec = field<std::string>(entry, "agent_spec", path);
    cell.cell.steps = field<std::uint64_t>(entry, "steps", path);
    cell.cell.trials = field<std::uint64_t>(entry, "trials", path);
    if (format_version < 3) update_problem(cell.cell);
    if (entry.contains("data")) cell.cell.data = field<std::string>(entry, "data", path);
    cell.file = field<std::string>(entry, "file", path);
    // Files get truncated and appended to, so accept only names of our own kind.
    const std::string name = cell.file.substr(std::min(kCells.size(), cell.file.size()));
    for (std::size_t i = 0; i + 1 < settings.cells.size(); ++i) {
      if (settings.cells[i].file == cell.file) {
        throw Error(path.string() + ": is damaged: two cells have the file '" + cell.file + "'");
      }
    }
    if (!cell.file.starts_with(kCells) || name.empty() || slug(name) != name) {
      throw Error(path.string() + ": is damaged: the field 'file' is '" + cell.file +
                  "', expected a file name below " + std::string(kCells));
    }
  }
  return settings;
}

std::string Settings::mismatch(std::uint64_t other_seed) const {
  if (seed != other_seed) {
    return "holds results of seed " + std::to_string(seed) + ", not " + std::to_string(other_seed);
  }
  if (sau_version != version()) {
    return "was written by sau " + sau_version + ", this is sau " + std::string(version());
  }
  if (format_version != kFormatVersion) {
    return "has format version " + std::to_string(format_version) +
           ", which this sau reads but does not add to: it writes version " +
           std::to_string(kFormatVersion);
  }
  return "";
}

void write_settings(const fs::path& folder, std::uint64_t seed, const Shard& shard,
                    const std::vector<SettingsCell>& cells) {
  Json list = Json::array();
  for (const auto& [cell, file] : cells) {
    list.push_back({{"file", file},
                    {"problem", cell.problem},
                    {"agent", cell.agent},
                    {"problem_spec", cell.problem_spec},
                    {"agent_spec", cell.agent_spec},
                    {"steps", cell.steps},
                    {"trials", cell.trials}});
    if (!cell.data.empty()) list.back()["data"] = cell.data;
  }
  Json json = {
      {"format", kFormat}, {"version", kFormatVersion}, {"sau", version()}, {"seed", seed}};
  if (!shard.whole()) {
    json["shard"] = {{"number", shard.number}, {"of", shard.of}, {"tables", shard.tables}};
  }
  json["cells"] = std::move(list);
  // Settings first: a folder without them does not count as ours.
  write_file(folder / kSettingsFile, json.dump(2) + "\n");
  std::error_code code;
  fs::create_directories(folder / "cells", code);
  if (code) throw Error("cannot create " + (folder / "cells").string() + ": " + code.message());
}

std::string name_cell_file(const Cell& cell, const std::vector<std::string>& taken) {
  const std::string stem = std::string(kCells) + slug(cell.problem) + "--" + slug(cell.agent);
  std::string name = stem + ".csv";
  for (int i = 2; std::ranges::find(taken, name) != taken.end(); ++i) {
    name = stem + "-" + std::to_string(i) + ".csv";
  }
  return name;
}

void remove_leftovers(const fs::path& folder) {
  const std::string prefix = std::string(kSettingsFile) + ".tmp";
  std::vector<fs::path> leftovers;
  const bool ours = fs::exists(folder / kSettingsFile);
  bool alone = true;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool leftover = name.size() > prefix.size() && name.starts_with(prefix) &&
                          name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
    if (leftover) leftovers.push_back(entry.path());
    alone = alone && leftover;
  }
  if (!ours && !alone) return;
  for (const fs::path& path : leftovers) fs::remove(path);
}

bool is_result_folder(const fs::path& folder) {
  return fs::exists(folder / kSettingsFile) || fs::is_empty(folder);
}

FolderLock::FolderLock(const fs::path& folder, Kind kind) : folder_(folder, O_DIRECTORY) {
  if (folder_.number() < 0)
    throw Error("cannot open " + folder.string() + ": " + std::strerror(errno));
  const int how = kind == Kind::kExclusive ? LOCK_EX : LOCK_SH;
  if (::flock(folder_.number(), how | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK) throw Error(folder.string() + " is in use by another sau");
  // Some network file systems do not lock folders.
  note({.kind = Note::Kind::kWarning,
        .text = "cannot lock " + folder.string() + ": " + std::strerror(errno) +
                "; make sure that no other sau writes to it"});
}

}  // namespace sau
