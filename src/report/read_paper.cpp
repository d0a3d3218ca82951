#include "report/read_paper.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "sau/core/error.hpp"

namespace sau::detail {
namespace {

using Json = nlohmann::json;
using Strings = std::vector<std::string>;

constexpr std::array kTables = {TableKind::kRegret, TableKind::kNormalised, TableKind::kTime};
constexpr std::string_view kHeader = "table,problem,algorithm,mean,sem";

TableKind table_of(std::string_view name) {
  const auto found = std::ranges::find(kTables, name, table_name);
  if (found == kTables.end()) {
    throw Error("the table '" + std::string(name) +
                "' is not known; expected regret, normalised or time");
  }
  return *found;
}

CellPattern pattern_of(const Json& json) {
  CellPattern pattern{.tables = {},
                      .problems = json.value("problems", Strings{}),
                      .algorithms = json.value("algorithms", Strings{})};
  for (const auto& table : json.value("tables", Strings{})) {
    pattern.tables.push_back(table_of(table));
  }
  return pattern;
}

Paper::KnownDifference difference_of(const Json& json) {
  Paper::KnownDifference difference;
  difference.id = json.at("id").get<std::string>();
  difference.title = json.at("title").get<std::string>();
  difference.text = json.at("text").get<std::string>();
  for (const Json& cells : json.at("cells")) difference.cells.push_back(pattern_of(cells));
  return difference;
}

// The lists in the JSON file; each may be absent.
void read_lists(const Json& json, Paper& paper) {
  const auto list = [&](const char* name) { return json.value(name, Json::array()); };
  for (const Json& one : list("sections")) {
    paper.sections.push_back({.family = one.at("family").get<std::string>(),
                              .id = one.at("id").get<std::string>(),
                              .title = one.at("title").get<std::string>(),
                              .text = one.at("text").get<std::string>()});
  }
  for (const Json& one : list("problems")) {
    paper.problems.push_back({.name = one.at("name").get<std::string>(),
                              .steps = one.value("steps", std::uint64_t{0}),
                              .title = one.value("title", std::string()),
                              .note = one.value("note", std::string())});
  }
  for (const Json& one : list("differences")) paper.differences.push_back(difference_of(one));
  for (const Json& one : list("notes")) {
    paper.notes.push_back({.cells = pattern_of(one), .text = one.at("text").get<std::string>()});
  }
  for (const Json& one : list("styles")) {
    paper.styles.push_back({.name = one.at("name").get<std::string>(),
                            .colour = one.at("colour").get<std::string>(),
                            .dark_colour = one.at("dark_colour").get<std::string>(),
                            .dash = one.value("dash", std::vector<int>{}),
                            .shape = one.at("shape").get<std::string>()});
  }
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> fields;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    fields.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fields;
}

double number_of(std::string_view text) {
  double value = 0.0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) {
    throw Error("'" + std::string(text) + "' is not a number");
  }
  return value;
}

// The paper may print no standard error.
double error_of(std::string_view text) {
  return text == "-" ? std::numeric_limits<double>::quiet_NaN() : number_of(text);
}

void read_number(std::string_view line, Paper& paper) {
  const auto fields = split(line, ',');
  if (fields.size() != 5) throw Error("expected " + std::string(kHeader));
  if (paper.find_problem(fields[1]) == nullptr) {
    throw Error("the problem " + std::string(fields[1]) + " has no steps in the JSON file");
  }
  const TableKind table = table_of(fields[0]);
  if (paper.value(table, fields[1], fields[2])) throw Error("this cell appears twice");
  paper.numbers.push_back({.table = table,
                           .problem = std::string(fields[1]),
                           .algorithm = std::string(fields[2]),
                           .value = {number_of(fields[3]), error_of(fields[4])}});
  if (std::ranges::find(paper.algorithms, fields[2]) == paper.algorithms.end()) {
    paper.algorithms.emplace_back(fields[2]);
  }
}

}  // namespace

Paper read_paper(std::string_view name, std::string_view json, std::string_view csv) {
  Paper paper;
  paper.name = name;
  const std::string file = "experiments/papers/" + paper.name;
  try {
    const Json root = Json::parse(json);
    paper.citation = root.at("citation").get<std::string>();
    paper.report_title = root.at("report_title").get<std::string>();
    read_lists(root, paper);
  } catch (const Json::exception& error) {
    throw Error(file + ".json: " + error.what());
  } catch (const Error& error) {
    throw Error(file + ".json: " + error.what());
  }
  const auto lines = split(csv, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    try {
      if (i > 0) {
        read_number(lines[i], paper);
      } else if (lines[i] != kHeader) {
        throw Error("expected the header " + std::string(kHeader));
      }
    } catch (const Error& error) {
      throw Error(file + ".csv:" + std::to_string(i + 1) + ": " + error.what());
    }
  }
  return paper;
}

}  // namespace sau::detail
