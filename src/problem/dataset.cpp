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
  detail::SharedTable table = detail::open_dataset(loader);
  switch (loader.rewards) {
    case DataRewards::kLabel:
      break;
    case DataRewards::kMushroom:
      return detail::play_mushroom(std::move(table), stream, loader.steps, options.outcomes);
    case DataRewards::kJester:
      return detail::play_jester(std::move(table), stream, loader.steps);
    case DataRewards::kPortfolios:
      return detail::play_portfolios(std::move(table), stream, loader.steps);
  }
  return detail::play_labels(std::move(table), stream, loader.steps);
}

}  // namespace

Dataset::Dataset(const Stream& stream, const Options& options)
    : DataProblem(make(stream, options)) {}

}  // namespace sau
