#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "data/table.hpp"

namespace sau::detail {

// How a data set is played.
enum class Play {
  kLabel,      // 1 for the right class
  kMushroom,   // class 0 edible, 1 poisonous
  kJester,     // columns permuted, the last 8 are rewards
  kPortfolios  // rewards of random portfolios
};

// A data set of the paper: `name` is that of its source.
struct DataLoader {
  std::string_view name;
  Play play = Play::kLabel;
  std::uint64_t steps = 0;  // of a trial
  // `text` is the content of the first file of its source, `file` its name for messages.
  TableBuilder (*prepare)(std::string_view text, const std::string& file) = nullptr;
};

TableBuilder prepare_adult(std::string_view text, const std::string& file);
TableBuilder prepare_census(std::string_view text, const std::string& file);
TableBuilder prepare_covertype(std::string_view text, const std::string& file);
TableBuilder prepare_financial(std::string_view text, const std::string& file);
TableBuilder prepare_jester(std::string_view text, const std::string& file);
TableBuilder prepare_mushroom(std::string_view text, const std::string& file);
TableBuilder prepare_statlog(std::string_view text, const std::string& file);

// Steps are those of the paper's appendix D, but for adult, whose table is that of 45222.
inline constexpr DataLoader kDataLoaders[] = {
    {"adult", Play::kLabel, 45'222, prepare_adult},
    {"census", Play::kLabel, 25'000, prepare_census},
    {"census_synthetic", Play::kLabel, 25'000, prepare_census},
    {"covertype", Play::kLabel, 50'000, prepare_covertype},
    {"financial", Play::kPortfolios, 3'713, prepare_financial},
    {"jester", Play::kJester, 19'181, prepare_jester},
    {"mushroom", Play::kMushroom, 50'000, prepare_mushroom},
    {"statlog", Play::kLabel, 43'500, prepare_statlog},
};

// Throws UsageError for an unknown name.
const DataLoader& data_loader(std::string_view name);

// The data set of a loader, found in the data folder. Throws Error when it is not there.
std::shared_ptr<const Table> open_dataset(const DataLoader& loader);

}  // namespace sau::detail
