#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/core/text.hpp"
#include "sau/report/table.hpp"

namespace sau::cli {
namespace {

struct TableFlags {
  std::vector<std::string> folders;
  std::string table = "all", format = "text", output;
  bool paper = false, no_paper = false;
};

std::vector<TableKind> kinds_of(const std::string& name) {
  const TableOptions all;
  if (name == "all") return all.kinds;
  std::vector<std::string> known;
  for (const TableKind kind : all.kinds) {
    if (table_name(kind) == name) return {kind};
    known.emplace_back(table_name(kind));
  }
  known.emplace_back("all");
  throw UsageError(unknown_name("table", name, known));
}

const TableFormat& format_of(const std::string& name) {
  std::vector<std::string> known;
  for (const TableFormat& format : table_formats()) {
    if (format.name == name) return format;
    known.emplace_back(format.name);
  }
  throw UsageError(unknown_name("format", name, known));
}

int make_table(const TableFlags& flags) {
  const TableOptions options{.kinds = kinds_of(flags.table), .paper = !flags.no_paper};
  const TableFormat& format = format_of(flags.format);
  std::vector<std::filesystem::path> folders;
  for (const std::string& folder : flags.folders) {
    if (!std::filesystem::exists(folder)) throw Error(folder + " does not exist");
    folders.emplace_back(folder);
  }
  const auto summaries = gather(folders);
  if (summaries.empty()) {
    throw Error(fmt::format("there are no cells in {}", fmt::join(flags.folders, ", ")));
  }
  const std::string text = format.write(make_tables(summaries, options));
  if (flags.output.empty()) {
    std::fputs(text.c_str(), stdout);
  } else {
    write_file(flags.output, text);
  }
  return 0;
}

}  // namespace

Handler describe_table(CLI::App& app) {
  app.description(
      "Makes tables in the paper's form from result folders: one row per algorithm, one column\n"
      "per problem, mean and standard error over the trials. If the paper has a number for the\n"
      "same problem and steps, it is shown below, with the difference in combined standard "
      "errors.");
  app.footer(
      "Tables:\n"
      "  regret      cumulative regret\n"
      "  normalised  the same in percent of Uniform's mean; needs Uniform among the agents\n"
      "  time        processor time of a trial, in seconds\n"
      "Examples:\n"
      "  sau table results/paper\n"
      "  sau table results/paper --table normalised --format latex -o table1.tex\n"
      "  sau table first second --table regret --no-paper\n"
      "  sau table results/paper --format csv | column -s, -t\n"
      "Several folders are shown as one. A cell that is in two of them must have the same\n"
      "settings and seed in both; the one with more trials is shown.");
  const auto flags = std::make_shared<TableFlags>();
  app.add_option("run", flags->folders, "result folders of sau run or sau paper")->required();
  app.add_option("--table", flags->table, "regret, normalised, time or all [all]")
      ->type_name("NAME");
  app.add_option("--format", flags->format, "text, markdown, csv or latex [text]")
      ->type_name("NAME");
  CLI::Option* without = app.add_flag("--no-paper", flags->no_paper, "without the paper's numbers");
  app.add_flag("--paper", flags->paper, "with the paper's numbers (the default)")
      ->excludes(without);
  app.add_option("-o,--output", flags->output, "write to this file instead of standard output")
      ->type_name("PATH");
  return [flags] { return make_table(*flags); };
}

}  // namespace sau::cli
