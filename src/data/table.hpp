#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/packed_column.hpp"
#include "sau/core/types.hpp"

namespace sau::detail {

// A column of a table, as it is stored in the rows' records.
struct TableColumn {
  enum class Role : std::uint8_t { kNumber, kCategory, kLabel, kReward };

  Role role = Role::kNumber;
  Storage storage = Storage::kF64;
  std::uint16_t unused = 0;  // so that every byte of an image is defined
  std::uint32_t offset = 0;  // bytes from the start of a record
  std::uint32_t place = 0;   // its first place in the context; of a reward: its action
  std::uint32_t width = 1;   // places in the context; of a label: the number of classes
  double mean = 0.0;         // a number goes into the context as (v - mean) / scale
  double scale = 1.0;
};

// Rows ready to play: one record per row, all of the same length. A category is stored as its code,
// which stands for a 1 at place + code in the context; a code of `width` stands for no 1. Sparse
// rows also have a list of (place, value); places that are not listed are 0 before scaling.
//
// The image of a table is what a cache file holds: a container (core/container.hpp) with the key in
// its header. The payload is
//     sizes, columns, records, sparse lists
// The sizes include a CRC of the payload: the fingerprint, which is the same for every key.
// Little-endian; the records are read in place, in memory or in a mapped file.
class Table {
 public:
  // Keeps `owner` as long as it needs `image`. Throws Error if the image is damaged, has another
  // version, or was not made for `key`. No image, however made, causes a read outside of it.
  Table(std::string_view image, std::string_view key, std::shared_ptr<const void> owner);

  std::uint64_t rows() const noexcept { return rows_; }
  std::size_t dim() const noexcept { return dim_; }
  // Classes of the label, or rewards in a row; 0 if there are neither.
  Action actions() const noexcept { return actions_; }
  // The range of all rewards; {0, 1} for a label.
  RewardRange rewards() const noexcept { return rewards_; }
  // A hash of the content, in hexadecimal: the same rows give the same text.
  std::string fingerprint() const;

  // Writes the row into the context `x`, which comes from start() or the last expand(). `hot` holds
  // the places to reset before the next row.
  void expand(std::uint64_t row, std::span<double> x, std::vector<std::uint32_t>& hot) const;
  // A context before the first expand().
  std::vector<double> start() const { return start_; }

  Action label(std::uint64_t row) const {
    return static_cast<Action>(load_number(label_.storage, record(row) + label_.offset));
  }
  void rewards(std::uint64_t row, std::span<double> out) const;

 private:
  // Number columns of one storage that follow each other in the record.
  struct Run {
    Storage storage;
    std::uint32_t offset;
    std::size_t first, count;  // into place_, mean_, scale_
  };

  const char* record(std::uint64_t row) const noexcept { return records_ + row * record_size_; }
  void adopt(std::span<const TableColumn> columns);
  void check_sparse(std::uint64_t entries) const;

  std::shared_ptr<const void> owner_;
  std::uint64_t rows_ = 0, content_size_ = 0;
  std::uint32_t content_crc_ = 0;
  std::size_t dim_ = 0, record_size_ = 0;
  Action actions_ = 0;
  RewardRange rewards_{0.0, 1.0};
  const char* records_ = nullptr;

  std::vector<Run> runs_;
  std::vector<std::uint32_t> place_;
  std::vector<double> mean_, scale_;
  std::vector<TableColumn> categories_, reward_columns_;
  TableColumn label_{.storage = Storage::kU8};  // the default lies within any record

  // Sparse rows: entries of row r are starts_[r] ... starts_[r + 1].
  Storage sparse_storage_ = Storage::kF64;
  const char* starts_ = nullptr;  // u64, rows + 1; null: there are none
  const char* places_ = nullptr;  // u32
  const char* values_ = nullptr;
  std::vector<double> start_, sparse_mean_, sparse_scale_;
};

// What the rows of a sparse table hold.
struct SparseRows {
  std::vector<std::uint64_t> starts = {0};
  std::vector<std::uint32_t> places;
  PackedColumn values;
  std::size_t dim = 0;
};

// Collects columns, all of the same length, and writes the image.
class TableBuilder {
 public:
  void add_number(PackedColumn column, bool standardise);
  // Codes below `width`, or `width` for none of them.
  void add_category(PackedColumn codes, std::size_t width);
  void add_label(PackedColumn codes, std::size_t classes);
  void add_reward(PackedColumn column);
  // A place that is always 1.
  void add_intercept(std::uint64_t rows);
  void set_sparse(SparseRows rows, bool standardise);

  std::string image(std::string_view key) const;

 private:
  struct Column {
    TableColumn info;
    PackedColumn cells;
  };
  void add(TableColumn info, PackedColumn cells);

  std::vector<Column> columns_;
  std::size_t dim_ = 0, actions_ = 0;
  RewardRange rewards_{0.0, 1.0};
  SparseRows sparse_;
  std::vector<double> sparse_mean_, sparse_scale_;
};

}  // namespace sau::detail
