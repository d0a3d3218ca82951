#include "sau/run/results.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "run/cell_file.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/core/text.hpp"
#include "sau/core/version.hpp"
#include "sau/kernel/instruction_set.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "sau-run";
constexpr std::uint64_t kFormatVersion = 1;
constexpr const char* kSettings = "run.json";
constexpr const char* kTiming = "timing.csv";
constexpr const char* kTimingHeader = "file,trial,seconds";

struct SettingsCell {
  Cell cell;
  std::string file;
};

struct Settings {
  std::string sau_version;
  std::uint64_t seed = 0;
  std::vector<SettingsCell> cells;
};

Settings read_settings(const fs::path& folder) {
  const fs::path path = folder / kSettings;
  if (!fs::exists(path)) {
    throw Error(folder.string() + " is not a sau result folder: it has no " + kSettings);
  }
  const auto json = nlohmann::json::parse(read_file(path), nullptr, false);
  if (json.is_discarded()) throw Error(path.string() + ": is damaged: it is not JSON");
  try {
    if (json.at("format") != kFormat) {
      throw Error(path.string() + ": is not a sau result folder's: format is " +
                  json.at("format").dump());
    }
    const auto version = json.at("version").get<std::uint64_t>();
    if (version > kFormatVersion) {
      throw Error(path.string() + ": has format version " + std::to_string(version) +
                  "; this sau reads up to version " + std::to_string(kFormatVersion));
    }
    Settings settings{json.at("sau").get<std::string>(), json.at("seed").get<std::uint64_t>(), {}};
    for (const auto& cell : json.at("cells")) {
      settings.cells.push_back({{.problem = cell.at("problem").get<std::string>(),
                                 .agent = cell.at("agent").get<std::string>(),
                                 .problem_spec = cell.at("problem_spec").get<std::string>(),
                                 .agent_spec = cell.at("agent_spec").get<std::string>(),
                                 .steps = cell.at("steps").get<std::uint64_t>(),
                                 .trials = cell.at("trials").get<std::uint64_t>()},
                                cell.at("file").get<std::string>()});
    }
    return settings;
  } catch (const nlohmann::json::exception& error) {
    throw Error(path.string() + ": is damaged: " + error.what());
  }
}

// Sum and number of the seconds of every cell file. Not vital: what cannot be read is passed over.
std::map<std::string, std::pair<double, double>> read_timing(const fs::path& folder) {
  std::map<std::string, std::pair<double, double>> timing;
  std::ifstream file(folder / kTiming);
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t first = line.find(','), last = line.rfind(',');
    if (first == std::string::npos || first == last) continue;
    const double seconds = std::strtod(line.c_str() + last + 1, nullptr);
    auto& [sum, count] = timing[line.substr(0, first)];
    if (seconds > 0.0) sum += seconds, count += 1.0;
  }
  return timing;
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

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace

RunResults read_results(const fs::path& folder, Curves curves) {
  const Settings settings = read_settings(folder);
  auto timing = read_timing(folder);
  RunResults results{settings.seed, {}};
  for (const auto& [cell, file] : settings.cells) {
    CellResults& read = results.cells.emplace_back();
    read.cell = cell;
    read.points = curve_points(cell.steps);
    scan_cell(folder / file, read.points, [&](TrialRecord&& record) {
      if (curves == Curves::kSkip) record.curve = {};
      read.trials.push_back(std::move(record));
    });
    const auto [sum, count] = timing[file];
    if (count > 0.0) read.seconds = sum / count;
  }
  return results;
}

ResultFolder::ResultFolder(fs::path folder, const Experiment& experiment)
    : folder_(std::move(folder)), seed_(experiment.seed) {
  std::error_code code;
  fs::create_directories(folder_, code);
  if (code) throw Error("cannot create the folder " + folder_.string() + ": " + code.message());
  if (!fs::exists(folder_ / kSettings) && !fs::is_empty(folder_, code)) {
    throw Error(folder_.string() + " is not a sau result folder (it has no " +
                std::string(kSettings) + ") and is not empty; choose another --out");
  }
  lock();
  try {
    adopt(experiment);
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

void ResultFolder::adopt(const Experiment& experiment) {
  if (fs::exists(folder_ / kSettings)) {
    const Settings settings = read_settings(folder_);
    if (settings.seed != seed_) {
      throw Error(folder_.string() + " holds results of seed " + std::to_string(settings.seed) +
                  ", not " + std::to_string(seed_) + "; choose another --out");
    }
    if (settings.sau_version != version()) {
      throw Error(folder_.string() + " was written by sau " + settings.sau_version +
                  ", this is sau " + std::string(version()) + "; choose another --out");
    }
    for (const auto& [cell, file] : settings.cells) {
      files_.push_back({.cell = cell, .name = file, .points = curve_points(cell.steps)});
    }
  }
  for (const Cell& cell : experiment.cells) {
    auto known = std::ranges::find_if(files_, [&](const File& f) { return f.cell.same_as(cell); });
    if (known == files_.end()) {
      const std::string stem = "cells/" + slug(cell.problem) + "--" + slug(cell.agent);
      std::string name = stem + ".csv";
      const auto taken = [&] {
        return std::ranges::any_of(files_, [&](const File& f) { return f.name == name; });
      };
      for (int i = 2; taken(); ++i) name = stem + "-" + std::to_string(i) + ".csv";
      files_.push_back({.cell = cell, .name = name, .points = curve_points(cell.steps)});
      known = std::prev(files_.end());
    }
    known->cell.trials = std::max(known->cell.trials, cell.trials);
    place_.push_back(static_cast<std::size_t>(known - files_.begin()));
  }
  for (File& file : files_) {
    const fs::path path = folder_ / file.name;
    const CellScan scan = scan_cell(path, file.points, [](TrialRecord&&) {});
    file.rows = scan.rows;
    if (fs::exists(path) && fs::file_size(path) > scan.good_bytes) {
      fs::resize_file(path, scan.good_bytes);
    }
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
  }
  const Json json = {{"format", kFormat},
                     {"version", kFormatVersion},
                     {"sau", version()},
                     {"seed", seed_},
                     {"cells", std::move(cells)}};
  // First the settings: a folder without them is taken for somebody else's.
  write_file(folder_ / kSettings, json.dump(2) + "\n");
  std::error_code code;
  fs::create_directories(folder_ / "cells", code);
  if (code) throw Error("cannot create " + (folder_ / "cells").string() + ": " + code.message());
}

void ResultFolder::append(std::size_t cell, const TrialRecord& record, double seconds) {
  File& file = files_[place_[cell]];
  append_line(folder_ / file.name, cell_header(file.points), cell_row(file.rows, record));
  const std::uint64_t trial = file.rows++;
  append_line(folder_ / kTiming, kTimingHeader,
              file.name + "," + std::to_string(trial) + "," + format_number(seconds));
}

void ResultFolder::note_session(unsigned threads, std::uint64_t new_trials) const {
  const Json session = {
      {"finished", now_utc()},   {"sau", version()},
      {"commit", commit()},      {"compiler", compiler()},
      {"cpu", processor_name()}, {"kernel", instruction_set_name(instruction_set())},
      {"threads", threads},      {"new_trials", new_trials}};
  append_line(folder_ / "sessions.jsonl", "", session.dump());
}

}  // namespace sau
