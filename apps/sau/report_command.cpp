#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "sau/core/error.hpp"
#include "sau/draw/report_files.hpp"
#include "sau/report/report.hpp"

namespace sau::cli {
namespace {

namespace fs = std::filesystem;

struct ReportFlags {
  std::vector<std::string> folders, only;
  std::string output, format, title;
  bool no_paper = false, dark = false, log = false;
  std::optional<double> width, font;  // inches, points
};

std::string size_text(std::uintmax_t bytes) {
  if (bytes < 1'000'000)
    return fmt::format("{:.0f} kB", std::max(1.0, 1e-3 * static_cast<double>(bytes)));
  return fmt::format("{:.1f} MB", 1e-6 * static_cast<double>(bytes));
}

int report(const ReportFlags& flags) {
  const ReportFormat& format = report_format(flags.format, flags.output);
  if (flags.font && !flags.width) throw UsageError("report: --font-size needs --width");
  if ((flags.dark || flags.log || flags.width) && !format.pictures) {
    throw UsageError(fmt::format("--{} is for svg, png and pdf; the format is {}",
                                 flags.dark  ? "dark"
                                 : flags.log ? "log"
                                             : "width",
                                 format.name));
  }
  constexpr double kUsualFont = 8.0;
  DrawOptions drawing =
      flags.width ? column_figure(*flags.width, flags.font.value_or(kUsualFont)) : DrawOptions{};
  drawing.dark = flags.dark;
  drawing.log_axes = flags.log;
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
  const WrittenReport written = write_report(report, format, flags.output, drawing);
  const std::string count = format.single ? "" : fmt::format("{} files, ", written.files);
  fmt::print("{}: {}{}\n", written.path.string(), count, size_text(written.bytes));
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
      "  sau report mine --format pdf -o figures --width 3.3 --font-size 8\n"
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
  app.add_flag("--dark", flags->dark, "pictures with a dark background");
  app.add_option("--width", flags->width,
                 "width of pictures in inches, such as 3.3 or 6.8 for a column of a paper")
      ->type_name("N");
  app.add_option("--font-size", flags->font,
                 "points of the text in pictures of that width; headings are 15 % larger [8]")
      ->type_name("N");
  app.add_flag("--log", flags->log, "pictures with logarithmic axes");
  return [flags] { return report(*flags); };
}

}  // namespace sau::cli
