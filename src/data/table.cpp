#include "data/table.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>

#include "core/json_text.hpp"
#include "sau/core/container.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"

namespace sau::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "tables are stored little-endian");

// The beginning of the payload.
struct Head {
  std::uint64_t columns, rows, record_size, dim, entries;
  std::uint32_t actions, sparse_storage;
  double reward_min, reward_max;
  std::uint64_t sparse_dim;
  std::uint32_t content_crc, unused;  // CRC of the numbers above and of what follows
};
static_assert(std::is_trivially_copyable_v<Head> && sizeof(Head) == 80);
static_assert(std::is_trivially_copyable_v<TableColumn> && sizeof(TableColumn) == 32);

// The CRC of the head up to content_crc, and of the content.
std::uint32_t content_checksum(const Head& head, std::string_view content) {
  const std::string_view sizes(reinterpret_cast<const char*>(&head), offsetof(Head, content_crc));
  return crc32(content, crc32(sizes));
}

std::string header_of(std::string_view key) {
  std::string header = "{\"key\":";
  append_json(header, key);
  return header + "}";
}

void require(bool good) {
  if (!good) throw Error("its numbers do not fit together");
}

// Whether the column lies in the record, and its places in the context or among the actions.
void check_column(const TableColumn& column, const Head& head) {
  using Role = TableColumn::Role;
  require(column.role <= Role::kReward && column.storage <= Storage::kF64);
  require(column.offset + std::uint64_t{size_of(column.storage)} <= head.record_size);
  const std::uint64_t place = column.place;
  if (column.role == Role::kNumber) require(place < head.dim);
  if (column.role == Role::kCategory) require(place + column.width <= head.dim);
  if (column.role == Role::kReward) require(place < head.actions);
}

// Takes parts from the start; every part starts at a multiple of 8.
class Parts {
 public:
  explicit Parts(std::string_view bytes) : bytes_(bytes) {}
  const char* take(std::uint64_t count, std::uint64_t size) {
    if (size != 0 && count > bytes_.size() / size) throw Error("it ends early");
    const char* part = bytes_.data();
    bytes_.remove_prefix(std::min<std::size_t>((count * size + 7) / 8 * 8, bytes_.size()));
    return part;
  }

 private:
  std::string_view bytes_;
};

void append(std::string& image, const void* part, std::size_t size) {
  if (size > 0) image.append(static_cast<const char*>(part), size);
  image.resize((image.size() + 7) / 8 * 8);
}

template <class T>
void expand_run(const char* from, std::size_t count, const std::uint32_t* place, const double* mean,
                const double* scale, double* x) {
  for (std::size_t i = 0; i < count; ++i, from += sizeof(T)) {
    x[place[i]] = (load_as<T>(from) - mean[i]) / scale[i];
  }
}

}  // namespace

Table::Table(std::string_view image, std::string_view key, std::shared_ptr<const void> owner)
    : owner_(std::move(owner)) {
  const Container file = open_container(image, "the table", kTableFile);
  if (file.header != header_of(key)) throw Error("it was made from other data");
  Parts parts(file.payload);
  Head head;
  std::memcpy(&head, parts.take(1, sizeof head), sizeof head);
  content_size_ = file.payload.size() - sizeof head;
  content_crc_ = head.content_crc;
  constexpr std::uint64_t kMaxDim = std::uint64_t{1} << 26;
  require(head.rows <= std::numeric_limits<std::uint32_t>::max() && head.dim <= kMaxDim &&
          head.sparse_dim <= head.dim && head.record_size + head.sparse_dim > 0 &&
          head.sparse_storage <= static_cast<std::uint32_t>(Storage::kF64));
  rows_ = head.rows;
  dim_ = head.dim;
  actions_ = head.actions;
  rewards_ = {head.reward_min, head.reward_max};
  record_size_ = head.record_size;
  const char* described = parts.take(head.columns, sizeof(TableColumn));
  std::vector<TableColumn> columns(head.columns);
  if (!columns.empty()) {
    std::memcpy(columns.data(), described, columns.size() * sizeof(TableColumn));
  }
  for (const TableColumn& column : columns) check_column(column, head);
  records_ = parts.take(head.rows, head.record_size);
  start_.assign(dim_, 0.0);
  if (head.sparse_dim > 0) {
    sparse_storage_ = static_cast<Storage>(head.sparse_storage);
    starts_ = parts.take(head.rows + 1, sizeof(std::uint64_t));
    places_ = parts.take(head.entries, sizeof(std::uint32_t));
    values_ = parts.take(head.entries, size_of(sparse_storage_));
    for (auto* part : {&sparse_mean_, &sparse_scale_}) {
      const char* numbers = parts.take(head.sparse_dim, sizeof(double));
      part->resize(head.sparse_dim);
      std::memcpy(part->data(), numbers, head.sparse_dim * sizeof(double));
    }
    check_sparse(head.entries);
    for (std::size_t i = 0; i < head.sparse_dim; ++i)
      start_[i] = -sparse_mean_[i] / sparse_scale_[i];
  }
  adopt(columns);
}

