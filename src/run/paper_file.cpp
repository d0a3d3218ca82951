#include "run/paper_file.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/core/text.hpp"
#include "sau/data/source.hpp"
#include "sau/run/named_spec.hpp"
#include "sau/run/own_names.hpp"

namespace sau {
namespace detail {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kUsualTrials = 100;

[[noreturn]] void refuse(const std::string& what, const Json& found, const std::string& expected) {
  throw UsageError(what + ": found " + found.dump() + ", expected " + expected);
}

std::uint64_t count_in(const Json& object, const char* key, std::uint64_t usual,
                       std::uint64_t least) {
  if (!object.contains(key)) return usual;
  const Json& found = object.at(key);
  const bool whole = found.is_number_unsigned() && found.get<std::uint64_t>() >= least;
  if (!whole) refuse(key, found, "a whole number, at least " + std::to_string(least));
  return found.get<std::uint64_t>();
}

std::string text_in(const Json& object, const char* key) {
  if (!object.contains(key)) return {};
  if (!object.at(key).is_string()) refuse(key, object.at(key), "text");
  return object.at(key).get<std::string>();
}

void refuse_unknown_keys(const Json& object, const std::vector<std::string>& known) {
  for (const auto& item : object.items()) {
    const bool found = std::ranges::find(known, item.key()) != known.end();
    if (!found) throw UsageError(unknown_name("key", item.key(), known));
  }
}

const Json& list_in(const Json& object, const char* key) {
  if (!object.contains(key)) throw UsageError(std::string(key) + " is missing; expected a list");
  const Json& found = object.at(key);
  if (!found.is_array() && !found.is_string()) refuse(key, found, "a list");
  if (found.empty()) refuse(key, found, "a list with at least one element");
  return found;
}

// A spec, name=spec, or {"name": what is displayed, "spec": what it is}.
NamedSpec named_spec_of(const Json& entry) {
  if (entry.is_string()) return read_named_spec(entry.get<std::string>());
  const auto has = [&](const char* key) {
    return entry.contains(key) && entry.at(key).is_string();
  };
  if (!entry.is_object() || !has("name") || !has("spec")) {
    refuse("a problem or an agent", entry,
           R"(text, or an object with the texts "name" and "spec")");
  }
  refuse_unknown_keys(entry, {"name", "spec"});
  const auto name = entry.at("name").get<std::string>();
  check_own_name(name);
  return {name, entry.at("spec").get<std::string>()};
}

// Every agent on one problem. False, with the reason in `why`, if the problem's data are missing.
bool read_cells(const Json& group, const Json& agents_of, const NamedSpec& problem, PaperPart& part,
                std::string& why) {
  const std::vector<NamedSpec> problems = {problem};
  std::vector<NamedSpec> agents;
  for (const auto& agent : agents_of) agents.push_back(named_spec_of(agent));
  try {
    add_cells(part.cells,
              make_cells(problems, agents, count_in(group, "steps", 0, 0), part.trials));
  } catch (const MissingData& missing) {
    why = problem.spec + ": " + missing.what();
    return false;
  }
  return true;
}

// A group has its own agents, or those of the whole part.
void read_group(const Json& group, const Json& root, PaperPart& part) {
  const Json& problems = list_in(group, "problems");
  const Json& agents = list_in(group.contains("agents") ? group : root, "agents");
  for (const auto& entry : problems) {
    const Json choices = entry.is_array() ? entry : Json::array({entry});
    if (choices.empty()) refuse("a problem", entry, "at least one choice");
    std::string why;  // the last choice is the one easiest to get
    bool found = false;
    for (const auto& problem : choices) {
      found = found || read_cells(group, agents, named_spec_of(problem), part, why);
    }
    if (!found) part.left_out.push_back(why);
  }
}

RewardRange read_range(const Json& entry, const Cell& cell) {
  if (entry.contains("rewards")) {
    return {entry.at("rewards").at(0).get<double>(), entry.at("rewards").at(1).get<double>()};
  }
  const RewardRange known = make_problem(cell.problem_spec, {})->rewards();
  if (known.max - known.min > 1e99) {
    throw Error("the rewards of " + cell.problem + " have no bounds; give them as \"rewards\"");
  }
  return known;
}

void read_study(const Json& json, PaperPart& part) {
  const auto steps = json.at("steps").get<std::uint64_t>();
  part.study.reward_model = json.at("reward_model").get<std::string>();
  part.study.training = json.at("training").get<std::uint64_t>();
  for (const auto& policy : json.at("policies")) {
    part.study.policies.push_back({.name = policy.at("name").get<std::string>(),
                                   .spec = policy.at("spec").get<std::string>(),
                                   .reversed = policy.value("reversed", false)});
  }
  for (const auto& entry : json.at("problems")) {
    const auto problem = entry.at("problem").get<std::string>();
    try {
      for (const auto& agent : json.at("logs")) {
        Cell cell = make_cell({"", problem}, named_spec_of(agent), steps, part.trials);
        const RewardRange rewards = read_range(entry, cell);
        part.study.logs.push_back({std::move(cell), rewards});
      }
    } catch (const MissingData& missing) {
      part.left_out.push_back(problem + ": " + missing.what());
    }
  }
}

void check_object(const char* what, const Json& found) {
  if (found.is_object()) return;
  refuse(what, found, R"(an object such as {"problems": ["wheel"], "agents": ["sau"]})");
}

PaperPart part_of(const Json& json, std::uint64_t trials) {
  check_object("the experiment", json);
  refuse_unknown_keys(json, {"title", "trials", "steps", "seed", "notes", "problems", "agents",
                             "groups", "checks", "only_by_name", "evaluation"});
  PaperPart part{.name = {},
                 .title = text_in(json, "title"),
                 .trials = trials == 0 ? count_in(json, "trials", kUsualTrials, 1) : trials,
                 .checks = json.contains("checks"),
                 .cells = {},
                 .study = {},
                 .left_out = {},
                 .seed = count_in(json, "seed", 1, 0),
                 .notes = text_in(json, "notes")};
  if (part.checks) return part;
  if (json.contains("evaluation")) {
    read_study(json.at("evaluation"), part);
    return part;
  }
  if (!json.contains("groups")) {
    read_group(json, json, part);
    return part;
  }
  for (const auto& group : list_in(json, "groups")) {
    check_object("a group", group);
    refuse_unknown_keys(group, {"problems", "agents", "steps"});
    read_group(group, json, part);
  }
  return part;
}

// The reader of JSON keeps the last of several values with one key, which hides mistakes.
Json parse_once(std::string_view text) {
  std::vector<std::vector<std::string>> keys;  // of the objects that are open
  return Json::parse(text, [&keys](int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event != Json::parse_event_t::key) return true;
    const auto key = parsed.get<std::string>();
    if (std::ranges::find(keys.back(), key) != keys.back().end()) {
      throw UsageError("the key '" + key + "' is given twice");
    }
    keys.back().push_back(key);
    return true;
  });
}

// Calls `read` with the parsed file. Errors name the file.
template <class Read>
auto read_json(const std::string& file, std::string_view text, const Read& read) {
  try {
    return read(parse_once(text));
  } catch (const Json::exception& error) {
    // Leaves out the library's own name for the error, which comes first, in brackets.
    const std::string_view why = error.what();
    throw Error(file + ": " + std::string(why.substr(why.find(']') + 2)));
  } catch (const UsageError& error) {
    throw UsageError(file + ": " + error.what());
  } catch (const Error& error) {
    throw Error(file + ": " + error.what());
  }
}

std::string path_of(std::string_view name) { return "experiments/" + std::string(name) + ".json"; }

}  // namespace

