#include "sau/logs/open_choices.hpp"

#include <optional>
#include <string_view>

#include "logs/sources.hpp"
#include "sau/core/error.hpp"
#include "store/line_file.hpp"

namespace sau {
namespace {

// The format of a file, from its first line that is not empty.
ChoiceFormat format_of(const std::filesystem::path& file) {
  detail::LineFile lines(file);
  while (const auto line = lines.next()) {
    const std::size_t begin = line->text.find_first_not_of(" \t\r\xEF\xBB\xBF");
    if (begin == std::string_view::npos) continue;
    const auto has = [&](std::string_view word) {
      return line->text.find(word) != std::string_view::npos;
    };
    if (line->text[begin] != '{') return ChoiceFormat::kCsv;
    // Only the lines of sau log export have these names.
    return has("\"rewardActionId\"") ? ChoiceFormat::kJsonLines : ChoiceFormat::kDsjson;
  }
  throw Error(file.string() + ": the file is empty");
}

}  // namespace

std::unique_ptr<ChoiceSource> open_choices(const std::filesystem::path& log,
                                           const ChoiceOptions& options) {
  ChoiceFormat format = options.format;
  if (!std::filesystem::exists(log)) throw Error(log.string() + ": does not exist");
  if (format == ChoiceFormat::kAuto) {
    format = std::filesystem::is_directory(log) ? ChoiceFormat::kFolder : format_of(log);
  }
  switch (format) {
    case ChoiceFormat::kFolder:
      return detail::open_folder_choices(log, options);
    case ChoiceFormat::kJsonLines:
      return detail::open_json_choices(log, options.by);
    case ChoiceFormat::kDsjson:
      return detail::open_dsjson_choices(log, options.by);
    case ChoiceFormat::kCsv:
    case ChoiceFormat::kAuto:
      break;
  }
  return open_csv_choices(log, options.csv, options.by);
}

}  // namespace sau
