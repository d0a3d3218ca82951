#pragma once

#include <array>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sau/evaluate/choice_source.hpp"
#include "sau/evaluate/csv_choices.hpp"

namespace sau {

enum class ChoiceFormat { kAuto, kFolder, kJsonLines, kDsjson, kCsv };
constexpr std::array<std::string_view, 5> enum_names(ChoiceFormat) {
  return {"auto", "folder", "jsonl", "dsjson", "csv"};
}

struct ChoiceOptions {
  ChoiceFormat format = ChoiceFormat::kAuto;
  std::vector<std::string> by = {};  // context features that divide the results
  CsvColumns csv = {};
  // Of a folder: decisions from this time on and before that one; others are skipped.
  Milliseconds from = std::numeric_limits<Milliseconds>::min(),
               until = std::numeric_limits<Milliseconds>::max();
};

// Opens a log of decisions: the folder of a service, as it is at this moment, even while the
// service runs; a file of JSON lines as `sau log export` writes it; dsjson; or a table with named
// columns. kAuto looks at the first line. Throws Error or UsageError if it cannot be read.
std::unique_ptr<ChoiceSource> open_choices(const std::filesystem::path& log,
                                           const ChoiceOptions& options = {});

}  // namespace sau
