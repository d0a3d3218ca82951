#include <array>

#include "data/loaders.hpp"
#include "sau/core/error.hpp"

namespace sau::detail {
namespace {

// Reads the IDX format: big-endian numbers, then bytes.
class IdxReader {
 public:
  IdxReader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  // The sizes behind the magic number, which says how many there are.
  template <std::size_t kSizes>
  std::array<std::uint64_t, kSizes> header() {
    if (word() != 0x800 + kSizes) {
      throw Error(file_ + ": found no IDX header for " + std::to_string(kSizes) +
                  " dimensions of bytes");
    }
    std::array<std::uint64_t, kSizes> sizes{};
    for (std::uint64_t& size : sizes) size = word();
    return sizes;
  }
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size()) {
      throw Error(file_ + ": ends after " + std::to_string(bytes_.size()) + " bytes of " +
                  std::to_string(count));
    }
    const std::string_view result = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return result;
  }
  bool at_end() const noexcept { return bytes_.empty(); }

 private:
  std::uint64_t word() {
    std::uint64_t result = 0;
    for (const char byte : take(4)) result = result << 8U | static_cast<unsigned char>(byte);
    return result;
  }

  std::string_view bytes_;
  const std::string& file_;
};

}  // namespace

// An IDX file of 28 x 28 grey levels, which become numbers from 0 to 1, and behind it one of as
// many labels.
TableBuilder prepare_mnist(std::string_view bytes, const std::string& file) {
  IdxReader reader(bytes, file);
  const auto [count, height, width] = reader.header<3>();
  if (count > 1'000'000 || height > 1000 || width > 1000) {
    throw Error(file + ": more than a million images, or larger than 1000 x 1000");
  }
  const std::uint64_t size = height * width;
  const std::string_view pixels = reader.take(count * size);
  if (reader.header<1>()[0] != count) throw Error(file + ": not as many labels as images");
  const std::string_view labels = reader.take(count);
  if (!reader.at_end()) throw Error(file + ": something follows the labels");

  SparseRows rows;
  rows.dim = size;
  PackedColumn classes;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto label = static_cast<unsigned char>(labels[i]);
    if (label > 9)
      throw Error(file + ": found the label " + std::to_string(label) + ", expected 0 to 9");
    classes.push(label);
    for (std::uint64_t p = 0; p < size; ++p) {
      const auto level = static_cast<unsigned char>(pixels[i * size + p]);
      if (level == 0) continue;
      rows.places.push_back(static_cast<std::uint32_t>(p));
      rows.values.push(static_cast<double>(static_cast<float>(level) / 255.0F));
    }
    rows.starts.push_back(rows.places.size());
  }
  TableBuilder table;
  table.set_sparse(std::move(rows), false);
  table.add_label(std::move(classes), 10);
  return table;
}

}  // namespace sau::detail
