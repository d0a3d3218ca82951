#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "flags.hpp"
#include "sau/catalog/snapshot.hpp"
#include "sau/core/error.hpp"
#include "sau/report/summary.hpp"
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

int inspect_file(const std::filesystem::path& path, bool json) {
  const AgentFileInfo info = inspect_agent(path);
  if (json) {
    auto fields = nlohmann::ordered_json::array();
    for (const FieldSize& field : info.fields) {
      fields.push_back({{"name", field.name}, {"bytes", field.bytes}});
    }
    const nlohmann::ordered_json object = {{"format_version", info.format_version},
                                           {"sau", info.sau_version},
                                           {"agent", info.agent},
                                           {"actions", info.shape.actions},
                                           {"dim", info.shape.dim},
                                           {"state_bytes", info.state_bytes},
                                           {"fields", std::move(fields)}};
    std::fputs((object.dump(2) + "\n").c_str(), stdout);
  } else {
    fmt::print(
        "{}: an agent file, format {}, written by sau {}\n  agent    {}\n  actions  {}\n"
        "  dim      {}\n  state    {} bytes, checksum good\n",
        path.string(), info.format_version, info.sau_version, info.agent, info.shape.actions,
        info.shape.dim, info.state_bytes);
    for (const FieldSize& field : info.fields) {
      fmt::print("    {:<16} {:>12} bytes\n", field.name, field.bytes);
    }
  }
  return 0;
}

}  // namespace

Deed describe_inspect(CLI::App& app) {
  app.description("Shows what a result folder or an agent file holds, and whether it is whole.");
  app.footer(
      "Examples:\n"
      "  sau inspect results/paper\n"
      "  sau inspect my.agent --json");
  const auto flags = add_flags<InspectFlags>(app);
  const auto path = std::make_shared<std::string>();
  app.add_option("path", *path, "a result folder or an agent file")->required();
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
