#include "serve/versions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/serve/service.hpp"
#include "serve/settings.hpp"
#include "serve/waited.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;
using VersionJson = nlohmann::ordered_json;

fs::path versions_folder(const fs::path& folder) { return folder / "versions"; }
fs::path version_file(const fs::path& folder, Sequence version, const char* extension) {
  return versions_folder(folder) / fmt::format("{}{}", version, extension);
}

VersionJson json_of(const ModelVersion& version) {
  return {{"version", version.version},       {"agent", version.agent},
          {"eventsLearned", version.learned}, {"time", write_time(version.time)},
          {"bytes", version.bytes},           {"checksum", version.checksum}};
}

}  // namespace

std::vector<ModelVersion> model_versions(const fs::path& folder) {
  detail::read_folder(folder);
  return detail::kept_versions(folder);
}

namespace detail {

std::vector<ModelVersion> kept_versions(const fs::path& folder) {
  std::vector<ModelVersion> found;
  if (!fs::exists(versions_folder(folder))) return found;
  for (const auto& entry : fs::directory_iterator(versions_folder(folder))) {
    if (entry.path().extension() != ".json") continue;
    try {
      const auto json = nlohmann::json::parse(read_file(entry.path()));
      ModelVersion version{.version = json.at("version"),
                           .agent = json.at("agent"),
                           .learned = json.at("eventsLearned"),
                           .time = parse_time(json.at("time").get<std::string>()).value_or(0),
                           .bytes = json.at("bytes"),
                           .checksum = json.at("checksum")};
      if (fs::exists(version_file(folder, version.version, ".sau"))) found.push_back(version);
    } catch (const nlohmann::json::exception&) {
      throw Error(entry.path().string() + ": damaged: it does not describe a model");
    } catch (const Error&) {  // removed at this moment, to make room for a newer one
      if (fs::exists(entry.path())) throw;
    }
  }
  std::ranges::sort(found, std::ranges::greater(), &ModelVersion::version);
  return found;
}

void keep_version(const fs::path& folder, const ModelVersion& version, std::string_view model,
                  std::size_t most) {
  if (most == 0) return;
  fs::create_directories(versions_folder(folder));
  write_file(version_file(folder, version.version, ".sau"), model);
  write_file(version_file(folder, version.version, ".json"), json_of(version).dump());
  const auto kept = kept_versions(folder);
  for (std::size_t i = most; i < kept.size(); ++i) {
    fs::remove(version_file(folder, kept[i].version, ".json"));
    fs::remove(version_file(folder, kept[i].version, ".sau"));
  }
}

std::string read_version(const fs::path& folder, Sequence version) {
  const auto known = kept_versions(folder);
  if (std::ranges::find(known, version, &ModelVersion::version) != known.end()) {
    return read_file(version_file(folder, version, ".sau"));
  }
  if (known.empty())
    throw Error(fmt::format("there is no version {}: no earlier model is kept", version));
  std::vector<Sequence> numbers;
  numbers.reserve(known.size());
  for (const ModelVersion& each : known) numbers.push_back(each.version);
  throw Error(
      fmt::format("there is no version {}; there are {}", version, fmt::join(numbers, ", ")));
}

std::string to_json(const std::vector<ModelVersion>& versions) {
  VersionJson list = VersionJson::array();
  for (const ModelVersion& version : versions) list.push_back(json_of(version));
  return list.dump();
}

}  // namespace detail

std::string roll_back(const fs::path& folder, Sequence version,
                      const std::function<void(const std::string&)>& note) {
  detail::read_folder(folder);
  detail::refuse_trainer(folder);
  Service service({.folder = folder, .note = note});
  const Status status =
      detail::waited<Done>([&](Answer<Done> done) { service.roll_back(version, std::move(done)); });
  if (!status.ok()) throw Error(status.failure().message);
  service.settle();
  service.stop();
  return service.model_properties();
}

}  // namespace sau
