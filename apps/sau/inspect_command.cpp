#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "commands.hpp"
#include "flags.hpp"
#include "knowledge_text.hpp"
#include "sau/catalog/snapshot.hpp"
#include "sau/core/container.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/report/cell_summary.hpp"
#include "sau/run/results.hpp"
#include "sau/serve/stored_model.hpp"

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

// What the agent in the file knows; nothing for tables, which hold none.
std::optional<Knowledge> knowledge_in(const std::filesystem::path& path, const Container& file) {
  constexpr std::size_t kMostActions = 1000;
  if (file.kind.name == kModelFile.name) {
    return knowledge_of(*read_stored_model(path).agent, kMostActions);
  }
  if (file.kind.name != kAgentFile.name) return std::nullopt;
  const auto saved = load_any_agent(path);
  if (const auto* offers = std::get_if<SavedOfferAgent>(&saved)) {
    return knowledge_of(*offers->agent, kMostActions);
  }
  return knowledge_of(*std::get<SavedAgent>(saved).agent);
}

int inspect_file(const std::filesystem::path& path, bool json) {
  const std::string bytes = read_file(path);
  const Container file = open_container(bytes, path.string());
  const auto header = nlohmann::ordered_json::parse(file.header, nullptr, false);
  if (!header.is_object()) throw Error(file.name + ": is damaged: its header cannot be read");
  const auto knowledge = knowledge_in(path, file);
  if (json) {
    nlohmann::ordered_json object = {{"kind", file.kind.name}, {"format_version", file.version}};
    object.update(header);
    object["state_bytes"] = file.payload.size();
    if (knowledge) object.update(knowledge_json(*knowledge));
    std::fputs((object.dump(2) + "\n").c_str(), stdout);
  } else {
    fmt::print("{}: {} file, format version {}, checksum good\n", path.string(), file.kind.name,
               file.version);
    for (const auto& [key, value] : header.items()) {
      fmt::print("  {:<8}  {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    }
    fmt::print("  {:<8}  {} bytes\n", "state", file.payload.size());
    if (knowledge) std::fputs(knowledge_text(*knowledge).c_str(), stdout);
  }
  return 0;
}

}  // namespace

Handler describe_inspect(CLI::App& app) {
  app.description(
      "Shows what a result folder holds, or what an agent knows: how often it learned from every\n"
      "action, S2 and spread, coefficients, and norms of all it has learned. The agent may be in "
      "an\n"
      "agent file, in a model file, or in the folder of a service. Says if the file is damaged.");
  app.footer(
      "Examples:\n"
      "  sau inspect results/paper\n"
      "  sau inspect my.agent --json\n"
      "  sau inspect my-service");
  const auto flags = add_flags<InspectFlags>(app);
  const auto path = std::make_shared<std::string>();
  app.add_option("path", *path,
                 "a result folder, an agent file, a model file, or the folder of a service")
      ->required();
  return [flags, path] {
    if (!std::filesystem::exists(*path)) throw Error(*path + " does not exist");
    if (!std::filesystem::is_directory(*path) && !std::filesystem::is_regular_file(*path)) {
      throw Error(*path + " is neither a folder nor a regular file");
    }
    if (!std::filesystem::is_directory(*path)) return inspect_file(*path, flags->json);
    if (is_service_folder(*path)) return inspect_file(stored_model_file(*path), flags->json);
    return inspect_folder(*path, flags->json);
  };
}

}  // namespace sau::cli
