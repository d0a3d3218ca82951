#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "sau/core/version.hpp"

namespace sau::cli {
namespace {

// Text for troff: a hyphen that can be copied, backslashes as such, and no line that looks like a
// request.
std::string roff(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool first = i == 0 || text[i - 1] == '\n';
    if (first && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\') {
      out += "\\e";
    } else if (text[i] == '-') {
      out += "\\-";
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string page_start(const std::string& name, const std::string& summary) {
  return fmt::format(".TH {} 1 \"\" \"sau {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", name,
                     roff(std::string(version())), roff(name), roff(summary));
}

std::string option_head(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string names;
  for (const std::string& name : option.get_snames()) names += "-" + name + ", ";
  names += "--" + option.get_lnames().front();
  return option.get_expected_max() > 0 ? names + " " + option.get_type_name() : names;
}

void append_options(std::string& out, const CLI::App& app, bool positional) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() != positional) continue;
    out +=
        fmt::format(".TP\n.B {}\n{}", roff(option_head(*option)), roff(option->get_description()));
    if (!option->get_default_str().empty()) {
      out += roff(" [" + option->get_default_str() + "]");
    }
    out += "\n";
  }
}

std::string synopsis(const std::string& name, const CLI::App& app) {
  std::string out = ".B " + roff(name) + "\n";
  if (!app.get_subcommands({}).empty()) out += ".I COMMAND\n";
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) out += ".I " + roff(option->get_name(true)) + "\n";
  }
  return out + "[\\fIoptions\\fR]\n";
}

void append_command(std::string& out, const std::string& name, const CLI::App& app,
                    const char* heading) {
  out += fmt::format(".{} {}\n{}", heading, heading == std::string("SH") ? "SYNOPSIS" : roff(name),
                     synopsis(name, app));
  out += fmt::format("{}{}\n", heading == std::string("SH") ? ".SH DESCRIPTION\n" : ".PP\n",
                     roff(app.get_description()));
  append_options(out, app, true);
  append_options(out, app, false);
  for (const CLI::App* inner : app.get_subcommands({})) {
    append_command(out, name + " " + inner->get_name(), *inner, "SS");
  }
  // Examples and tables keep their lines.
  if (!app.get_footer().empty()) {
    out += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(app.get_footer()));
  }
}

std::string page_of(const Command& command) {
  CLI::App app("", command.name);
  command.describe(app);
  std::string out = page_start("sau-" + std::string(command.name), command.summary);
  append_command(out, "sau " + std::string(command.name), app, "SH");
  return out + ".SH SEE ALSO\n.BR sau (1)\n";
}

std::string page_of_all() {
  std::string out = page_start("sau", "exploration for contextual bandits");
  out +=
      ".SH SYNOPSIS\n.B sau\n.I COMMAND\n[\\fIoptions\\fR]\n.SH DESCRIPTION\n"
      "A laboratory that compares exploration methods, and a service that makes decisions over\n"
      "HTTP and learns from their rewards.\n.SH COMMANDS\n";
  for (const Command& command : commands()) {
    out += fmt::format(".TP\n.BR sau\\-{} (1)\n{}\n", roff(command.name), roff(command.summary));
  }
  return out +
         ".SH EXIT STATUS\n0 if all went well, 1 if it failed, 2 if the command line was wrong.\n"
         ".SH ENVIRONMENT\n.TP\n.B SAU_DATA_DIR\nwhere the data sets are\n";
}

std::string page_of_mpi() {
  return page_start("sau-mpi", "sau run and sau paper on many machines, by MPI") +
         ".SH SYNOPSIS\n.B mpirun \\-n\n.I N\n.B sau\\-mpi\n.IR run | paper\n"
         "[\\fIoptions\\fR]\n.SH DESCRIPTION\n"
         "Rank 0 plans, hands out trials and writes the result folder; the other ranks play, one\n"
         "trial at a time. The options are those of sau run and sau paper, and so are the bytes "
         "in\n"
         "the folder. If a rank dies, the job ends; what was done is kept, and the same command\n"
         "goes on.\n.SH SEE ALSO\n"
         ".BR sau (1),\n.BR sau\\-run (1),\n.BR sau\\-paper (1),\n.BR sau\\-merge (1),\n"
         ".BR mpirun (1)\n";
}

}  // namespace

Handler describe_man(CLI::App& app) {
  app.description("Prints a manual page: of sau, of one of its commands, or of sau-mpi.");
  app.footer(
      "Examples:\n"
      "  sau man | man -l -\n"
      "  sau man serve > sau-serve.1");
  const auto name = std::make_shared<std::string>();
  app.add_option("command", *name,
                 "a command, or mpi for sau-mpi; without it, the page of sau itself");
  return [name] {
    std::vector<std::string> names;
    for (const Command& command : commands()) {
      names.emplace_back(command.name);
      if (*name != command.name) continue;
      std::fputs(page_of(command).c_str(), stdout);
      return 0;
    }
    if (*name == "mpi") {
      std::fputs(page_of_mpi().c_str(), stdout);
      return 0;
    }
    names.emplace_back("mpi");
    if (!name->empty()) throw UsageError(unknown_name("command", *name, names));
    std::fputs(page_of_all().c_str(), stdout);
    return 0;
  };
}

}  // namespace sau::cli
