#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "sau/data/source.hpp"
#include "sau/draw/report_files.hpp"
#include "sau/evaluate/estimators.hpp"
#include "sau/evaluate/intervals.hpp"
#include "sau/evaluate/targets.hpp"
#include "sau/logs/open_choices.hpp"
#include "sau/report/paper.hpp"
#include "sau/report/table.hpp"
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
  std::vector<CommandInfo> inner;  // sau data and sau log have subcommands
};

CommandInfo describe_one(const CLI::App& app, const std::string& summary) {
  CommandInfo info{app.get_name(), summary, {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) continue;
    const std::string& help = option->get_description();
    info.flags.push_back({option->get_lnames().front(), help.substr(0, help.find_first_of(";\n")),
                          option->get_expected_max() > 0});
  }
  for (const CLI::App* inner : app.get_subcommands({})) {
    const std::string& text = inner->get_description();
    info.inner.push_back(describe_one(*inner, text.substr(0, text.find('\n'))));
  }
  return info;
}

// Reads the commands' flags from CLI11, so that nothing needs to be updated by hand.
std::vector<CommandInfo> describe_all() {
  std::vector<CommandInfo> infos;
  for (const Command& command : commands()) {
    if (command.describe == describe_completion) {
      infos.push_back({command.name, command.summary, {}, {}});
      continue;
    }
    CLI::App app("", command.name);
    command.describe(app);
    infos.push_back(describe_one(app, command.summary));
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

// For sau serve: every model with every strategy that fits it, and the paper's names.
std::vector<std::string> agents_to_serve() {
  std::vector<std::string> agents;
  for (const auto& strategy : list_strategies()) {
    for (const auto& model : strategy.fits) agents.push_back(model + "+" + strategy.name);
  }
  for (const Alias& alias : agent_aliases()) agents.push_back(lower_case(alias.name));
  return agents;
}

// For sau evaluate: the same agents, and the policies that are not agents.
std::vector<std::string> policies_to_evaluate() {
  std::vector<std::string> policies = agents_to_serve();
  for (const TargetInfo& target : list_targets()) policies.emplace_back(target.name);
  return policies;
}

template <class E>
std::vector<std::string> choices_in(E) {
  const auto names = enum_names(E{});
  return {names.begin(), names.end()};
}

std::vector<std::string> names_in(const auto& list) {
  std::vector<std::string> names;
  for (const auto& one : list) names.emplace_back(one.name);
  return names;
}

// For sau report: the sections of the papers, and those of all other problems.
std::vector<std::string> report_sections() {
  std::vector<std::string> ids;
  for (const ComponentInfo& problem : list_problems()) {
    std::string id = slug(problem.name);
    for (const Paper& paper : papers()) {
      const auto known = std::ranges::find(paper.sections, problem.name, &PaperSection::family);
      if (known != paper.sections.end()) id = known->id;
    }
    ids.push_back(std::move(id));
  }
  ids.insert(ids.end(), {"theory", "overview"});
  return ids;
}

// For sau table.
std::vector<std::string> tables_to_print() {
  std::vector<std::string> names;
  for (const TableKind kind : TableOptions{}.kinds) names.emplace_back(table_name(kind));
  names.emplace_back("all");
  return names;
}

// The values that a flag of that command takes; empty if it takes anything.
std::vector<std::string> values_of(const std::string& command, const std::string& flag) {
  const bool serves = command == "serve" || command == "train";
  if (serves && flag == "agent") return agents_to_serve();
  if (serves && flag == "log-format") return {"text", "json"};
  if (command == "serve" && flag == "confirm") return {"spool", "stream"};
  if (command == "log" && flag == "format") return {"jsonl", "dsjson"};
  if (command == "evaluate" && flag == "format") return choices_in(ChoiceFormat{});
  if (command == "report" && flag == "format") return names_in(report_formats());
  if (command == "report" && flag == "only") return report_sections();
  if (flag == "problem") return names_of(list_problems(), problem_aliases());
  if (flag == "agent") return names_of(list_strategies(), agent_aliases());
  if (flag == "policy") return policies_to_evaluate();
  if (flag == "estimator") return names_in(list_estimators());
  if (flag == "interval") return choices_in(IntervalKind{});
  if (flag == "as") return choices_in(Learning{});
  if (flag == "only") return paper_parts();
  if (flag == "table") return tables_to_print();
  if (flag == "format") return names_in(table_formats());
  return {};
}

constexpr const char* kValueFlags[] = {"problem", "agent",     "only",     "table", "format",
                                       "policy",  "estimator", "interval", "as"};
// These flags take other values than flags of the same name in other commands.
constexpr std::pair<const char*, const char*> kOwnValues[] = {
    {"report", "only"},      {"report", "format"}, {"serve", "agent"},
    {"serve", "log-format"}, {"log", "format"},    {"evaluate", "format"},
    {"serve", "confirm"},    {"train", "agent"},   {"train", "log-format"}};
constexpr const char* kShells[] = {"bash", "zsh", "fish"};

// The words that may follow `sau data COMMAND` besides flags.
std::string data_words(const std::string& command, const std::string& inner) {
  std::string words;
  if (command != "data" || inner == "list") return words;
  for (const DataSource& source : data_sources()) words += " " + std::string(source.name);
  return words;
}

std::string flag_words(const CommandInfo& command) {
  std::string words;
  for (const FlagInfo& flag : command.flags) words += " --" + flag.name;
  return words;
}

std::string command_words() {
  std::string words;
  for (const Command& command : commands()) words += " " + std::string(command.name);
  return words;
}

std::string bash_script() {
  std::string names, cases, values;
  for (const CommandInfo& command : describe_all()) {
    names += " " + command.name;
    std::string words = command.name == "completion" ? " bash zsh fish" : flag_words(command);
    if (command.name == "man") words += command_words();
    for (const CommandInfo& inner : command.inner) {
      cases += fmt::format("    \"{} {} \"*) words=\"{}\" ;;\n", command.name, inner.name,
                           (flag_words(inner) + data_words(command.name, inner.name)).substr(1));
      words += " " + inner.name;
    }
    cases += fmt::format("    \"{} \"*) words=\"{}\" ;;\n", command.name, words.substr(1));
  }
  for (const auto& [command, flag] : kOwnValues) {
    values += fmt::format("    \"{} --{}\") words=\"{}\" ;;\n", command, flag,
                          fmt::join(values_of(command, flag), " "));
  }
  for (const char* flag : kValueFlags) {
    values +=
        fmt::format("    *\" --{}\") words=\"{}\" ;;\n", flag, fmt::join(values_of("", flag), " "));
  }
  return fmt::format(R"(_sau() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}} $previous" in
{}    *" --out"|*" --data"|*" --mirror") COMPREPLY=($(compgen -d -- "$current")); return ;;
    *" --output"|*" --key-file"|*" --tls-certificate"|*" --tls-key") COMPREPLY=($(compgen -f -- "$current")); return ;;
    *" --trials"|*" --steps"|*" --shard"|*" --seed"|*" --threads"|*" --title"|*" --port"|*" --listen") return ;;
    *" --connections"|*" --max-actions"|*" --snapshot-seconds"|*" --request-seconds") return ;;
  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  local typed="${{COMP_WORDS[1]}} "
  if [ "$COMP_CWORD" -gt 2 ]; then typed="$typed${{COMP_WORDS[2]}} "; fi
  case "$typed" in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case "$typed" in
    "inspect "*|"data add "*) COMPREPLY+=($(compgen -f -- "$current")) ;;
    "merge "*|"table "*|"report "*|"watch "*|"serve "*|"train "*|"log "?*" "*) COMPREPLY+=($(compgen -d -- "$current")) ;;
  esac
}}
complete -F _sau sau
)",
                     names.substr(1), values, cases);
}

