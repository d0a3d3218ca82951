#include "sau/run/results.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "run/cell_file.hpp"
#include "run/settings_file.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "sau/core/time_text.hpp"
#include "sau/core/version.hpp"
#include "sau/kernel/instruction_set.hpp"
#include "sau/stats/summary.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Throws Error unless the folder is empty or holds results.
void check_ours(const fs::path& folder) {
  if (is_result_folder(folder)) return;
  throw Error(folder.string() + " is not a sau result folder (it has no " + kSettingsFile +
              ") and is not empty; choose another --out");
}

std::string shard_name(const Shard& shard) {
  return shard.whole() ? "a whole run" : "shard " + shard.text();
}

// Throws Error unless a run of the experiment may add to the folder.
void check_settings(const fs::path& folder, const Settings& settings,
                    const Experiment& experiment) {
  std::string why = settings.mismatch(experiment.seed);
  const Shard &have = settings.shard, &wanted = experiment.shard;
  if (why.empty() && (have.number != wanted.number || have.of != wanted.of)) {
    why = "holds " + shard_name(have) + ", not " + shard_name(wanted);
  }
  if (!why.empty()) throw Error(folder.string() + " " + why + "; choose another --out");
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
  std::ifstream file(folder / kTimingFile);
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
  std::ifstream file(folder / kSessionsFile);
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

// Passes every cell to `take`. For a shard: with the trials that it has.
RunResults read_cells(const fs::path& folder, const Settings& settings, Curves curves,
                      const std::function<void(CellResults&&)>& take) {
  auto timing = read_timing(folder);
  for (const auto& [cell, file] : settings.cells) {
    CellResults read;
    read.cell = cell;
    read.points = curve_points(cell.steps);
    const auto keep = [&](std::uint64_t, TrialRecord&& record) {
      if (curves == Curves::kSkip) record.curve = {};
      read.trials.push_back(std::move(record));
    };
    scan_cell(folder / file, read.points, settings.format_version, settings.shard.slice(cell),
              keep);
    const Summary seconds = summarise(timing[file]);
    read.seconds = seconds.mean;
    read.seconds_sem = seconds.sem;
    take(std::move(read));
  }
  return {settings.seed, {}, settings.sau_version, read_sessions(folder)};
}

}  // namespace

RunResults read_results(const fs::path& folder, Curves curves,
                        const std::function<void(CellResults&&)>& take) {
  const Settings settings = read_settings(folder);
  if (!settings.shard.whole()) {
    throw Error(folder.string() + " holds shard " + settings.shard.text() +
                " of a run, which is not all of it: join the shards with sau merge");
  }
  return read_cells(folder, settings, curves, take);
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
    if (!fs::exists(folder / kSettingsFile)) return {.seed = seed, .cells = {}};
  } catch (const fs::filesystem_error& error) {
    throw Error("cannot use " + folder.string() + ": " + error.code().message());
  }
  const Settings settings = read_settings(folder);
  check_settings(folder, settings, experiment);
  std::vector<CellResults> cells;
  RunResults results = read_cells(folder, settings, Curves::kSkip,
                                  [&](CellResults&& cell) { cells.push_back(std::move(cell)); });
  results.cells = std::move(cells);
  for (const Cell& cell : experiment.cells) {
    for (const CellResults& have : results.cells) {
      if (have.cell.same_as(cell) && !have.trials.empty()) check_data(folder, have.cell, cell);
    }
  }
  return results;
}

ResultFolder::ResultFolder(fs::path folder, const Experiment& experiment)
    : folder_(std::move(folder)), seed_(experiment.seed), shard_(experiment.shard) {
  std::error_code code;
  fs::create_directories(folder_, code);
  if (code) throw Error("cannot create the folder " + folder_.string() + ": " + code.message());
  lock_ = std::make_unique<FolderLock>(folder_, FolderLock::Kind::kExclusive);
  try {
    remove_leftovers(folder_);
    check_ours(folder_);
    adopt(experiment);
  } catch (const fs::filesystem_error& error) {
    throw Error("cannot use " + folder_.string() + ": " + error.code().message());
  }
}

ResultFolder::~ResultFolder() = default;

void ResultFolder::adopt(const Experiment& experiment) {
  if (fs::exists(folder_ / kSettingsFile)) {
    const Settings settings = read_settings(folder_);
    check_settings(folder_, settings, experiment);
    shard_.tables = shard_.tables || settings.shard.tables;
    for (const auto& [cell, file] : settings.cells) {
      files_.push_back({.cell = cell, .name = file, .points = curve_points(cell.steps)});
    }
  }
  for (const Cell& cell : experiment.cells) {
    auto known = std::ranges::find_if(files_, [&](const File& f) { return f.cell.same_as(cell); });
    if (known == files_.end()) {
      std::vector<std::string> taken;
      for (const File& file : files_) taken.push_back(file.name);
      const std::string name = name_cell_file(cell, taken);
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
    const CellScan scan = scan_cell(folder_ / file.name, file.points, kFormatVersion,
                                    shard_.slice(file.cell), [](std::uint64_t, TrialRecord&&) {});
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
  std::vector<SettingsCell> cells;
  for (const File& file : files_) cells.push_back({file.cell, file.name});
  write_settings(folder_, seed_, shard_, cells);
}

void ResultFolder::append(std::size_t cell, const TrialRecord& record, double seconds) {
  File& file = files_[place_[cell]];
  const std::uint64_t trial = shard_.slice(file.cell).trial(file.rows);
  append_line(folder_ / file.name, cell_header(file.points), cell_row(trial, record, file.points));
  ++file.rows;
  append_line(folder_ / kTimingFile, kTimingHeader,
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
  append_line(folder_ / kSessionsFile, "", session.dump());
}

}  // namespace sau
