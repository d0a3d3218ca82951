#include "sau/problem/dataset.hpp"

#include "data/loaders.hpp"
#include "problem/row_problems.hpp"

namespace sau {
namespace {

std::unique_ptr<Problem> make(const Stream& stream, const DatasetOptions& options) {
  using detail::DataRewards;
  if (options.name.empty()) {
    throw UsageError("dataset: name is missing; write dataset(name=mushroom) or the like");
  }
  const detail::DataLoader& loader = detail::data_loader(options.name);
  if (options.outcomes != Outcomes::kFrozen && loader.rewards != DataRewards::kMushroom) {
    throw UsageError("dataset: outcomes is a setting of mushroom only, not of " + options.name);
  }
  const bool classes =
      loader.rewards == DataRewards::kLabel || options.outcomes == Outcomes::kClass;
  if (options.length != RowLength::kOwn && !classes) {
    throw UsageError(
        "dataset: length=unit needs classes; " + options.name +
        (loader.rewards == DataRewards::kMushroom ? " has them with outcomes=class" : " has none"));
  }
  detail::SharedTable table = detail::open_dataset(loader);
  switch (loader.rewards) {
    case DataRewards::kLabel:
      break;
    case DataRewards::kMushroom:
      if (classes) break;
      return detail::play_mushroom(std::move(table), stream, loader.steps, options.outcomes);
    case DataRewards::kJester:
      return detail::play_jester(std::move(table), stream, loader.steps);
    case DataRewards::kPortfolios:
      return detail::play_portfolios(std::move(table), stream, loader.steps);
  }
  return detail::play_labels(std::move(table), stream, loader.steps, options.length);
}

}  // namespace

Dataset::Dataset(const Stream& stream, const Options& options)
    : DataProblem(make(stream, options)) {}

}  // namespace sau
