#include "program.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "sau/core/error.hpp"
#include "sau/core/note.hpp"
#include "sau/core/text.hpp"
#include "sau/core/version.hpp"

namespace sau::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

int complain(const std::string& message, int code) {
  std::fprintf(stderr, "sau: %s\n", one_line(message).c_str());
  return code;
}

// CLI11 would print a command's whole description in the list of commands.
class ShortList : public CLI::Formatter {
 public:
  explicit ShortList(std::span<const Command> commands) : commands_(commands) {}

  std::string make_subcommand(const CLI::App* sub) const override {
    const bool outer = sub->get_parent() != nullptr && sub->get_parent()->get_parent() == nullptr;
    for (const Command& command : commands_) {
      if (outer && sub->get_name() == command.name) {
        return fmt::format("  {:<12} {}\n", command.name, command.summary);
      }
    }
    const std::string& text = sub->get_description();
    return fmt::format("  {:<12} {}\n", sub->get_name(), text.substr(0, text.find('\n')));
  }

 private:
  std::span<const Command> commands_;
};

// The subcommand that CLI11 was parsing, or the program itself.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

// "run", "data get"; empty for the program itself.
std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  if (parent == nullptr) return "";
  const std::string before = full_name(*parent);
  return before.empty() ? command.get_name() : before + " " + command.get_name();
}

std::vector<std::string> flag_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) names.push_back(option->get_name());
  }
  return names;
}

// CLI11 names the unexpected word; this adds what would have been right.
std::string explain_extras(const CLI::App& app) {
  const CLI::App& command = innermost(app);
  const auto extras = app.remaining(true);
  const std::string word = extras.empty() ? "" : extras.front();
  const std::string flag = word.substr(0, word.find('='));
  if (word.starts_with("-")) {
    const auto known = flag_names(command);
    const bool misplaced = std::ranges::find(known, flag) != known.end();
    return misplaced ? "the flag " + flag + " goes after the command: " + app.get_name() + " " +
                           full_name(command) + " " + flag + " ..."
                     : unknown_name("flag", flag, known);
  }
  const std::string name = full_name(command);
  const std::string help =
      "; see " + app.get_name() + " " + (name.empty() ? "" : name + " ") + "--help";
  std::vector<std::string> known;
  for (const CLI::App* inner : command.get_subcommands({})) known.push_back(inner->get_name());
  if (known.empty())
    return "unexpected '" + word + "' after '" + app.get_name() + " " + name + "'" + help;
  return unknown_name(name.empty() ? "command" : name + " command", word, known) + help;
}

// The same for a flag or an argument with a missing or superfluous value.
std::string explain_mismatch(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  const std::string where = &command == &app ? "" : full_name(command) + ": ";
  const std::string text = error.what();
  const std::string subject = text.substr(0, text.find_first_of(": ="));
  const bool named = text.starts_with("--") || error.get_name() == "RequiredError";
  if (error.get_name() == "RequiredError" && text.find("subcommand") != std::string::npos) {
    return where + "give one of its commands; see " + app.get_name() + " " + full_name(command) +
           " --help";
  }
  if (error.get_name() == "RequiredError") return where + subject + " is missing";
  if (error.get_name() == "ArgumentMismatch" && named) {
    const bool twice = text.find("received") != std::string::npos;
    return where + subject + (twice ? " is given more than once" : " needs a value");
  }
  if (error.get_name() == "ConversionError" && text.find("--") != std::string::npos) {
    std::string flag = text.substr(text.find("--"));
    const std::string name = flag.substr(0, flag.find_first_of(" ="));
    const CLI::Option* option = command.get_option_no_throw(name);
    if (option == nullptr || option->get_items_expected_max() == 0) {
      return where + name + " takes no value";
    }
    std::erase(flag, ' ');  // --width = 3.3in
    return where + flag + " is not allowed; expected a number";
  }
  return where + text;
}

int run_command(const Program& program, int argc, char** argv) {
  CLI::App app(program.description, program.name);
  app.formatter(std::make_shared<ShortList>(program.commands));
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.set_version_flag("--version", fmt::format("{} {} (commit {}, {})", program.name, version(),
                                                commit(), compiler()));
  app.footer(program.footer);
  app.require_subcommand(0, 1);
  Handler handler;
  for (const Command& command : program.commands) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary)->group("Commands");
    auto todo = command.describe(*sub);
    sub->callback([&handler, todo = std::move(todo)] { handler = todo; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::CallForVersion&) {
    std::puts(app.version().c_str());
    return 0;
  } catch (const CLI::ExtrasError&) {
    return complain(explain_extras(app), kUsage);
  } catch (const CLI::ParseError& error) {
    return complain(explain_mismatch(app, error), kUsage);
  }
  if (!handler) {
    std::fputs(app.help().c_str(), stderr);
    return kUsage;
  }
  return handler();
}

// If the caller closed standard input, output or error, the next file that is opened would get its
// number, and messages would be written into it. These stand-ins refuse what the closed one
// refused.
void occupy_closed_standard_files() {
  for (int file = 0; file <= 2; ++file) {
    if (::fcntl(file, F_GETFD) == -1 && errno == EBADF) {
      static_cast<void>(::open("/dev/null", file == 0 ? O_WRONLY : O_RDONLY));
    }
  }
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  occupy_closed_standard_files();
  // Exceeding a file size limit is an ordinary write error and must not kill the process.
  std::signal(SIGXFSZ, SIG_IGN);
  set_note_function(
      [](const Note& note) { std::fprintf(stderr, "note: %s\n", note.text.c_str()); });
  int code = 0;
  try {
    code = run_command(program, argc, argv);
  } catch (const UsageError& error) {
    return complain(error.what(), kUsage);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailed);
  } catch (...) {
    return complain("failed for an unknown reason", kFailed);
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return complain(std::string("cannot write to standard output: ") + std::strerror(errno),
                    kFailed);
  }
  return code;
}

}  // namespace sau::cli
