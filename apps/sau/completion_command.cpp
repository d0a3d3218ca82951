#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "sau/run/experiment.hpp"

namespace sau::cli {
namespace {

struct FlagInfo {
  std::string name, help;
  bool takes_value = false;
};

struct CommandInfo {
  std::string name, summary;
  std::vector<FlagInfo> flags;
};

// The commands' flags as CLI11 knows them: nothing here has to be kept up by hand.
std::vector<CommandInfo> describe_all() {
  std::vector<CommandInfo> infos;
  for (const Command& command : commands()) {
    if (command.describe == describe_completion) {
      infos.push_back({command.name, command.summary, {}});
      continue;
    }
    CLI::App app("", command.name);
    command.describe(app);
    CommandInfo& info = infos.emplace_back(CommandInfo{command.name, command.summary, {}});
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional()) continue;
      const std::string& help = option->get_description();
      info.flags.push_back({option->get_lnames().front(), help.substr(0, help.find(';')),
                            option->get_expected_max() > 0});
    }
  }
  return infos;
}

std::vector<std::string> names_of(const std::vector<ComponentInfo>& components,
                                  std::span<const Alias> aliases) {
  std::vector<std::string> names;
  names.reserve(components.size() + aliases.size());
  for (const auto& component : components) names.push_back(component.name);
  for (const Alias& alias : aliases) {
    const std::string name = lower_case(alias.name);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

// What may follow a flag; empty where anything may.
std::vector<std::string> values_of(const std::string& flag) {
  if (flag == "problem") return names_of(list_problems(), problem_aliases());
  if (flag == "agent") return names_of(list_strategies(), agent_aliases());
  if (flag == "only") return paper_parts();
  if (flag == "table") return {"regret", "normalised", "time", "all"};
  if (flag == "format") return {"text", "markdown", "csv", "latex"};
  return {};
}

constexpr const char* kValueFlags[] = {"problem", "agent", "only", "table", "format"};
constexpr const char* kShells[] = {"bash", "zsh", "fish"};

std::string bash_script() {
  std::string names, cases, values;
  for (const CommandInfo& command : describe_all()) {
    names += " " + command.name;
    std::string flags;
    for (const FlagInfo& flag : command.flags) flags += " --" + flag.name;
    if (command.name == "completion") flags = " bash zsh fish";
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command.name, flags.substr(1));
  }
  for (const char* flag : kValueFlags) {
    values += fmt::format("    --{}) words=\"{}\" ;;\n", flag, fmt::join(values_of(flag), " "));
  }
  return fmt::format(R"(_sau() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$current"))
    return
  fi
  case "$previous" in
{}    --out) COMPREPLY=($(compgen -d -- "$current")); return ;;
    --output) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --trials|--steps|--seed|--threads) return ;;
  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case "${{COMP_WORDS[1]}}" in
    inspect) COMPREPLY+=($(compgen -f -- "$current")) ;;
    table) COMPREPLY+=($(compgen -d -- "$current")) ;;
  esac
}}
complete -F _sau sau
)",
                     names.substr(1), values, cases);
}

std::string fish_script() {
  const auto quoted = [](std::string text) {
    for (std::size_t i = text.find('\''); i != std::string::npos; i = text.find('\'', i + 2)) {
      text.insert(i, "\\");
    }
    return "'" + text + "'";
  };
  std::string script = "complete -c sau -f\n";
  for (const CommandInfo& command : describe_all()) {
    script += fmt::format("complete -c sau -n __fish_use_subcommand -a {} -d {}\n", command.name,
                          quoted(command.summary));
    const std::string when = "'__fish_seen_subcommand_from " + command.name + "'";
    for (const FlagInfo& flag : command.flags) {
      script +=
          fmt::format("complete -c sau -n {} -l {} -d {}", when, flag.name, quoted(flag.help));
      const auto values = values_of(flag.name);
      if (!values.empty()) script += fmt::format(" -xa '{}'", fmt::join(values, " "));
      if (flag.takes_value && flag.name.starts_with("out")) script += " -rF";
      script += "\n";
    }
    if (command.name == "inspect" || command.name == "table")
      script += fmt::format("complete -c sau -n {} -F\n", when);
    if (command.name == "completion") {
      script += fmt::format("complete -c sau -n {} -a 'bash zsh fish'\n", when);
    }
  }
  return script;
}

}  // namespace

Deed describe_completion(CLI::App& app) {
  app.description("Prints a completion script: commands, flags, and the names they take.");
  app.footer(
      "Examples:\n"
      "  source <(sau completion bash)                     for this shell\n"
      "  sau completion bash > ~/.local/share/bash-completion/completions/sau\n"
      "  sau completion zsh  > ~/.zfunc/_sau               with ~/.zfunc in fpath\n"
      "  sau completion fish > ~/.config/fish/completions/sau.fish");
  const auto shell = std::make_shared<std::string>();
  app.add_option("shell", *shell, "bash, zsh or fish")->required();
  return [shell] {
    if (*shell == "bash") {
      std::fputs(bash_script().c_str(), stdout);
    } else if (*shell == "zsh") {
      // zsh runs bash's script by its own emulation.
      std::fputs(
          ("#compdef sau\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script()).c_str(),
          stdout);
    } else if (*shell == "fish") {
      std::fputs(fish_script().c_str(), stdout);
    } else {
      throw UsageError(unknown_name(
          "shell", *shell, std::vector<std::string>(std::begin(kShells), std::end(kShells))));
    }
    return 0;
  };
}

}  // namespace sau::cli
