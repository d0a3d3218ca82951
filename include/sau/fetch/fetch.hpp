#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sau/data/source.hpp"
#include "sau/fetch/download.hpp"

namespace sau {

struct FetchOptions {
  std::filesystem::path folder;  // the data folder
  // A folder, or an http(s) address, laid out as a data folder, with the files plain or compressed.
  // Empty: the publisher.
  std::string mirror;
  DownloadOptions download;
};

// Brings one file into the data folder, unpacked: downloaded to <file>.part, compared with its
// checksum, then put in place whole. Throws Error with what to do instead; NotFound when the mirror
// does not have it; Stopped.
std::filesystem::path fetch_data_file(const DataSource& source, const DataFile& file,
                                      const FetchOptions& options);

// Copies from `from` those files of the data set that it is or, being a zip, holds: the checksum
// decides which. Returns where they are now. Throws Error when it is none of them.
std::vector<std::filesystem::path> add_data_files(const DataSource& source,
                                                  const std::filesystem::path& from,
                                                  const std::filesystem::path& folder);

}  // namespace sau
