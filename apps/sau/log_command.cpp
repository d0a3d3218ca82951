#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "commands.hpp"
#include "sau/core/error.hpp"
#include "sau/serve/log_tools.hpp"

namespace sau::cli {
namespace {

struct LogFlags {
  std::string folder, format = "jsonl", output;
};

int export_to(std::ostream& out, const LogFlags& flags) {
  const LogFormat format = flags.format == "dsjson" ? LogFormat::kDsjson : LogFormat::kJsonLines;
  const ExportCount count = export_log(flags.folder, format, [&out](const std::string& line) {
    out << line << '\n';
    if (!out) throw Error("the export could not be written");
  });
  out.flush();
  if (!out) throw Error("the export could not be written");
  fmt::print(stderr, "{} events", count.events);
  if (count.left_out > 0) fmt::print(stderr, "; {} without an outcome left out", count.left_out);
  fmt::print(stderr, "\n");
  return 0;
}

int export_command(const LogFlags& flags) {
  if (flags.format != "jsonl" && flags.format != "dsjson") {
    throw UsageError("log export: --format " + flags.format + "; expected jsonl or dsjson");
  }
  if (flags.output.empty()) return export_to(std::cout, flags);
  // Aside, then renamed: whoever finds the file finds it whole.
  const std::string aside = flags.output + ".part";
  try {
    std::ofstream file(aside, std::ios::binary | std::ios::trunc);
    if (!file) throw Error(aside + ": cannot be written");
    export_to(file, flags);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(aside, ignored);
    throw;
  }
  std::filesystem::rename(aside, flags.output);
  return 0;
}

int verify_command(const LogFlags& flags) {
  const LogCheck check = verify_log(flags.folder);
  fmt::print("{}: {} decisions and {} entries, records {} to {}, {} events waiting: all good\n",
             flags.folder, check.decisions, check.entries, check.first, check.last, check.waiting);
  return 0;
}

int replay_command(const LogFlags& flags) {
  const ReplayCheck check = replay_log(flags.folder);
  fmt::print(
      "{}: {}, {} rewards learned{}, up to record {}\n  model on disk {}\n  replayed      {}\n",
      flags.folder, check.agent, check.learned, check.from_base ? " (from base.sau on)" : "",
      check.position, check.stored, check.replayed);
  if (!check.same) throw Error("the model on disk is not what the log makes of it");
  fmt::print("the same, byte for byte\n");
  return 0;
}

void add_folder(CLI::App& app, LogFlags& flags) {
  app.add_option("folder", flags.folder, "folder of sau serve")->required();
}

}  // namespace

Deed describe_log(CLI::App& app) {
  app.description(
      "What can be done with the folder of sau serve: take the events out, check every record,\n"
      "learn from the log anew. Nothing is changed.");
  app.footer(
      "Examples:\n"
      "  sau log export data -o events.jsonl\n"
      "  sau log export data --format dsjson -o events.dsjson\n"
      "      vw --dsjson --cb_explore_adf -d events.dsjson\n"
      "  sau log verify data\n"
      "  sau log replay data");
  const auto flags = std::make_shared<LogFlags>();
  const auto deed = std::make_shared<Deed>();
  app.require_subcommand(1);
  CLI::App* out = app.add_subcommand("export", "print the events, one a line");
  add_folder(*out, *flags);
  out->add_option("--format", flags->format,
                  "jsonl: all that is known; dsjson: for Vowpal Wabbit [jsonl]")
      ->type_name("FORMAT");
  out->add_option("-o,--output", flags->output, "file instead of standard output")
      ->type_name("FILE");
  out->callback([=] { *deed = [flags] { return export_command(*flags); }; });
  CLI::App* verify = app.add_subcommand("verify", "check every record and that they fit together");
  add_folder(*verify, *flags);
  verify->callback([=] { *deed = [flags] { return verify_command(*flags); }; });
  CLI::App* replay =
      app.add_subcommand("replay", "learn from the log anew and compare with the model on disk");
  add_folder(*replay, *flags);
  replay->callback([=] { *deed = [flags] { return replay_command(*flags); }; });
  return [deed] { return (*deed)(); };
}

}  // namespace sau::cli
