#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sau/data/source.hpp"
#include "sau/fetch/download.hpp"

namespace sau {

struct FetchOptions {
  std::filesystem::path folder;  // the data folder
  // A folder or an http(s) address, laid out like a data folder, with the files plain or
  // compressed. Empty: download from the publisher.
  std::string mirror;
  DownloadOptions download;
};

// Brings one file into the data folder, unpacked: it is downloaded to <file>.part, compared with
// its checksum, then moved into place. Throws Error, which says what to do instead; NotFound when
// the mirror does not have the file; Stopped.
std::filesystem::path fetch_data_file(const DataSource& source, const DataFile& file,
                                      const FetchOptions& options);

// Copies files of the data set into the data folder. `from` is one of them, or a zip with some;
// checksums decide which. Returns where they are now. Throws Error when `from` holds none.
std::vector<std::filesystem::path> add_data_files(const DataSource& source,
                                                  const std::filesystem::path& from,
                                                  const std::filesystem::path& folder);

}  // namespace sau
