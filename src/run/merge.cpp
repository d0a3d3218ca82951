#include "sau/run/merge.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "run/cell_file.hpp"
#include "run/settings_file.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;

struct Source {
  fs::path folder;
  FolderLock lock;
  Settings settings;
};

const SettingsCell* find_cell(const Settings& settings, const Cell& cell) {
  const auto found = std::ranges::find_if(
      settings.cells, [&](const SettingsCell& have) { return have.cell.same_as(cell); });
  return found == settings.cells.end() ? nullptr : &*found;
}

std::string name_of(const Cell& cell) {
  return cell.problem_spec + " with " + cell.agent_spec + ", " + std::to_string(cell.steps) +
         " steps";
}

// Throws Error unless both folders come from the same experiment.
void check_same(const Source& first, const Source& other) {
  const std::string one = first.folder.string(), two = other.folder.string();
  for (const auto& [cell, file] : first.settings.cells) {
    const SettingsCell* found = find_cell(other.settings, cell);
    if (found == nullptr)
      throw Error(two + " does not have the cell " + name_of(cell) + " of " + one);
    if (found->cell.other_data(cell)) {
      throw Error(two + ": the data of " + cell.problem_spec + " are not those of " + one);
    }
  }
  for (const auto& [cell, file] : other.settings.cells) {
    if (find_cell(first.settings, cell) == nullptr) {
      throw Error(two + " has the cell " + name_of(cell) + ", which " + one + " does not have");
    }
  }
}

std::vector<Source> open_sources(std::span<const fs::path> folders) {
  std::vector<Source> sources;
  for (const fs::path& folder : folders) {
    if (!fs::is_directory(folder)) throw Error("there is no folder " + folder.string());
    FolderLock lock(folder, FolderLock::Kind::kShared);
    sources.push_back({folder, std::move(lock), read_settings(folder)});
    const Source& first = sources.front();
    const std::string why = sources.back().settings.mismatch(first.settings.seed);
    if (!why.empty()) throw Error(folder.string() + " " + why);
    check_same(first, sources.back());
  }
  return sources;
}

// The cells of the first folder, with the most trials that any of them asks for.
std::vector<SettingsCell> join_cells(const std::vector<Source>& sources) {
  std::vector<SettingsCell> cells = sources.front().settings.cells;
  for (auto& [cell, file] : cells) {
    for (const Source& source : sources) {
      const Cell& other = find_cell(source.settings, cell)->cell;
      cell.trials = std::max(cell.trials, other.trials);
      if (cell.data.empty()) cell.data = other.data;
    }
  }
  return cells;
}

// The rows of a cell by trial.
struct Rows {
  struct Row {
    std::string text;
    bool failed = false;
    const fs::path* folder = nullptr;
  };
  std::map<std::uint64_t, Row> by_trial;

  // How many there are before the first gap.
  std::uint64_t without_gap() const {
    std::uint64_t count = 0;
    for (const auto& [trial, row] : by_trial) {
      if (trial != count) break;
      ++count;
    }
    return count;
  }
};

Rows read_rows(const Cell& cell, const std::vector<Source>& sources) {
  Rows rows;
  const auto points = curve_points(cell.steps);
  for (const Source& source : sources) {
    const fs::path path = source.folder / find_cell(source.settings, cell)->file;
    const auto take = [&](std::uint64_t trial, TrialRecord&& record) {
      std::string text = cell_row(trial, record, points);
      const auto [place, fresh] = rows.by_trial.try_emplace(
          trial, Rows::Row{std::move(text), record.failed(), &source.folder});
      if (!fresh && place->second.text != cell_row(trial, record, points)) {
        throw Error("trial " + std::to_string(trial) + " of " + name_of(cell) + " differs in " +
                    place->second.folder->string() + " and " + source.folder.string());
      }
    };
    scan_cell(path, points, kFormatVersion, source.settings.shard.slice(cell), take);
  }
  return rows;
}

