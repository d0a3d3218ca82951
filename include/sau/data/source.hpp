#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "sau/core/error.hpp"

namespace sau {

// A data set that was asked for is not in the data folder; the message says how to get it.
class MissingData : public Error {
 public:
  using Error::Error;
};

// One file of a data set. Checksum and size are those of the content without compression.
struct DataFile {
  std::string_view path;    // below the data folder: "mushroom/agaricus-lepiota.data"
  std::string_view url;     // of the publisher; empty: not published in this form
  std::string_view sha256;  // empty: not known
  std::uint64_t bytes = 0;  // 0: not known
  // Only if no checksum is known: the number of lines, and how the first one begins.
  std::uint64_t lines = 0;
  std::string_view start = {};
};

struct DataSource {
  std::string_view name, title, licence;
  std::span<const DataFile> files;
  std::string_view note;  // what you must know to get it; may be empty
};

// By name. The real census file and its synthetic stand-in are two sources, census and
// census_synthetic, in one folder.
std::span<const DataSource> data_sources();

// Hyphens count as underscores. Throws UsageError for an unknown name.
const DataSource& data_source(std::string_view name);

// $SAU_DATA_DIR, else $XDG_DATA_HOME/sau/data, else ~/.local/share/sau/data.
std::filesystem::path data_folder();

// $SAU_CACHE_DIR, else $XDG_CACHE_HOME/sau, else ~/.cache/sau.
std::filesystem::path cache_folder();

// Whether prepared data are kept in the cache folder for the next start; true at first.
// Thread-safe.
void keep_prepared_data(bool keep);
bool prepared_data_are_kept();

// What may follow the name of a compressed file: ".gz", ".xz", ".Z", ".zip".
std::span<const std::string_view> packed_suffixes();

// Where the file lies below `folder`, plain or compressed; nullopt if it is not there.
std::optional<std::filesystem::path> locate_data_file(const std::filesystem::path& folder,
                                                      const DataFile& file);

// The same below data_folder(). Throws MissingData saying what to fetch and where to put it.
std::filesystem::path find_data_file(const DataFile& file);

}  // namespace sau
