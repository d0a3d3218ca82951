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
#include "sau/draw/draw.hpp"
#include "sau/report/report.hpp"

namespace sau::cli {
namespace {

namespace fs = std::filesystem;

struct ReportFlags {
  std::vector<std::string> folders, only;
  std::string output, format, title;
  bool no_paper = false, dark = false, log = false;
};

// `single`: one file. Otherwise a folder, with one file per figure or kind of number.
struct Format {
  std::string_view name;
  bool single;
  bool pictures = false;
};
constexpr Format kFormats[] = {{"html", true},       {"json", true},      {"md", true},
                               {"tex", true},        {"csv", false},      {"svg", false, true},
                               {"png", false, true}, {"pdf", false, true}};

const Format& format_named(std::string_view name) {
  std::vector<std::string> known;
  for (const Format& format : kFormats) {
    if (format.name == name) return format;
    known.emplace_back(format.name);
  }
  throw UsageError(unknown_name("format", name, known));
}

// From --format, else from the extension of -o, else html.
const Format& format_of(const ReportFlags& flags) {
  if (!flags.format.empty()) return format_named(flags.format);
  std::string ending = lower_case(fs::path(flags.output).extension().string());
  if (ending.empty() || fs::is_directory(flags.output)) return format_named("html");
  ending.erase(0, 1);
  if (ending == "htm") ending = "html";
  const auto found = std::ranges::find(kFormats, ending, &Format::name);
  if (found == std::end(kFormats)) {
    throw UsageError(fmt::format("the format of {} is unknown: give --format", flags.output));
  }
  if (!found->single) {
    throw UsageError(
        fmt::format("{} makes several files, so -o must be a folder: "
                    "write --format {} -o FOLDER",
                    ending, ending));
  }
  return *found;
}

fs::path output_of(const ReportFlags& flags, const Format& format) {
  const std::string standard = "report" + (format.single ? "." + std::string(format.name) : "");
  if (flags.output.empty()) return standard;
  if (format.single && fs::is_directory(flags.output)) return fs::path(flags.output) / standard;
  return flags.output;
}

std::string single_file(const Report& report, std::string_view format) {
  if (format == "html") return report_html(report);
  if (format == "json") return report_json(report);
  return format == "md" ? report_markdown(report) : report_latex(report);
}

std::vector<ReportFile> several_files(const Report& report, const ReportFlags& flags,
                                      std::string_view format) {
  if (format == "csv") return report_csv(report);
  const PictureFormat kind = format == "svg"   ? PictureFormat::kSvg
                             : format == "png" ? PictureFormat::kPng
                                               : PictureFormat::kPdf;
  std::vector<ReportFile> files;
  for (Picture& picture : draw_report(report, kind, {.dark = flags.dark, .log_axes = flags.log})) {
    files.push_back({std::move(picture.name), std::move(picture.bytes)});
  }
  return files;
}

std::string size_text(std::uintmax_t bytes) {
  if (bytes < 1'000'000)
    return fmt::format("{:.0f} kB", std::max(1.0, 1e-3 * static_cast<double>(bytes)));
  return fmt::format("{:.1f} MB", 1e-6 * static_cast<double>(bytes));
}

void write_folder(const fs::path& folder, const std::vector<ReportFile>& files) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) throw Error("cannot create the folder " + folder.string() + ": " + code.message());
  std::uintmax_t bytes = 0;
  for (const ReportFile& file : files) {
    write_file(folder / file.name, file.bytes);
    bytes += file.bytes.size();
  }
  fmt::print("{}: {} files, {}\n", folder.string(), files.size(), size_text(bytes));
}

int write_report(const ReportFlags& flags) {
  const Format& format = format_of(flags);
  if ((flags.dark || flags.log) && !format.pictures) {
    throw UsageError(fmt::format("--{} is for svg, png and pdf; the format is {}",
                                 flags.dark ? "dark" : "log", format.name));
  }
  const fs::path output = output_of(flags, format);
  if (!format.single && fs::exists(output / "run.json")) {
    throw Error(output.string() + " is a result folder; choose another -o");
  }
  std::vector<fs::path> folders;
  for (const std::string& folder : flags.folders) {
    if (!fs::exists(folder)) throw Error(folder + " does not exist");
    folders.emplace_back(folder);
  }
  ReportOptions options;
  options.title = flags.title;
  options.paper = !flags.no_paper;
  options.only = flags.only;
  const Report report = make_report(folders, options);
  if (format.single) {
    const std::string text = single_file(report, format.name);
    write_file(output, text);
    fmt::print("{}: {}\n", output.string(), size_text(text.size()));
  } else {
    write_folder(output, several_files(report, flags, format.name));
  }
  for (const std::string& note : report.notes) fmt::print(stderr, "sau: note: {}\n", note);
  return 0;
}

}  // namespace

Handler describe_report(CLI::App& app) {
  app.description(
      "Makes a report from result folders: regret against step, distributions, ranks, times,\n"
      "tables with our numbers and the paper's, if it has any, and a comparison of every pair of\n"
      "algorithms, trial by trial. The page is one file that needs no network.");
  app.footer(
      "Formats:\n"
      "  html           the page; one file\n"
      "  md, tex        tables and comparisons as a document\n"
      "  csv            the numbers behind tables and figures; a folder\n"
      "  svg, png, pdf  the figures; a folder\n"
      "  json           everything that the page shows\n"
      "Sections: multi-armed, linear, wheel, tables (the data sets); for other problems their\n"
      "  name, such as csv or clicks; overview (ranks and times), theory\n"
      "Examples:\n"
      "  sau report results/paper\n"
      "  sau report mine other -o comparison.html --title 'Mine against the other'\n"
      "  sau report results/paper --only wheel --format pdf -o figures\n"
      "Several folders are shown as one. A cell that is in two of them must have the same\n"
      "settings and seed in both; the one with more trials is shown.");
  const auto flags = std::make_shared<ReportFlags>();
  app.add_option("run", flags->folders, "result folders of sau run or sau paper")->required();
  app.add_option("-o,--output", flags->output,
                 "file or folder to write [report.html, report.FORMAT, or the folder report]")
      ->type_name("PATH");
  app.add_option("--format", flags->format,
                 "html, json, md, tex, csv, svg, png or pdf [from the extension of -o, else html]")
      ->type_name("NAME");
  app.add_option("--title", flags->title, "headline of the report")->type_name("TEXT");
  app.add_option("--only", flags->only, "a section to show; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME");
  app.add_flag("--no-paper", flags->no_paper, "without the paper's numbers");
  app.add_flag("--dark", flags->dark, "pictures on dark paper");
  app.add_flag("--log", flags->log, "pictures with logarithmic axes");
  return [flags] { return write_report(*flags); };
}

}  // namespace sau::cli