void count(const Cell& cell, const Rows& rows, MergeOutcome& outcome) {
  const std::uint64_t present = rows.by_trial.size(), kept = rows.without_gap();
  ++outcome.cells;
  outcome.trials += kept;
  outcome.left_out += present - kept;
  for (const auto& [trial, row] : rows.by_trial) {
    if (trial < kept && row.failed) ++outcome.failed;
  }
  const std::uint64_t missing = cell.trials > present ? cell.trials - present : 0;
  outcome.missing += missing;
  if (missing > 0) {
    outcome.gaps.push_back(cell.problem + " with " + cell.agent + " lacks " +
                           std::to_string(missing) + " of " + std::to_string(cell.trials) +
                           " trials, the first is trial " + std::to_string(kept));
  }
}

// "shards 2/4, 3/4 are not among the folders"; empty if all are there, or if they are not shards.
std::string absent_shards(const std::vector<Source>& sources) {
  const std::uint64_t of = sources.front().settings.shard.of;
  std::set<std::uint64_t> given;
  for (const Source& source : sources) {
    if (source.settings.shard.of != of) return "";
    given.insert(source.settings.shard.number);
  }
  constexpr std::size_t kMostNames = 10;
  std::string names;
  std::size_t absent = 0;
  for (std::uint64_t number = 1; number <= of; ++number) {
    if (given.contains(number) || ++absent > kMostNames) continue;
    names += (names.empty() ? "" : ", ") + Shard{.number = number, .of = of}.text();
  }
  if (absent > kMostNames) names += " and " + std::to_string(absent - kMostNames) + " more";
  if (absent == 0) return "";
  return (absent == 1 ? "shard " : "shards ") + names + (absent == 1 ? " is" : " are") +
         " not among the folders; ";
}

[[noreturn]] void refuse_gaps(const fs::path& out, const std::vector<Source>& sources,
                              const MergeOutcome& outcome) {
  throw Error(
      std::to_string(outcome.missing) + (outcome.missing == 1 ? " trial is" : " trials are") +
      " missing: " + absent_shards(sources) + outcome.gaps.front() +
      (outcome.gaps.size() > 1 ? ", and so on in " + std::to_string(outcome.gaps.size()) + " cells"
                               : "") +
      "; " + out.string() + " is not written; play them first, or see --partial");
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line) && !file.eof();) lines.push_back(line);
  return lines;
}

// Times and sessions are measurements: what cannot be read is left out, as in read_results().
void write_measurements(const fs::path& target, const std::vector<SettingsCell>& cells,
                        const std::map<std::string, std::uint64_t>& kept,
                        const std::vector<Source>& sources) {
  std::string timing = std::string(kTimingHeader) + "\n", sessions;
  std::set<std::pair<std::string, std::uint64_t>> timed;
  std::set<std::string> told;
  for (const Source& source : sources) {
    std::map<std::string, std::string> new_name;
    for (const auto& [cell, file] : cells) {
      new_name[find_cell(source.settings, cell)->file] = file;
    }
    for (const std::string& line : lines_of(source.folder / kTimingFile)) {
      const std::size_t first = line.find(','), last = line.rfind(',');
      if (first == std::string::npos || first == last) continue;
      const auto file = new_name.find(line.substr(0, first));
      const std::uint64_t trial = std::strtoull(line.c_str() + first + 1, nullptr, 10);
      if (file == new_name.end() || trial >= kept.at(file->second)) continue;
      if (timed.emplace(file->second, trial).second) {
        timing += file->second + line.substr(first) + "\n";
      }
    }
    for (const std::string& line : lines_of(source.folder / kSessionsFile)) {
      if (told.insert(line).second) sessions += line + "\n";
    }
  }
  if (!timed.empty()) write_file(target / kTimingFile, timing);
  if (!sessions.empty()) write_file(target / kSessionsFile, sessions);
}

