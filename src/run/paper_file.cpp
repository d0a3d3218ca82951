#include "run/paper_file.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "sau/core/error.hpp"

namespace sau::detail {
namespace {

using Json = nlohmann::json;

void read_group(const Json& group, std::uint64_t trials, std::vector<Cell>& cells) {
  const auto steps = group.value("steps", std::uint64_t{0});
  for (const auto& problem : group.at("problems")) {
    for (const auto& agent : group.at("agents")) {
      const auto spec = (agent.is_object() ? agent.at("spec") : agent).get<std::string>();
      Cell cell = make_cell(problem.get<std::string>(), spec, steps, trials);
      if (agent.is_object()) cell.agent = agent.at("name").get<std::string>();
      add_cells(cells, {std::move(cell)});
    }
  }
}

// What `read` makes of the file; what is wrong with it is told with its name.
template <class Read>
auto read_json(std::string_view name, std::string_view text, const Read& read) {
  try {
    return read(Json::parse(text));
  } catch (const Json::exception& error) {
    throw Error("experiments/" + std::string(name) + ".json: " + error.what());
  }
}

}  // namespace

PaperPart read_paper_part(std::string_view name, std::string_view text, std::uint64_t trials) {
  return read_json(name, text, [&](const Json& json) {
    PaperPart part{.name = std::string(name),
                   .title = json.at("title").get<std::string>(),
                   .trials = trials == 0 ? json.at("trials").get<std::uint64_t>() : trials,
                   .checks = json.contains("checks"),
                   .cells = {}};
    if (part.checks) return part;
    if (!json.contains("groups")) {
      read_group(json, part.trials, part.cells);
      return part;
    }
    for (const auto& group : json.at("groups")) read_group(group, part.trials, part.cells);
    return part;
  });
}

std::string read_paper_title(std::string_view name, std::string_view text) {
  return read_json(name, text,
                   [](const Json& json) { return json.at("title").get<std::string>(); });
}

}  // namespace sau::detail
