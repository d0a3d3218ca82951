#include "table_files.hpp"

#include <utility>

#include "sau/core/file.hpp"
#include "sau/report/table.hpp"

namespace sau::cli {
namespace {

// The tables that have a number of the paper to compare with.
std::vector<Table> comparable(std::vector<Table> tables) {
  std::erase_if(tables, [](const Table& table) { return !has_paper({&table, 1}); });
  return tables;
}

void write_tables(const RunResults& results, const std::filesystem::path& folder) {
  std::vector<Cell> all;
  for (const CellResults& cell : results.cells) all.push_back(cell.cell);
  const TableOptions lasting{.kinds = {TableKind::kRegret, TableKind::kNormalised}};
  const auto kept = comparable(make_tables(summarise(results, all), lasting));
  if (kept.empty()) return;
  for (const TableFormat& format : table_formats()) {
    write_file(folder / ("tables" + std::string(format.extension)), format.write(kept));
  }
}

}  // namespace

void write_table_files(const std::filesystem::path& folder) {
  write_tables(read_results(folder, Curves::kSkip), folder);
}

MakeAddition table_addition(std::vector<Cell> cells) {
  return [cells = std::move(cells)](const std::filesystem::path& folder,
                                    const std::atomic<bool>& /*stop*/) {
    const RunResults results = read_results(folder, Curves::kSkip);
    write_tables(results, folder);
    return Addition{.key = "",
                    .json = "",
                    .text = table_text(comparable(make_tables(summarise(results, cells), {})))};
  };
}

}  // namespace sau::cli
