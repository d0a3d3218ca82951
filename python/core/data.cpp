// Data sets as arrays, and arrays as problems.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <cmath>

#include "arrays.hpp"
#include "data/loaders.hpp"
#include "errors.hpp"
#include "parts.hpp"
#include "sau/core/text.hpp"
#include "sau/data/source.hpp"
#include "sau/data/unpack.hpp"
#include "table_problem.hpp"

namespace sau::python {
namespace {

using namespace py::literals;
using detail::DataLoader;
using detail::SharedTable;
using detail::Table;

Doubles contexts_in(const Table& table) {
  const std::size_t rows = table.rows(), dim = table.dim();
  Doubles out({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(dim)});
  double* to = out.mutable_data();
  const py::gil_scoped_release unlocked;
  std::vector<double> x = table.start();
  std::vector<std::uint32_t> hot;
  for (std::size_t row = 0; row < rows; ++row, to += dim) {
    table.expand(row, x, hot);
    std::ranges::copy(x, to);
  }
  return out;
}

py::array_t<std::int64_t> labels_in(const Table& table) {
  py::array_t<std::int64_t> out(static_cast<py::ssize_t>(table.rows()));
  std::int64_t* to = out.mutable_data();
  for (std::size_t row = 0; row < table.rows(); ++row) to[row] = table.label(row);
  return out;
}

// (contexts, labels or None, n_actions, steps of a trial)
py::tuple load_data(std::string name) {
  std::ranges::replace(name, '-', '_');
  const DataLoader& loader = detail::data_loader(name);
  SharedTable table;
  {
    const py::gil_scoped_release unlocked;
    table = detail::open_dataset(loader);
  }
  const bool labelled = table->actions() > 0;
  const py::object labels = labelled ? py::object(labels_in(*table)) : py::none();
  return py::make_tuple(contexts_in(*table), labels, table->actions(), loader.steps);
}

py::list describe_sources() {
  py::list list;
  for (const DataSource& source : data_sources()) {
    py::list files;
    for (const DataFile& file : source.files) {
      const auto found = locate_data_file(data_folder(), file);
      files.append(py::dict(
          "path"_a = std::string(file.path), "url"_a = std::string(file.url),
          "sha256"_a = std::string(file.sha256), "bytes"_a = file.bytes, "lines"_a = file.lines,
          "found"_a = found ? py::object(py::cast(*found)) : py::object(py::none())));
    }
    list.append(py::dict("name"_a = std::string(source.name), "title"_a = std::string(source.title),
                         "licence"_a = std::string(source.licence),
                         "note"_a = std::string(source.note), "files"_a = files));
  }
  return list;
}

detail::PackedColumn pack(const Matrix& matrix, std::size_t column) {
  detail::PackedColumn packed;
  for (std::size_t i = 0; i < matrix.rows(); ++i) packed.push(matrix.row(i)[column]);
  return packed;
}

void check_size(const Matrix& contexts) {
  constexpr double kLargest = 1e100;  // as in files: far enough from overflow for sums of squares
  if (contexts.rows() == 0) throw UsageError("the data have no rows");
  contexts.check(contexts.columns());
  for (std::size_t i = 0; i < contexts.rows(); ++i) {
    for (const double number : contexts.row(i)) {
      if (std::abs(number) <= kLargest) continue;
      throw UsageError("contexts: row " + std::to_string(i) + " has " + format_number(number) +
                       ", expected numbers at most 1e100 in size");
    }
  }
}

SharedTable make_table(const detail::TableBuilder& builder) {
  const auto image = std::make_shared<const std::string>(builder.image("arrays"));
  return std::make_shared<const Table>(*image, "arrays", image);
}

TableProblem from_labels(py::handle x, py::handle labels, Action classes, bool standardise) {
  const Matrix contexts(x, "contexts");
  check_size(contexts);
  detail::TableBuilder builder;
  for (std::size_t j = 0; j < contexts.columns(); ++j) {
    builder.add_number(pack(contexts, j), standardise);
  }
  detail::PackedColumn codes;
  for (const Action label : actions_of(labels, contexts.rows(), classes, "labels")) {
    codes.push(label);
  }
  builder.add_label(std::move(codes), classes);
  return {.table = make_table(builder), .labelled = true};
}

TableProblem from_rewards(py::handle x, py::handle rewards, bool standardise) {
  const Matrix contexts(x, "contexts"), paid(rewards, "rewards");
  check_size(contexts);
  if (paid.rows() != contexts.rows() || paid.columns() == 0) {
    throw UsageError("rewards: expected a row of rewards for each of " +
                     std::to_string(contexts.rows()) + " contexts, found " +
                     std::to_string(paid.rows()) + " rows of " + std::to_string(paid.columns()));
  }
  for (std::size_t i = 0; i < paid.rows(); ++i) {
    for (const double reward : paid.row(i)) {
      if (RewardRange{}.contains(reward)) continue;
      throw UsageError("rewards: row " + std::to_string(i) + " has " + format_number(reward) +
                       ", expected finite numbers, at most 1e100 in size");
    }
  }
  detail::TableBuilder builder;
  for (std::size_t j = 0; j < contexts.columns(); ++j) {
    builder.add_number(pack(contexts, j), standardise);
  }
  for (std::size_t a = 0; a < paid.columns(); ++a) builder.add_reward(pack(paid, a));
  return {.table = make_table(builder), .labelled = false};
}

}  // namespace

std::unique_ptr<Problem> TableProblem::play(const Stream& stream) const {
  if (labelled) return detail::play_classes(table, stream, table->rows());
  return detail::play_rewards(table, stream, table->rows());
}

void define_data(py::module_& module) {
  py::class_<TableProblem>(module, "TableProblem", "Arrays, ready to be played.")
      .def_static("from_labels", &from_labels, "contexts"_a, "labels"_a, "n_actions"_a,
                  "standardise"_a)
      .def_static("from_rewards", &from_rewards, "contexts"_a, "rewards"_a, "standardise"_a)
      .def_property_readonly("rows", [](const TableProblem& one) { return one.table->rows(); })
      .def_property_readonly("n_actions",
                             [](const TableProblem& one) { return one.table->actions(); })
      .def_property_readonly("context_dim",
                             [](const TableProblem& one) { return one.table->dim(); })
      .def_property_readonly("reward_range",
                             [](const TableProblem& one) {
                               const RewardRange range = one.table->rewards();
                               return py::make_tuple(range.min, range.max);
                             })
      .def_property_readonly("fingerprint",
                             [](const TableProblem& one) { return one.table->fingerprint(); });
  module.def("load_data", &load_data, "name"_a)
      .def("data_sources", &describe_sources)
      .def("data_folder", [] { return data_folder(); })
      .def("packed_suffixes",
           [] {
             const auto suffixes = packed_suffixes();
             return std::vector<std::string>(suffixes.begin(), suffixes.end());
           })
      .def(
          "unpack",
          [](const std::filesystem::path& path, const std::string& member) {
            std::string content;
            {
              const py::gil_scoped_release unlocked;
              content = read_unpacked(path, member);
            }
            return py::bytes(content);
          },
          "path"_a, "member"_a);
}

}  // namespace sau::python