PaperPart read_experiment_text(const std::string& file, std::string_view text,
                               std::uint64_t trials) {
  return read_json(file, text, [&](const Json& json) { return part_of(json, trials); });
}

PaperPart read_paper_part(std::string_view name, std::string_view text, std::uint64_t trials) {
  return read_json(path_of(name), text, [&](const Json& json) {
    // A part of the paper must have a title and the paper's number of trials.
    json.at("title");
    json.at("trials");
    PaperPart part = part_of(json, trials);
    part.name = name;
    return part;
  });
}

std::string read_paper_title(std::string_view name, std::string_view text) {
  return read_json(path_of(name), text,
                   [](const Json& json) { return json.at("title").get<std::string>(); });
}

bool only_by_name(std::string_view name, std::string_view text) {
  return read_json(path_of(name), text,
                   [](const Json& json) { return json.value("only_by_name", false); });
}

}  // namespace detail

PaperPart read_experiment_file(const std::filesystem::path& path, std::uint64_t trials) {
  PaperPart part = detail::read_experiment_text(path.string(), read_file(path), trials);
  part.name = path.stem().string();
  if (part.title.empty()) part.title = part.name;
  return part;
}

std::string write_experiment_text(const ExperimentText& experiment) {
  const auto list = [](const std::vector<NamedSpec>& given) {
    auto entries = nlohmann::ordered_json::array();
    for (const NamedSpec& one : given) {
      if (one.name.empty()) {
        entries.push_back(one.spec);
      } else {
        entries.push_back({{"name", one.name}, {"spec", one.spec}});
      }
    }
    return entries;
  };
  nlohmann::ordered_json json;
  if (!experiment.title.empty()) json["title"] = experiment.title;
  if (!experiment.notes.empty()) json["notes"] = experiment.notes;
  json["trials"] = experiment.trials;
  if (experiment.steps != 0) json["steps"] = experiment.steps;
  json["seed"] = experiment.seed;
  json["problems"] = list(experiment.problems);
  json["agents"] = list(experiment.agents);
  return json.dump(2) + "\n";
}

}  // namespace sau
