#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "sau/draw/draw.hpp"
#include "sau/report/report.hpp"

namespace sau {

// A form in which a report can be written.
struct ReportFormat {
  std::string_view name;
  bool single = true;  // one file; otherwise a folder, with one file per figure or kind of number
  bool pictures = false;  // drawn, so DrawOptions count
};
std::span<const ReportFormat> report_formats();

// Throws UsageError for an unknown name.
const ReportFormat& report_format(std::string_view name);
// The format named, or else that of the extension of `output`, or else html. Throws UsageError when
// the extension is unknown, or when the format makes several files and `output` is not a folder.
const ReportFormat& report_format(std::string_view name, const std::filesystem::path& output);

// The files of the report; for a single one the name is empty.
std::vector<ReportFile> report_files(const Report& report, const ReportFormat& format,
                                     const DrawOptions& options = {});

struct WrittenReport {
  std::filesystem::path path;  // file or folder
  std::size_t files = 0;
  std::uint64_t bytes = 0;
};
// Writes them to `output`, or to the standard name (report.html, the folder report) if that is
// empty or, for a single file, a folder. Throws Error when it cannot, or when `output` is a result
// folder.
WrittenReport write_report(const Report& report, const ReportFormat& format,
                           const std::filesystem::path& output, const DrawOptions& options = {});

}  // namespace sau
