#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "flags.hpp"
#include "sau/core/container.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/report/cell_summary.hpp"
#include "sau/run/results.hpp"

namespace sau::cli {
namespace {

struct InspectFlags {
  bool json = false;
  void fields(auto&& field) { field("json", json, "print it as JSON"); }
};

int inspect_folder(const std::filesystem::path& path, bool json) {
  const RunResults results = read_results(path, Curves::kSkip);
  std::vector<Cell> cells;
  std::uint64_t wanted = 0, present = 0;
  for (const CellResults& cell : results.cells) {
    cells.push_back(cell.cell);
    wanted += cell.cell.trials;
    present += cell.trials.size();
  }
  const auto summaries = summarise(results, cells);
  if (json) {
    std::fputs(summary_json(summaries).c_str(), stdout);
  } else {
    fmt::print("{}: a result folder, seed {}, {} of {} trials\n\n{}", path.string(), results.seed,
               present, wanted, summary_table(summaries));
    const auto failures = failure_lines(summaries);
    if (!failures.empty()) fmt::print("\n");
    for (const std::string& line : failures) fmt::print("{}\n", line);
  }
  return 0;
}

std::vector<FieldSize> fields_of(const Container& file) {
  std::vector<FieldSize> fields;
  if (file.kind.name == kTableFile.name) return fields;  // tables have no fields
  file.read_state([&](StateReader& reader) {
    while (reader.left() > 0) fields.push_back(reader.skip());
  });
  return fields;
}

int inspect_file(const std::filesystem::path& path, bool json) {
  const std::string bytes = read_file(path);
  const Container file = open_container(bytes, path.string());
  const auto fields = fields_of(file);
  const auto header = nlohmann::ordered_json::parse(file.header, nullptr, false);
  if (!header.is_object()) throw Error(file.name + ": is damaged: its header cannot be read");
  if (json) {
    nlohmann::ordered_json object = {{"kind", file.kind.name}, {"format_version", file.version}};
    object.update(header);
    object["state_bytes"] = file.payload.size();
    object["fields"] = nlohmann::ordered_json::array();
    for (const FieldSize& field : fields) {
      object["fields"].push_back({{"name", field.name}, {"bytes", field.bytes}});
    }
    std::fputs((object.dump(2) + "\n").c_str(), stdout);
  } else {
    fmt::print("{}: {} file, format version {}, checksum good\n", path.string(), file.kind.name,
               file.version);
    for (const auto& [key, value] : header.items()) {
      fmt::print("  {:<8}  {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    }
    fmt::print("  {:<8}  {} bytes\n", "state", file.payload.size());
    for (const FieldSize& field : fields) {
      fmt::print("    {:<16} {:>12} bytes\n", field.name, field.bytes);
    }
  }
  return 0;
}

}  // namespace

Handler describe_inspect(CLI::App& app) {
  app.description(
      "Shows what a result folder, an agent file or a model file holds, and whether it is intact.");
  app.footer(
      "Examples:\n"
      "  sau inspect results/paper\n"
      "  sau inspect my.agent --json\n"
      "  sau inspect service/model.sau");
  const auto flags = add_flags<InspectFlags>(app);
  const auto path = std::make_shared<std::string>();
  app.add_option("path", *path, "a result folder, an agent file or a model file of sau serve")
      ->required();
  return [flags, path] {
    if (!std::filesystem::exists(*path)) throw Error(*path + " does not exist");
    if (!std::filesystem::is_directory(*path) && !std::filesystem::is_regular_file(*path)) {
      throw Error(*path + " is neither a folder nor a regular file");
    }
    return std::filesystem::is_directory(*path) ? inspect_folder(*path, flags->json)
                                                : inspect_file(*path, flags->json);
  };
}

}  // namespace sau::cli
