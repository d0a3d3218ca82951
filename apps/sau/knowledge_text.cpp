#include "knowledge_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "core/text_grid.hpp"

namespace sau::cli {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<detail::TextRow>;

constexpr std::size_t kLongestId = 32;

std::string short_number(double number) {
  if (std::isnan(number)) return "-";
  return fmt::format("{:.5g}", number);
}

std::string short_id(const std::string& id) {
  if (id.size() <= kLongestId) return id;
  std::size_t end = kLongestId - 3;
  while (end > 0 && (static_cast<unsigned char>(id[end]) & 0xC0U) == 0x80U) --end;
  return id.substr(0, end) + "...";
}

// The first column is left-aligned, the others right-aligned.
std::string aligned(const Rows& rows) { return detail::align(rows, 1, 2); }

std::string left_out(std::size_t shown, std::uint64_t all, const char* what) {
  if (shown >= all) return "";
  return fmt::format("  ... and {} more {}\n", all - shown, what);
}

std::string evidence_text(const Knowledge& knowledge, std::size_t rows) {
  if (knowledge.evidence.empty()) {
    return "\nneither the strategy nor the model keeps numbers for an action\n";
  }
  std::string text = "\nevidence on the actions";
  if (!knowledge.ids.empty() && knowledge.learned) text += ", most used first";
  text += "\n";
  Rows table(1, {"action"});
  for (const ActionColumn& column : knowledge.evidence) table[0].push_back(column.name);
  const std::size_t shown = std::min(rows, knowledge.ids.size());
  for (std::size_t a = 0; a < shown; ++a) {
    auto& row = table.emplace_back(1, short_id(knowledge.ids[a]));
    for (const ActionColumn& column : knowledge.evidence) {
      row.push_back(short_number(column.number[a]));
    }
  }
  text += aligned(table) + left_out(shown, knowledge.actions, "actions");
  for (const ActionColumn& column : knowledge.evidence) {
    text += fmt::format("  {}: {}\n", column.name, column.meaning);
  }
  return text;
}

std::string coefficients_text(const Knowledge& knowledge, std::size_t rows, std::size_t columns) {
  const Coefficients& all = *knowledge.coefficients;
  const std::size_t shown = std::min(rows, knowledge.ids.size()), wide = std::min(columns, all.dim);
  Rows table(1, {"action", "norm", "intercept"});
  for (std::size_t i = 0; i < wide; ++i) table[0].push_back(fmt::format("x{}", i));
  for (std::size_t a = 0; a < shown; ++a) {
    const std::span<const double> slope(all.slope.data() + a * all.dim, all.dim);
    double square = 0.0;
    for (const double number : slope) square += number * number;
    auto& row = table.emplace_back(1, knowledge.ids[a]);
    row.push_back(short_number(std::sqrt(square)));
    row.push_back(short_number(all.intercept[a]));
    for (std::size_t i = 0; i < wide; ++i) row.push_back(short_number(slope[i]));
  }
  return "\ncoefficients of the context's columns\n" + aligned(table) +
         left_out(wide, all.dim, "columns") + left_out(shown, knowledge.actions, "actions");
}

std::string arrays_text(const std::vector<ArraySummary>& arrays) {
  Rows table(1, {"array", "numbers", "norm", "least", "greatest"});
  for (const ArraySummary& array : arrays) {
    table.push_back({array.name, std::to_string(array.count), short_number(array.norm),
                     short_number(array.least), short_number(array.greatest)});
  }
  return "\nlearned numbers\n" + aligned(table);
}

Json numbers(std::span<const double> from) {
  Json list = Json::array();
  for (const double number : from) list.push_back(std::isfinite(number) ? Json(number) : Json());
  return list;
}

}  // namespace

std::string knowledge_text(const Knowledge& knowledge, std::size_t rows, std::size_t columns) {
  std::string text;
  if (knowledge.learned)
    text += fmt::format("  {:<8}  {} rewards\n", "learned", *knowledge.learned);
  if (!knowledge.fault.empty()) text += fmt::format("  {:<8}  {}\n", "fault", knowledge.fault);
  text += evidence_text(knowledge, rows);
  if (knowledge.coefficients) text += coefficients_text(knowledge, rows, columns);
  if (!knowledge.members.empty()) {
    Rows table(1, {"member", "weight", ""});
    for (const MemberRecord& member : knowledge.members) {
      table.push_back({member.spec, short_number(member.weight), member.fault});
    }
    text += "\nmembers of the committee\n" + aligned(table);
  }
  if (!knowledge.arrays.empty()) text += arrays_text(knowledge.arrays);
  return text;
}

nlohmann::ordered_json knowledge_json(const Knowledge& knowledge) {
  Json json = Json::object();
  if (knowledge.learned) json["learned"] = *knowledge.learned;
  json["fault"] = knowledge.fault.empty() ? Json() : Json(knowledge.fault);
  json["action_count"] = knowledge.actions;
  json["action_ids"] = knowledge.ids;
  json["evidence"] = Json::object();
  for (const ActionColumn& column : knowledge.evidence) {
    json["evidence"][column.name] = numbers(column.number);
  }
  if (knowledge.coefficients) {
    const Coefficients& all = *knowledge.coefficients;
    json["intercepts"] = numbers(all.intercept);
    json["coefficients"] = Json::array();
    for (std::size_t a = 0; a < all.intercept.size(); ++a) {
      json["coefficients"].push_back(
          numbers(std::span<const double>(all.slope).subspan(a * all.dim, all.dim)));
    }
  }
  json["members"] = Json::array();
  for (const MemberRecord& member : knowledge.members) {
    json["members"].push_back({{"spec", member.spec},
                               {"weight", member.weight},
                               {"fault", member.fault.empty() ? Json() : Json(member.fault)}});
  }
  json["arrays"] = Json::array();
  for (const ArraySummary& array : knowledge.arrays) {
    json["arrays"].push_back({{"name", array.name},
                              {"count", array.count},
                              {"norm", numbers({&array.norm, 1})[0]},
                              {"least", numbers({&array.least, 1})[0]},
                              {"greatest", numbers({&array.greatest, 1})[0]}});
  }
  return json;
}

}  // namespace sau::cli