std::string quoted(std::string text) {
  for (std::size_t i = text.find('\''); i != std::string::npos; i = text.find('\'', i + 2)) {
    text.insert(i, "\\");
  }
  return "'" + text + "'";
}

std::string fish_flag(const std::string& when, const std::string& command, const FlagInfo& flag) {
  std::string line =
      fmt::format("complete -c sau -n {} -l {} -d {}", when, flag.name, quoted(flag.help));
  const auto values = values_of(command, flag.name);
  if (!values.empty()) line += fmt::format(" -xa '{}'", fmt::join(values, " "));
  const bool path = flag.name.starts_with("out") || flag.name.starts_with("tls") ||
                    flag.name == "data" || flag.name == "mirror" || flag.name == "key-file";
  if (flag.takes_value && path) line += " -rF";
  return line + "\n";
}

std::string fish_script() {
  std::string script = "complete -c sau -f\n";
  for (const CommandInfo& command : describe_all()) {
    script += fmt::format("complete -c sau -n __fish_use_subcommand -a {} -d {}\n", command.name,
                          quoted(command.summary));
    const std::string when = "'__fish_seen_subcommand_from " + command.name + "'";
    for (const FlagInfo& flag : command.flags) script += fish_flag(when, command.name, flag);
    for (const CommandInfo& inner : command.inner) {
      script += fmt::format("complete -c sau -n {} -a {} -d {}\n", when, inner.name,
                            quoted(inner.summary));
      const std::string within =
          when.substr(0, when.size() - 1) + "; and __fish_seen_subcommand_from " + inner.name + "'";
      for (const FlagInfo& flag : inner.flags) script += fish_flag(within, command.name, flag);
      const std::string words = data_words(command.name, inner.name);
      if (!words.empty()) {
        script += fmt::format("complete -c sau -n {} -a '{}'\n", within, words.substr(1));
      }
      if (inner.name == "add") script += fmt::format("complete -c sau -n {} -F\n", within);
    }
    if (command.name == "inspect" || command.name == "merge" || command.name == "table" ||
        command.name == "report" || command.name == "watch" || command.name == "serve" ||
        command.name == "train" || command.name == "log" || command.name == "evaluate")
      script += fmt::format("complete -c sau -n {} -F\n", when);
    if (command.name == "completion") {
      script += fmt::format("complete -c sau -n {} -a 'bash zsh fish'\n", when);
    }
    if (command.name == "man") {
      script += fmt::format("complete -c sau -n {} -a '{}'\n", when, command_words().substr(1));
    }
  }
  return script;
}

}  // namespace

Handler describe_completion(CLI::App& app) {
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
      // zsh can run bash's script with bashcompinit.
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
