#include "run/paper_file.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/data/source.hpp"

namespace sau::detail {
namespace {

using Json = nlohmann::json;

// Every agent on one problem. False, with the reason in `why`, if the problem's data are missing.
bool read_cells(const Json& group, const std::string& problem, PaperPart& part, std::string& why) {
  const auto steps = group.value("steps", std::uint64_t{0});
  std::vector<Cell> cells;
  try {
    for (const auto& agent : group.at("agents")) {
      const auto spec = (agent.is_object() ? agent.at("spec") : agent).get<std::string>();
      Cell& cell = cells.emplace_back(make_cell(problem, spec, steps, part.trials));
      if (agent.is_object()) cell.agent = agent.at("name").get<std::string>();
    }
  } catch (const MissingData& missing) {
    why = problem + ": " + missing.what();
    return false;
  }
  add_cells(part.cells, std::move(cells));
  return true;
}

void read_group(const Json& group, PaperPart& part) {
  for (const auto& entry : group.at("problems")) {
    const Json choices = entry.is_array() ? entry : Json::array({entry});
    std::string why;  // the last choice is the one easiest to get
    bool found = false;
    for (const auto& problem : choices) {
      found = found || read_cells(group, problem.get<std::string>(), part, why);
    }
    if (!found) part.left_out.push_back(why);
  }
}

// Calls `read` with the parsed file. Errors name the file.
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
                   .cells = {},
                   .left_out = {}};
    if (part.checks) return part;
    if (!json.contains("groups")) {
      read_group(json, part);
      return part;
    }
    for (const auto& group : json.at("groups")) read_group(group, part);
    return part;
  });
}

std::string read_paper_title(std::string_view name, std::string_view text) {
  return read_json(name, text,
                   [](const Json& json) { return json.at("title").get<std::string>(); });
}

bool only_by_name(std::string_view name, std::string_view text) {
  return read_json(name, text, [](const Json& json) { return json.value("only_by_name", false); });
}

}  // namespace sau::detail
