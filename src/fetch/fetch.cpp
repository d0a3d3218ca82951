#include "sau/fetch/fetch.hpp"

#include <array>
#include <string_view>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/data/unpack.hpp"
#include "sau/fetch/verify.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;

// Smallest files first.
constexpr std::array<std::string_view, 5> kForms = {".xz", ".gz", "", ".Z", ".zip"};

bool is_address(const std::string& mirror) { return mirror.find("://") != std::string::npos; }

std::string file_name(const DataFile& file) { return fs::path(file.path).filename().string(); }

void put(const fs::path& target, std::string_view content) {
  std::error_code failure;
  fs::create_directories(target.parent_path(), failure);
  if (failure) {
    throw Error("cannot make the folder " + target.parent_path().string() + ": " +
                failure.message());
  }
  write_file(target, content);
}

// Removes the part even if `put` fails, since the disk may be full.
void put_and_discard(const fs::path& target, std::string_view content, const fs::path& part) {
  try {
    put(target, content);
  } catch (const Error&) {
    discard_part(part);
    throw;
  }
  discard_part(part);
}

void download_and_put(const std::string& url, const DataFile& file, const FetchOptions& options) {
  const fs::path target = options.folder / file.path;
  const fs::path part = target.string() + ".part";
  for (bool again = false;; again = true) {
    const bool resumed = download(url, part, options.download);
    std::string content, why;
    try {
      content = unpack(read_file(part), url, file_name(file));
      why = mismatch(file, content);
      if (!why.empty()) why.insert(0, url + " is not the file it should be: ");
    } catch (const Error& error) {
      why = error.what();
    }
    if (why.empty()) {
      put_and_discard(target, content, part);
      return;
    }
    discard_part(part);
    // A resumed download may join halves of two different files if the server did not report that
    // its file had changed, so try once more from the start.
    if (!resumed || again) throw Error(why);
  }
}

std::string by_hand(const DataSource& source, const DataFile& file, const FetchOptions& options) {
  const std::string place = " (it goes to " + (options.folder / file.path).string() + ")";
  const std::string add = "'sau data add " + std::string(source.name) + " FILE'" + place;
  if (file.url.empty()) return "; " + std::string(source.note) + place;
  return "; without network access, fetch " + std::string(file.url) + " elsewhere and use " + add;
}

void fetch_from_address(const std::string& base, const DataFile& file,
                        const FetchOptions& options) {
  if (!base.starts_with("http://") && !base.starts_with("https://")) {
    throw UsageError("the mirror " + base + " is neither a folder nor an http or https address");
  }
  std::string stem = base;
  while (stem.ends_with('/')) stem.pop_back();
  stem += "/" + std::string(file.path);
  for (const std::string_view form : kForms) {
    try {
      download_and_put(stem + std::string(form), file, options);
      return;
    } catch (const NotFound&) {
      continue;
    }
  }
  throw NotFound("the mirror has no " + stem + ", neither plain nor with .xz, .gz, .Z or .zip");
}

void fetch_from_folder(const DataFile& file, const FetchOptions& options) {
  const fs::path mirror = options.mirror;
  std::error_code ignored;
  if (!fs::is_directory(mirror, ignored)) {
    throw UsageError("the mirror " + mirror.string() + " is neither a folder nor an address");
  }
  const auto found = locate_data_file(mirror, file);
  if (!found) {
    throw NotFound("the mirror has no " + (mirror / file.path).string() +
                   ", neither plain nor with .xz, .gz, .Z or .zip");
  }
  const std::string content = read_unpacked(*found, file_name(file));
  const std::string why = mismatch(file, content);
  if (!why.empty()) throw Error(found->string() + " is not the file it should be: " + why);
  put(options.folder / file.path, content);
}

}  // namespace

fs::path fetch_data_file(const DataSource& source, const DataFile& file,
                         const FetchOptions& options) {
  if (is_address(options.mirror)) {
    fetch_from_address(options.mirror, file, options);
  } else if (!options.mirror.empty()) {
    fetch_from_folder(file, options);
  } else if (file.url.empty()) {
    throw Error(file_name(file) + " cannot be downloaded" + by_hand(source, file, options));
  } else {
    try {
      download_and_put(std::string(file.url), file, options);
    } catch (const Stopped&) {
      throw;
    } catch (const Error& error) {
      throw Error(error.what() + by_hand(source, file, options));
    }
  }
  return options.folder / file.path;
}

std::vector<fs::path> add_data_files(const DataSource& source, const fs::path& from,
                                     const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(from, ignored)) throw Error(from.string() + " does not exist");
  if (!fs::is_regular_file(from, ignored)) throw Error(from.string() + " is not a regular file");
  std::vector<fs::path> added;
  std::string reasons;
  for (const DataFile& file : source.files) {
    std::string content, why;
    try {
      content = read_unpacked(from, file_name(file));
      why = mismatch(file, content);
    } catch (const Error& error) {
      why = error.what();
    }
    if (why.empty()) {
      added.push_back(folder / file.path);
      put(added.back(), content);
      continue;
    }
    reasons += "; as " + file_name(file) + ": " + why;
  }
  if (!added.empty()) return added;
  throw Error(from.string() + " is not a file of the data set " + std::string(source.name) +
              reasons);
}

}  // namespace sau
