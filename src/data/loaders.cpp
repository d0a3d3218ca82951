#include "data/loaders.hpp"

#include <vector>

#include "data/table_store.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "sau/data/source.hpp"
#include "sau/data/unpack.hpp"

namespace sau::detail {

const DataLoader& data_loader(std::string_view name) {
  std::vector<std::string> known;
  for (const DataLoader& loader : kDataLoaders) {
    if (loader.name == name) return loader;
    known.emplace_back(loader.name);
  }
  throw UsageError("dataset: " + unknown_name("data set", name, known));
}

std::shared_ptr<const Table> open_dataset(const DataLoader& loader) {
  const std::filesystem::path path = find_data_file(data_source(loader.name).files.front());
  const TableOrigin origin{.name = std::string(loader.name),
                           .file = path,
                           .settings = "dataset " + std::string(loader.name)};
  return open_table(origin, [&] { return loader.prepare(read_unpacked(path), path.string()); });
}

}  // namespace sau::detail
