#include "sau/draw/report_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;

constexpr ReportFormat kFormats[] = {
    {"html", true}, {"json", true},       {"md", true},         {"tex", true},
    {"csv", false}, {"svg", false, true}, {"png", false, true}, {"pdf", false, true}};

std::string single_file(const Report& report, std::string_view format) {
  if (format == "html") return report_html(report);
  if (format == "json") return report_json(report);
  return format == "md" ? report_markdown(report) : report_latex(report);
}

fs::path output_of(const fs::path& given, const ReportFormat& format) {
  const std::string standard = "report" + (format.single ? "." + std::string(format.name) : "");
  if (given.empty()) return standard;
  if (format.single && fs::is_directory(given)) return given / standard;
  return given;
}

}  // namespace

std::span<const ReportFormat> report_formats() { return kFormats; }

const ReportFormat& report_format(std::string_view name) {
  std::vector<std::string> known;
  for (const ReportFormat& format : kFormats) {
    if (format.name == name) return format;
    known.emplace_back(format.name);
  }
  throw UsageError(unknown_name("format", name, known));
}

const ReportFormat& report_format(std::string_view name, const fs::path& output) {
  if (!name.empty()) return report_format(name);
  std::string ending = lower_case(output.extension().string());
  if (ending.empty() || fs::is_directory(output)) return report_format("html");
  ending.erase(0, 1);
  if (ending == "htm") ending = "html";
  const auto* const found = std::ranges::find(kFormats, ending, &ReportFormat::name);
  if (found == std::end(kFormats)) {
    std::vector<std::string> known;
    for (const ReportFormat& format : kFormats) known.emplace_back(format.name);
    throw UsageError(fmt::format("{} has no ending that names a format (--format); known: {}",
                                 output.string(), fmt::join(known, ", ")));
  }
  if (!found->single) {
    throw UsageError(
        fmt::format("{} makes several files, so -o must be a folder: "
                    "write --format {} -o FOLDER",
                    ending, ending));
  }
  return *found;
}

std::vector<ReportFile> report_files(const Report& report, const ReportFormat& format,
                                     const DrawOptions& options) {
  if (format.single) return {{.name = {}, .bytes = single_file(report, format.name)}};
  if (!format.pictures) return report_csv(report);
  const PictureFormat kind = format.name == "svg"   ? PictureFormat::kSvg
                             : format.name == "png" ? PictureFormat::kPng
                                                    : PictureFormat::kPdf;
  std::vector<ReportFile> files;
  for (Picture& picture : draw_report(report, kind, options)) {
    files.push_back({std::move(picture.name), std::move(picture.bytes)});
  }
  return files;
}

WrittenReport write_report(const Report& report, const ReportFormat& format, const fs::path& output,
                           const DrawOptions& options) {
  WrittenReport written{.path = output_of(output, format)};
  if (!format.single && fs::exists(written.path / "run.json")) {
    throw Error(written.path.string() + " is a result folder; choose another -o");
  }
  const std::vector<ReportFile> files = report_files(report, format, options);
  if (!format.single) {
    std::error_code code;
    fs::create_directories(written.path, code);
    if (code) {
      throw Error("cannot create the folder " + written.path.string() + ": " + code.message());
    }
  }
  for (const ReportFile& file : files) {
    write_file(format.single ? written.path : written.path / file.name, file.bytes);
    written.bytes += file.bytes.size();
  }
  written.files = files.size();
  return written;
}

}  // namespace sau
