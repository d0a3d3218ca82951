#include "sau/run/results.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "run/cell_file.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/core/text.hpp"
#include "sau/core/time_text.hpp"
#include "sau/core/version.hpp"
#include "sau/kernel/instruction_set.hpp"
#include "sau/stats/summary.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "sau-run";
constexpr const char* kSettings = "run.json";
constexpr std::string_view kCells = "cells/";
constexpr const char* kTiming = "timing.csv";
constexpr const char* kSessions = "sessions.jsonl";
constexpr const char* kTimingHeader = "file,trial,seconds";

struct SettingsCell {
  Cell cell;
  std::string file;
};

struct Settings {
  std::uint64_t format_version = 0;
  std::string sau_version;
  std::uint64_t seed = 0;
  std::vector<SettingsCell> cells;
};

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

Settings read_settings(const fs::path& folder) {
  const fs::path path = folder / kSettings;
  if (!fs::exists(path)) {
    throw Error(folder.string() + " is not a sau result folder: it has no " + kSettings);
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
                    {}};
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

// Throws Error unless the folder is empty or holds results.
void check_ours(const fs::path& folder) {
  if (!fs::exists(folder / kSettings) && !fs::is_empty(folder)) {
    throw Error(folder.string() + " is not a sau result folder (it has no " +
                std::string(kSettings) + ") and is not empty; choose another --out");
  }
}

// Throws Error unless a run with this seed may add to the folder.
void check_settings(const fs::path& folder, const Settings& settings, std::uint64_t seed) {
  if (settings.seed != seed) {
    throw Error(folder.string() + " holds results of seed " + std::to_string(settings.seed) +
                ", not " + std::to_string(seed) + "; choose another --out");
  }
  if (settings.sau_version != version()) {
    throw Error(folder.string() + " was written by sau " + settings.sau_version + ", this is sau " +
                std::string(version()) + "; choose another --out");
  }
  if (settings.format_version != kFormatVersion) {
    throw Error(folder.string() + " has format version " + std::to_string(settings.format_version) +
                ", which this sau reads but does not add to: it writes version " +
                std::to_string(kFormatVersion) + "; choose another --out");
  }
}

// Throws Error when the cell's trials in the folder used different data.
void check_data(const fs::path& folder, const Cell& have, const Cell& wanted) {
  if (!have.other_data(wanted)) return;
  throw Error(folder.string() + ": the data of " + wanted.problem_spec +
              " have changed since its trials were played; choose another --out");
}

// The times of the trials of every cell file. Not vital: lines that cannot be read are skipped.
std::map<std::string, std::vector<double>> read_timing(const fs::path& folder) {
  std::map<std::string, std::vector<double>> timing;
  std::ifstream file(folder / kTiming);
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t first = line.find(','), last = line.rfind(',');
    if (first == std::string::npos || first == last) continue;
    const double seconds = std::strtod(line.c_str() + last + 1, nullptr);
    if (seconds > 0.0) timing[line.substr(0, first)].push_back(seconds);
  }
  return timing;
}

// Not vital either: skips lines that cannot be read.
std::vector<Session> read_sessions(const fs::path& folder) {
  std::vector<Session> sessions;
  std::ifstream file(folder / kSessions);
  std::string line;
  while (std::getline(file, line)) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    const auto text = [&](const char* name) {
      const auto found = json.find(name);
      return found != json.end() && found->is_string() ? found->get<std::string>() : "";
    };
    sessions.push_back({text("finished"), text("sau"), text("cpu"), text("kernel")});
  }
  return sessions;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

RunResults read_results(const fs::path& folder, Curves curves,
                        const std::function<void(CellResults&&)>& take) {
  const Settings settings = read_settings(folder);
  auto timing = read_timing(folder);
  for (const auto& [cell, file] : settings.cells) {
    CellResults read;
    read.cell = cell;
    read.points = curve_points(cell.steps);
    scan_cell(folder / file, read.points, settings.format_version, [&](TrialRecord&& record) {
      if (curves == Curves::kSkip) record.curve = {};
      read.trials.push_back(std::move(record));
    });
    const Summary seconds = summarise(timing[file]);
    read.seconds = seconds.mean;
    read.seconds_sem = seconds.sem;
    take(std::move(read));
  }
  return {settings.seed, {}, settings.sau_version, read_sessions(folder)};
}

RunResults read_results(const fs::path& folder, Curves curves) {
  std::vector<CellResults> cells;
  RunResults results =
      read_results(folder, curves, [&](CellResults&& cell) { cells.push_back(std::move(cell)); });
  results.cells = std::move(cells);
  return results;
}

RunResults preview_results(const fs::path& folder, const Experiment& experiment) {
  const std::uint64_t seed = experiment.seed;
  std::error_code code;
  if (!fs::exists(folder, code)) return {.seed = seed, .cells = {}};
  if (!fs::is_directory(folder, code)) {
    throw Error("cannot use " + folder.string() + ": it is not a folder");
  }
  try {
    check_ours(folder);
    if (!fs::exists(folder / kSettings)) return {.seed = seed, .cells = {}};
  } catch (const fs::filesystem_error& error) {
    throw Error("cannot use " + folder.string() + ": " + error.code().message());
  }
  check_settings(folder, read_settings(folder), seed);
  RunResults results = read_results(folder, Curves::kSkip);
  for (const Cell& cell : experiment.cells) {
    for (const CellResults& have : results.cells) {
      if (have.cell.same_as(cell) && !have.trials.empty()) check_data(folder, have.cell, cell);
    }
  }
  return results;
}

