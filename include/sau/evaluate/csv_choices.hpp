#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sau/evaluate/choice_source.hpp"

namespace sau {

// Which column is what, by name. Empty: the first of the usual names that the file has.
struct CsvColumns {
  std::string action{};  // usually action, item_id or arm
  std::string chance{};  // usually chance, probability, propensity, propensity_score or pscore
  std::string reward{};  // usually reward, click or outcome
  std::string group{};   // only actions of the same group are on offer together
  std::string ignore{};  // columns that are no features, joined by commas
  std::filesystem::path items{};  // a second file with the features of the actions
};

// A log with one decision per row and named columns, such as the Open Bandit Dataset's. It may be
// compressed. Every action of the file, or of its group, is on offer in each row. All columns
// without another use are features of the context, except those without a name and those called
// time, timestamp or date. `by` are columns that divide the results.
// Throws Error, which names file, line and column, or UsageError if a column is missing.
std::unique_ptr<ChoiceSource> open_csv_choices(const std::filesystem::path& file,
                                               const CsvColumns& columns,
                                               const std::vector<std::string>& by);

}  // namespace sau