std::string Table::fingerprint() const {
  char text[32];
  std::snprintf(text, sizeof text, "%08x%08llx", static_cast<unsigned>(content_crc_),
                static_cast<unsigned long long>(content_size_));
  return text;
}

void Table::check_sparse(std::uint64_t entries) const {
  std::uint64_t before = 0;
  for (std::uint64_t row = 0; row <= rows_; ++row) {
    std::uint64_t start = 0;
    std::memcpy(&start, starts_ + row * sizeof start, sizeof start);
    require(before <= start && start <= entries);
    before = start;
  }
  for (std::uint64_t i = 0; i < entries; ++i) {
    std::uint32_t place = 0;
    std::memcpy(&place, places_ + i * sizeof place, sizeof place);
    require(place < sparse_mean_.size());
  }
}

void Table::adopt(std::span<const TableColumn> columns) {
  using Role = TableColumn::Role;
  for (const TableColumn& column : columns) {
    if (column.role == Role::kCategory) categories_.push_back(column);
    if (column.role == Role::kReward) reward_columns_.push_back(column);
    if (column.role == Role::kLabel) label_ = column;
    if (column.role != Role::kNumber) continue;
    const bool follows =
        !runs_.empty() && runs_.back().storage == column.storage &&
        runs_.back().offset + runs_.back().count * size_of(column.storage) == column.offset;
    if (!follows) runs_.push_back({column.storage, column.offset, place_.size(), 0});
    ++runs_.back().count;
    place_.push_back(column.place);
    mean_.push_back(column.mean);
    scale_.push_back(column.scale);
  }
}

void Table::expand(std::uint64_t row, std::span<double> x, std::vector<std::uint32_t>& hot) const {
  SAU_ASSERT(row < rows_ && x.size() == dim_, "the row and the context are the table's");
  for (const std::uint32_t place : hot) x[place] = start_[place];
  hot.clear();
  const char* from = record(row);
  for (const Run& run : runs_) {
    const auto place = [&](auto type) {
      expand_run<decltype(type)>(from + run.offset, run.count, &place_[run.first],
                                 &mean_[run.first], &scale_[run.first], x.data());
    };
    switch (run.storage) {
      case Storage::kU8:
        place(std::uint8_t{});
        break;
      case Storage::kI16:
        place(std::int16_t{});
        break;
      case Storage::kF32:
        place(float{});
        break;
      case Storage::kF64:
        place(double{});
        break;
    }
  }
  for (const TableColumn& column : categories_) {
    const auto code = static_cast<std::uint32_t>(load_number(column.storage, from + column.offset));
    if (code >= column.width) continue;
    x[column.place + code] = 1.0;
    hot.push_back(column.place + code);
  }
  if (starts_ == nullptr) return;
  std::uint64_t range[2];
  std::memcpy(range, starts_ + row * sizeof(std::uint64_t), sizeof range);
  for (std::uint64_t i = range[0]; i < range[1]; ++i) {
    std::uint32_t place = 0;
    std::memcpy(&place, places_ + i * sizeof place, sizeof place);
    const double value = load_number(sparse_storage_, values_ + i * size_of(sparse_storage_));
    x[place] = (value - sparse_mean_[place]) / sparse_scale_[place];
    hot.push_back(place);
  }
}

void Table::rewards(std::uint64_t row, std::span<double> out) const {
  const char* from = record(row);
  for (const TableColumn& column : reward_columns_) {
    out[column.place] = load_number(column.storage, from + column.offset);
  }
}

void TableBuilder::add(TableColumn info, PackedColumn cells) {
  SAU_ASSERT(columns_.empty() || columns_.front().cells.size() == cells.size(),
             "all columns have the same number of rows");
  info.storage = cells.storage();
  columns_.push_back({info, std::move(cells)});
}

void TableBuilder::add_number(PackedColumn column, bool standardise) {
  TableColumn info{.place = static_cast<std::uint32_t>(dim_++)};
  if (standardise && column.size() > 0) {
    const auto rows = static_cast<double>(column.size());
    double sum = 0.0, square = 0.0;
    for (std::size_t row = 0; row < column.size(); ++row) sum += column[row];
    info.mean = sum / rows;
    for (std::size_t row = 0; row < column.size(); ++row) {
      square += (column[row] - info.mean) * (column[row] - info.mean);
    }
    const double deviation = std::sqrt(square / rows);
    // Rounding alone may give a constant column a deviation.
    const bool constant = deviation <= 1e-14 * std::abs(info.mean);
    info.scale = constant ? 1.0 : deviation;
    if (constant) info.mean = column[0];
  }
  add(info, std::move(column));
}

void TableBuilder::add_category(PackedColumn codes, std::size_t width) {
  add({.role = TableColumn::Role::kCategory,
       .place = static_cast<std::uint32_t>(dim_),
       .width = static_cast<std::uint32_t>(width)},
      std::move(codes));
  dim_ += width;
}