ResultFolder::ResultFolder(fs::path folder, const Experiment& experiment)
    : folder_(std::move(folder)), seed_(experiment.seed) {
  std::error_code code;
  fs::create_directories(folder_, code);
  if (code) throw Error("cannot create the folder " + folder_.string() + ": " + code.message());
  lock();
  try {
    remove_leftovers();
    check_ours(folder_);
    adopt(experiment);
  } catch (const fs::filesystem_error& error) {
    ::close(lock_);
    throw Error("cannot use " + folder_.string() + ": " + error.code().message());
  } catch (...) {
    ::close(lock_);
    throw;
  }
}

ResultFolder::~ResultFolder() { ::close(lock_); }

void ResultFolder::lock() {
  lock_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) throw Error("cannot open " + folder_.string() + ": " + std::strerror(errno));
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    throw Error(folder_.string() + " is in use by another sau");
  }
}

// Removes temporary settings files that a killed run left behind: run.json.tmp plus digits, beside
// run.json or alone in the folder. Other files stay.
void ResultFolder::remove_leftovers() const {
  const std::string prefix = std::string(kSettings) + ".tmp";
  std::vector<fs::path> leftovers;
  const bool ours = fs::exists(folder_ / kSettings);
  bool alone = true;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    const bool leftover = name.size() > prefix.size() && name.starts_with(prefix) &&
                          name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
    if (leftover) leftovers.push_back(entry.path());
    alone = alone && leftover;
  }
  if (!ours && !alone) return;
  for (const fs::path& path : leftovers) fs::remove(path);
}

void ResultFolder::adopt(const Experiment& experiment) {
  if (fs::exists(folder_ / kSettings)) {
    const Settings settings = read_settings(folder_);
    check_settings(folder_, settings, seed_);
    for (const auto& [cell, file] : settings.cells) {
      files_.push_back({.cell = cell, .name = file, .points = curve_points(cell.steps)});
    }
  }
  for (const Cell& cell : experiment.cells) {
    auto known = std::ranges::find_if(files_, [&](const File& f) { return f.cell.same_as(cell); });
    if (known == files_.end()) {
      const std::string stem = std::string(kCells) + slug(cell.problem) + "--" + slug(cell.agent);
      std::string name = stem + ".csv";
      const auto taken = [&] {
        return std::ranges::any_of(files_, [&](const File& f) { return f.name == name; });
      };
      for (int i = 2; taken(); ++i) name = stem + "-" + std::to_string(i) + ".csv";
      files_.push_back({.cell = cell, .name = name, .points = curve_points(cell.steps)});
      known = std::prev(files_.end());
    }
    known->cell.trials = std::max(known->cell.trials, cell.trials);
    // A name that was given now replaces an older one.
    if (cell.own_problem_name) known->cell.problem = cell.problem;
    if (cell.own_agent_name) known->cell.agent = cell.agent;
    place_.push_back(static_cast<std::size_t>(known - files_.begin()));
  }
  // Check everything before changing anything.
  std::vector<std::uintmax_t> whole;
  for (File& file : files_) {
    const CellScan scan =
        scan_cell(folder_ / file.name, file.points, kFormatVersion, [](TrialRecord&&) {});
    file.rows = scan.rows;
    whole.push_back(scan.good_bytes);
  }
  for (std::size_t i = 0; i < place_.size(); ++i) {
    File& file = files_[place_[i]];
    if (file.rows > 0) check_data(folder_, file.cell, experiment.cells[i]);
    if (!experiment.cells[i].data.empty()) file.cell.data = experiment.cells[i].data;
  }
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const fs::path path = folder_ / files_[i].name;
    if (fs::exists(path) && fs::file_size(path) > whole[i]) fs::resize_file(path, whole[i]);
  }
  write_settings();
}

void ResultFolder::write_settings() const {
  Json cells = Json::array();
  for (const File& file : files_) {
    cells.push_back({{"file", file.name},
                     {"problem", file.cell.problem},
                     {"agent", file.cell.agent},
                     {"problem_spec", file.cell.problem_spec},
                     {"agent_spec", file.cell.agent_spec},
                     {"steps", file.cell.steps},
                     {"trials", file.cell.trials}});
    if (!file.cell.data.empty()) cells.back()["data"] = file.cell.data;
  }
  const Json json = {{"format", kFormat},
                     {"version", kFormatVersion},
                     {"sau", version()},
                     {"seed", seed_},
                     {"cells", std::move(cells)}};
  // Settings first: a folder without them does not count as ours.
  write_file(folder_ / kSettings, json.dump(2) + "\n");
  std::error_code code;
  fs::create_directories(folder_ / "cells", code);
  if (code) throw Error("cannot create " + (folder_ / "cells").string() + ": " + code.message());
}

void ResultFolder::append(std::size_t cell, const TrialRecord& record, double seconds) {
  File& file = files_[place_[cell]];
  append_line(folder_ / file.name, cell_header(file.points),
              cell_row(file.rows, record, file.points));
  const std::uint64_t trial = file.rows++;
  append_line(folder_ / kTiming, kTimingHeader,
              file.name + "," + std::to_string(trial) + "," + format_number(seconds));
}

void ResultFolder::note_session(unsigned threads, std::uint64_t new_trials) const {
  const Json session = {{"finished", write_time_in_seconds(milliseconds_now())},
                        {"sau", version()},
                        {"commit", commit()},
                        {"compiler", compiler()},
                        {"cpu", processor_name()},
                        {"kernel", instruction_set_name(instruction_set())},
                        {"threads", threads},
                        {"new_trials", new_trials}};
  append_line(folder_ / kSessions, "", session.dump());
}

}  // namespace sau
