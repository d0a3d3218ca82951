#pragma once

#include <span>
#include <string>
#include <string_view>

#include "data/table.hpp"
#include "data/text_sources.hpp"
#include "sau/data/text_format.hpp"

namespace sau::detail {

// What a file of rows and columns is read for.
struct TextPlan {
  enum class Goal {
    kLabel,    // a class per row
    kRewards,  // a reward per action
    kNumbers,  // contexts alone
  };

  std::string file{};  // for messages, if it is given as one text
  Goal goal = Goal::kLabel;
  // kLabel; empty: the column called label, class, target or y in any letter case, else the last
  std::string label{};
  std::string context{};  // empty: every column without another use
  std::string actions{};  // kRewards
  TextFormat format{};
  bool intercept = false;  // append a place that is always 1
};

// Classes are sorted as numbers if all are numbers, else as text; categories are sorted as text.
// Throws an Error that names file, line and column if the file is not as expected, and UsageError
// if the settings do not fit it. `understood` gets one line for a person about what was found.
TableBuilder read_text_table(std::span<const TextSource> sources, const TextPlan& plan,
                             std::string* understood = nullptr);
TableBuilder read_text_table(std::string_view text, const TextPlan& plan,
                             std::string* understood = nullptr);

}  // namespace sau::detail