void TableBuilder::add_label(PackedColumn codes, std::size_t classes) {
  actions_ = classes;
  add({.role = TableColumn::Role::kLabel, .width = static_cast<std::uint32_t>(classes)},
      std::move(codes));
}

void TableBuilder::add_reward(PackedColumn column) {
  if (actions_ == 0) rewards_ = {column[0], column[0]};
  for (std::size_t row = 0; row < column.size(); ++row) {
    rewards_.min = std::min(rewards_.min, column[row]);
    rewards_.max = std::max(rewards_.max, column[row]);
  }
  add({.role = TableColumn::Role::kReward, .place = static_cast<std::uint32_t>(actions_++)},
      std::move(column));
}

void TableBuilder::add_intercept(std::uint64_t rows) {
  PackedColumn ones;
  for (std::uint64_t row = 0; row < rows; ++row) ones.push(1.0);
  add_number(std::move(ones), false);
}

void TableBuilder::set_sparse(SparseRows rows, bool standardise) {
  SAU_ASSERT(dim_ == 0, "sparse places come first");
  dim_ = rows.dim;
  sparse_mean_.assign(dim_, 0.0);
  sparse_scale_.assign(dim_, 1.0);
  if (standardise) {
    const auto count = static_cast<double>(rows.starts.size() - 1);
    std::vector<double> seen(dim_), square(dim_);
    for (std::size_t i = 0; i < rows.places.size(); ++i) {
      sparse_mean_[rows.places[i]] += rows.values[i] / count;
    }
    for (std::size_t i = 0; i < rows.places.size(); ++i) {
      const std::uint32_t place = rows.places[i];
      const double off = rows.values[i] - sparse_mean_[place];
      square[place] += off * off;
      seen[place] += 1.0;
    }
    for (std::size_t place = 0; place < dim_; ++place) {
      const double zeros = (count - seen[place]) * sparse_mean_[place] * sparse_mean_[place];
      const double deviation = std::sqrt((square[place] + zeros) / count);
      const bool constant = deviation <= 1e-14 * std::abs(sparse_mean_[place]);
      sparse_scale_[place] = constant ? 1.0 : deviation;
    }
  }
  sparse_ = std::move(rows);
}

std::string TableBuilder::image(std::string_view key) const {
  // Wide columns first, and those of one kind and storage side by side.
  std::vector<std::size_t> order(columns_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const TableColumn &one = columns_[a].info, &other = columns_[b].info;
    return one.storage != other.storage ? one.storage > other.storage : one.role < other.role;
  });
  std::vector<TableColumn> infos;
  std::size_t record_size = 0;
  for (const std::size_t i : order) {
    infos.push_back(columns_[i].info);
    infos.back().offset = static_cast<std::uint32_t>(record_size);
    record_size += size_of(infos.back().storage);
  }
  const std::size_t rows =
      columns_.empty() ? sparse_.starts.size() - 1 : columns_.front().cells.size();

  Head head{};
  head.columns = infos.size();
  head.rows = rows;
  head.record_size = record_size;
  head.dim = dim_;
  head.entries = sparse_.places.size();
  head.actions = static_cast<std::uint32_t>(actions_);
  head.sparse_storage = static_cast<std::uint32_t>(sparse_.values.storage());
  head.reward_min = rewards_.min;
  head.reward_max = rewards_.max;
  head.sparse_dim = sparse_.dim;

  std::string image = begin_container(kTableFile, header_of(key));
  const std::size_t start = image.size(), content = start + sizeof head;
  append(image, &head, sizeof head);
  append(image, infos.data(), infos.size() * sizeof(TableColumn));
  const std::size_t records = image.size();
  image.resize(records + (rows * record_size + 7) / 8 * 8);
  for (std::size_t c = 0; c < infos.size(); ++c) {
    const char* from = columns_[order[c]].cells.bytes();
    const std::size_t size = size_of(infos[c].storage);
    char* to = image.data() + records + infos[c].offset;
    for (std::size_t row = 0; row < rows; ++row, from += size, to += record_size) {
      std::memcpy(to, from, size);
    }
  }
  if (sparse_.dim > 0) {
    append(image, sparse_.starts.data(), sparse_.starts.size() * sizeof(std::uint64_t));
    append(image, sparse_.places.data(), sparse_.places.size() * sizeof(std::uint32_t));
    append(image, sparse_.values.bytes(),
           sparse_.values.size() * size_of(sparse_.values.storage()));
    append(image, sparse_mean_.data(), sparse_mean_.size() * sizeof(double));
    append(image, sparse_scale_.data(), sparse_scale_.size() * sizeof(double));
  }
  head.content_crc = content_checksum(head, std::string_view(image).substr(content));
  std::memcpy(image.data() + start, &head, sizeof head);
  return finish_container(std::move(image));
}

}  // namespace sau::detail
