#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "flags.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/run/experiment.hpp"

namespace sau::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ListFlags {
  bool json = false;
  void fields(auto&& field) { field("json", json, "print everything as JSON"); }
};

std::string allowed(const FieldInfo& field) {
  if (field.choices.empty()) return field.range;
  std::string text;
  for (const std::string& choice : field.choices) text += (text.empty() ? "" : " or ") + choice;
  return text;
}

std::string to_text(const char* title, const std::vector<ComponentInfo>& components) {
  std::string text = std::string(title) + "\n";
  for (const ComponentInfo& component : components) {
    text += fmt::format("  {:<16} {}\n", component.name, component.summary);
    if (!component.fits.empty()) {
      text += fmt::format("  {:<16} with: {}\n", "", fmt::join(component.fits, ", "));
    }
    for (const FieldInfo& field : component.settings) {
      const std::string limits = allowed(field);
      text += fmt::format("    {:<24} {}{}\n", field.name + "=" + field.default_value, field.help,
                          limits.empty() ? "" : " (" + limits + ")");
    }
  }
  return text;
}

std::string to_text(const char* title, std::span<const Alias> aliases) {
  std::string text = std::string(title) + "\n";
  for (const Alias& alias : aliases) {
    text += fmt::format("  {:<22} {:<32} {}\n", alias.name, alias.spec, alias.where);
    if (!alias.contextual.empty()) {
      text += fmt::format("  {:<22} {:<32} if there are contexts\n", "", alias.contextual);
    }
    if (!alias.by_id.empty()) {
      text += fmt::format("  {:<22} {:<32} if actions come and go by id\n", "", alias.by_id);
    }
  }
  return text;
}

Json to_json(const std::vector<ComponentInfo>& components) {
  Json list = Json::array();
  for (const ComponentInfo& component : components) {
    Json settings = Json::array();
    for (const FieldInfo& field : component.settings) {
      settings.push_back({{"name", field.name},
                          {"type", field.type},
                          {"default", field.default_value},
                          {"range", field.range},
                          {"choices", field.choices},
                          {"help", field.help}});
    }
    Json entry = {{"name", component.name}, {"summary", component.summary}, {"settings", settings}};
    if (!component.fits.empty()) entry["models"] = component.fits;
    list.push_back(std::move(entry));
  }
  return list;
}

Json to_json(std::span<const Alias> aliases) {
  Json list = Json::array();
  for (const Alias& alias : aliases) {
    Json entry = {{"name", alias.name}, {"spec", alias.spec}, {"where", alias.where}};
    if (!alias.contextual.empty()) entry["contextual"] = alias.contextual;
    if (!alias.by_id.empty()) entry["by_id"] = alias.by_id;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

Handler describe_list(CLI::App& app) {
  app.description(
      "Lists the names that --problem and --agent take, with every setting, its default and its\n"
      "allowed values. An agent is model+strategy. A strategy alone takes its usual model, the\n"
      "first that fits. The paper's names are aliases. Every agent plays a fixed set of actions\n"
      "(sau run) and actions that come and go by id (sau serve); ids has the settings for those.");
  app.footer(
      "Examples:\n"
      "  sau list\n"
      "  sau list --json | python3 -m json.tool");
  const auto flags = add_flags<ListFlags>(app);
  return [flags] {
    if (flags->json) {
      const Json json = {{"problems", to_json(list_problems())},
                         {"models", to_json(list_models())},
                         {"strategies", to_json(list_strategies())},
                         {"ids", to_json(std::vector{describe_ids()})[0]},
                         {"late", to_json(std::vector{describe_late()})[0]},
                         {"problem_aliases", to_json(problem_aliases())},
                         {"agent_aliases", to_json(agent_aliases())},
                         {"paper", paper_parts()}};
      std::fputs((json.dump(2) + "\n").c_str(), stdout);
      return 0;
    }
    const std::string text =
        to_text("Problems", list_problems()) + "\n" +
        to_text("Late rewards, as in bernoulli+late(delay=10..200), or sau run --delay 10..200",
                {describe_late()}) +
        "\n" + to_text("Models", list_models()) + "\n" + to_text("Strategies", list_strategies()) +
        "\n" +
        to_text("Actions by id, as in hashed_linear+sau_ucb+ids(actions=1000)", {describe_ids()}) +
        "\n" + to_text("Aliases for problems", problem_aliases()) + "\n" +
        to_text("Aliases for agents (in any case, with or without hyphens)", agent_aliases()) +
        "\n" +
        fmt::format("Parts of the paper (sau paper --only)\n  {}\n",
                    fmt::join(paper_parts(), ", "));
    std::fputs(text.c_str(), stdout);
    return 0;
  };
}

}  // namespace sau::cli