bool is_table(const std::string& name) { return name.starts_with("tables."); }

// The files that are not trials, by name. Throws Error if two differ.
std::map<std::string, fs::path> other_files(const std::vector<Source>& sources) {
  std::map<std::string, fs::path> files;
  for (const Source& source : sources) {
    for (const auto& entry : fs::recursive_directory_iterator(source.folder)) {
      const std::string name = fs::relative(entry.path(), source.folder).string();
      if (!entry.is_regular_file() || name.starts_with("cells/") || is_table(name) ||
          name.starts_with(kSettingsFile) || name == kTimingFile || name == kSessionsFile) {
        continue;
      }
      const auto [place, fresh] = files.try_emplace(name, entry.path());
      if (!fresh && read_file(place->second) != read_file(entry.path())) {
        throw Error(place->second.string() + " and " + entry.path().string() + " differ");
      }
    }
  }
  return files;
}

bool wants_tables(const std::vector<Source>& sources) {
  return std::ranges::any_of(sources, [](const Source& source) {
    return source.settings.shard.tables || fs::exists(source.folder / "tables.txt");
  });
}

// An empty folder in place of one that a killed merge may have left.
void make_empty(const fs::path& folder) {
  if (fs::exists(folder)) {
    const FolderLock lock(folder, FolderLock::Kind::kExclusive);
    remove_leftovers(folder);
    if (!is_result_folder(folder)) {
      throw Error(folder.string() + " is in the way: it is not empty and not from a sau merge");
    }
    fs::remove_all(folder);
  }
  fs::create_directories(folder);
}

MergeOutcome merge(const fs::path& out, std::span<const fs::path> folders,
                   const MergeOptions& options) {
  if (fs::exists(fs::symlink_status(out))) {
    throw Error(out.string() + " exists already; choose another name for the joined folder");
  }
  const std::vector<Source> sources = open_sources(folders);
  const std::vector<SettingsCell> cells = join_cells(sources);
  const auto others = other_files(sources);
  // Look at everything before writing anything; only one cell is in memory at a time.
  MergeOutcome outcome;
  for (const auto& [cell, file] : cells) count(cell, read_rows(cell, sources), outcome);
  if (outcome.missing > 0 && !options.partial) refuse_gaps(out, sources, outcome);

  fs::path target = out;
  if (!target.has_filename()) target = target.parent_path();  // of a name that ends with a slash
  const fs::path building = target.string() + ".merging";
  make_empty(building);
  {
    const FolderLock lock(building, FolderLock::Kind::kExclusive);
    write_settings(building, sources.front().settings.seed, {}, cells);
    std::map<std::string, std::uint64_t> kept;
    for (const auto& [cell, file] : cells) {
      const Rows rows = read_rows(cell, sources);
      kept[file] = rows.without_gap();
      if (kept[file] == 0) continue;
      std::string text = cell_header(curve_points(cell.steps)) + "\n";
      for (const auto& [trial, row] : rows.by_trial) {
        if (trial < kept[file]) text += row.text + "\n";
      }
      write_file(building / file, text);
    }
    write_measurements(building, cells, kept, sources);
    for (const auto& [name, path] : others) {
      fs::create_directories((building / name).parent_path());
      write_file(building / name, read_file(path));
    }
    if (options.write_tables && wants_tables(sources)) options.write_tables(building);
    sync_folder(building);
    fs::rename(building, target);
  }
  sync_folder(target.parent_path());
  return outcome;
}

}  // namespace

MergeOutcome merge_results(const fs::path& out, std::span<const fs::path> folders,
                           const MergeOptions& options) {
  if (folders.empty()) throw UsageError("merge: no folder to join is given");
  try {
    return merge(out, folders, options);
  } catch (const fs::filesystem_error& error) {
    throw Error("cannot merge " + error.path1().string() + ": " + error.code().message());
  }
}

}  // namespace sau
