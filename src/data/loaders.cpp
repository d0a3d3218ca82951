#include "data/loaders.hpp"

#include <vector>

#include "data/table_store.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "sau/data/source.hpp"
#include "sau/data/unpack.hpp"

namespace sau::detail {

namespace {

void check_whole(const DataLoader& loader, const Table& table, const std::string& file) {
  const struct {
    std::string_view what;
    std::uint64_t found, expected;
  } counts[] = {{"rows", table.rows(), loader.rows},
                {"places in the context", table.dim(), loader.dim},
                {"classes", table.actions(), loader.actions}};
  for (const auto& [what, found, expected] : counts) {
    if (found == expected) continue;
    throw Error(file + " has " + std::to_string(found) + " " + std::string(what) + ", expected " +
                std::to_string(expected) + ": it is damaged or another file; try 'sau data check " +
                std::string(loader.source.empty() ? loader.name : loader.source) + "'");
  }
}

}  // namespace

const DataLoader& data_loader(std::string_view name) {
  std::vector<std::string> known;
  for (const DataLoader& loader : kDataLoaders) {
    if (loader.name == name) return loader;
    known.emplace_back(loader.name);
  }
  throw UsageError("dataset: " + unknown_name("data set", name, known));
}

std::shared_ptr<const Table> open_dataset(const DataLoader& loader) {
  const std::span files =
      data_source(loader.source.empty() ? loader.name : loader.source).files.first(loader.files);
  const std::filesystem::path path = find_data_file(files.front());
  const TableOrigin origin{.name = std::string(loader.name),
                           .files = {path},
                           .settings = "dataset " + std::string(loader.name)};
  auto table = open_table(origin, [&] {
    std::string text = read_unpacked(path);
    for (const DataFile& file : files.subspan(1)) text += read_unpacked(find_data_file(file));
    return loader.prepare(text, path.string());
  });
  check_whole(loader, *table, path.string());
  return table;
}

}  // namespace sau::detail
