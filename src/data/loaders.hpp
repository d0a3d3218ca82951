#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "data/table.hpp"

namespace sau::detail {

// How a data set rewards an action.
enum class DataRewards {
  kLabel,      // 1 for the right class
  kMushroom,   // class 0 edible, 1 poisonous
  kJester,     // columns permuted, the last 8 are rewards
  kPortfolios  // rewards of random portfolios
};

// A data set of the paper or of its rivals.
struct DataLoader {
  std::string_view name;
  DataRewards rewards = DataRewards::kLabel;
  std::uint64_t steps = 0;  // of a trial
  // What the complete file gives; any other table is refused.
  std::uint64_t rows = 0;
  std::size_t dim = 0;
  Action actions = 0;  // classes of the label; 0: it has none
  // `text` is the content of the first file of its source, `file` its name for messages.
  TableBuilder (*prepare)(std::string_view text, const std::string& file) = nullptr;
  std::size_t files = 1;         // how many files of the source are read, in order
  std::string_view source = {};  // empty: the same as the name
};

TableBuilder prepare_adult(std::string_view text, const std::string& file);
TableBuilder prepare_adult_income(std::string_view text, const std::string& file);
TableBuilder prepare_census(std::string_view text, const std::string& file);
TableBuilder prepare_covertype(std::string_view text, const std::string& file);
TableBuilder prepare_financial(std::string_view text, const std::string& file);
TableBuilder prepare_jester(std::string_view text, const std::string& file);
TableBuilder prepare_magic(std::string_view text, const std::string& file);
TableBuilder prepare_mnist(std::string_view bytes, const std::string& file);
TableBuilder prepare_mushroom(std::string_view text, const std::string& file);
TableBuilder prepare_statlog(std::string_view text, const std::string& file);

// Steps are those of the paper's appendix D, except for adult, whose table is for 45222 steps. Data
// sets that are not in the paper are played once through.
inline constexpr DataLoader kDataLoaders[] = {
    {"adult", DataRewards::kLabel, 45'222, 30'162, 92, 14, prepare_adult},
    {"adult_income", DataRewards::kLabel, 30'162, 30'162, 104, 2, prepare_adult_income, 1, "adult"},
    {"census", DataRewards::kLabel, 25'000, 2'458'285, 387, 9, prepare_census},
    {"census_synthetic", DataRewards::kLabel, 25'000, 250'000, 387, 9, prepare_census},
    {"covertype", DataRewards::kLabel, 50'000, 581'012, 54, 7, prepare_covertype},
    {"financial", DataRewards::kPortfolios, 3'713, 3'713, 21, 0, prepare_financial},
    {"jester", DataRewards::kJester, 19'181, 19'181, 40, 0, prepare_jester},
    {"magic", DataRewards::kLabel, 19'020, 19'020, 10, 2, prepare_magic},
    {"mnist", DataRewards::kLabel, 60'000, 60'000, 784, 10, prepare_mnist, 2},
    {"mushroom", DataRewards::kMushroom, 50'000, 8'124, 117, 2, prepare_mushroom},
    {"statlog", DataRewards::kLabel, 43'500, 43'500, 9, 7, prepare_statlog},
};

// Throws UsageError for an unknown name.
const DataLoader& data_loader(std::string_view name);

// The data set of a loader, found in the data folder. Throws Error if it is missing or incomplete.
std::shared_ptr<const Table> open_dataset(const DataLoader& loader);

}  // namespace sau::detail
