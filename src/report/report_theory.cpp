#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "report/report_parts.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"

namespace sau::detail {
namespace {

using Json = nlohmann::json;

// The value with that name.
template <class Enum>
Enum named(const std::string& name, std::initializer_list<Enum> values,
           std::string_view (*name_of)(Enum) noexcept) {
  for (const Enum value : values) {
    if (name_of(value) == name) return value;
  }
  throw Error("'" + name + "' is not known");
}

TheoryCheck check_of(const Json& json) {
  return {
      .id = json.at("id").get<std::string>(),
      .where = json.at("where").get<std::string>(),
      .statement = json.at("statement").get<std::string>(),
      .statistic = json.at("statistic").get<std::string>(),
      // NaN and infinity are written as null.
      .value = json.at("value").is_null() ? NAN : json.at("value").get<double>(),
      .relation = named(json.at("relation").get<std::string>(),
                        {Relation::kEquals, Relation::kAtMost, Relation::kAtLeast}, relation_name),
      .expected = json.at("expected").get<double>(),
      .tolerance = json.at("tolerance").get<double>(),
      .reason = json.at("reason").get<std::string>(),
      .verdict = named(json.at("verdict").get<std::string>(),
                       {Verdict::kHolds, Verdict::kHoldsCorrected, Verdict::kFails}, verdict_name),
      .note = json.at("note").get<std::string>()};
}

}  // namespace

std::vector<TheoryCheck> read_theory(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "theory.json";
  std::vector<TheoryCheck> checks;
  if (!std::filesystem::exists(path)) return checks;
  const std::string text = read_file(path);
  try {
    const Json json = Json::parse(text);
    if (json.at("format") != "sau-theory" || json.at("version") != 1) {
      throw Error("expected the format sau-theory, version 1");
    }
    for (const Json& check : json.at("checks")) checks.push_back(check_of(check));
  } catch (const Json::exception& error) {
    throw Error(path.string() + ": is damaged: " + error.what());
  } catch (const Error& error) {
    throw Error(path.string() + ": is damaged: " + error.what());
  }
  return checks;
}

}  // namespace sau::detail
