#include "data/table_store.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/core/note.hpp"
#include "sau/core/text.hpp"
#include "sau/data/source.hpp"

namespace sau::detail {
namespace {

namespace fs = std::filesystem;

// What stays the same when the file changes.
std::string identity(const TableOrigin& origin) {
  std::string files;
  for (const fs::path& file : origin.files) {
    files += fs::absolute(file).lexically_normal().string() + "\n";
  }
  return files + origin.settings;
}

std::string state_of(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) {
    throw Error("cannot read " + file.string() + ": " + std::strerror(errno));
  }
  if (S_ISDIR(info.st_mode)) {
    throw Error("cannot read " + file.string() + ": it is a folder; expected a file");
  }
  const auto time = [](const timespec& at) {
    return std::to_string(at.tv_sec) + "." + std::to_string(at.tv_nsec);
  };
  // A program can set the modification time, but not the time of the inode's change or its number.
  return std::to_string(info.st_size) + " bytes, changed " + time(info.st_mtim) + ", " +
         time(info.st_ctim) + ", number " + std::to_string(info.st_ino);
}

std::string key_of(const TableOrigin& origin) {
  std::string key = identity(origin);
  for (const fs::path& file : origin.files) key += "\n" + state_of(file);
  return key;
}

// A whole file, mapped into memory that the system shares between processes.
class MappedFile {
 public:
  // Empty when there is no such file, or it cannot be mapped.
  explicit MappedFile(const fs::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat info {};
    if (::fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
      const auto size = static_cast<std::size_t>(info.st_size);
      void* start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
      if (start != MAP_FAILED) bytes_ = {static_cast<const char*>(start), size};
    }
    ::close(file);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }

  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

std::shared_ptr<const Table> from_cache(const fs::path& path, const std::string& key) {
  auto file = std::make_shared<const MappedFile>(path);
  if (file->bytes().empty()) return nullptr;
  try {
    return std::make_shared<const Table>(file->bytes(), key, file);
  } catch (const std::exception&) {
    return nullptr;  // damaged, or of another file or version: prepare it again
  }
}

void warn_once(const std::string& reason) {
  static std::atomic<bool> warned = false;
  if (warned.exchange(true)) return;
  note({.kind = Note::Kind::kWarning,
        .text = "prepared data are not kept for the next start: " + reason});
}

// HOME may be missing too: then the path is empty, and `reason` says why.
fs::path cache_file_or_none(const TableOrigin& origin, std::string& reason) {
  try {
    return cache_file(origin);
  } catch (const Error& error) {
    reason = error.what();
    return {};
  }
}

// Only their owner may read the data. An existing folder stays as it is; a failure shows when the
// file is written.
void make_private_folder(const fs::path& folder) {
  std::error_code ignored;
  fs::create_directories(folder.parent_path(), ignored);
  ::mkdir(folder.c_str(), S_IRWXU);
}

// When the file cannot be written, `reason` says why.
void keep(const fs::path& path, std::string_view image, std::string& reason) {
  if (path.empty() || !prepared_data_are_kept()) return;
  try {
    make_private_folder(cache_folder());
    make_private_folder(path.parent_path());
    write_file(path, image);
  } catch (const Error& error) {
    reason = error.what();
  }
}

struct Entry {
  std::mutex mutex;
  std::string key;
  std::shared_ptr<const Table> table;
};

std::shared_ptr<Entry> entry_of(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<Entry>> entries;
  const std::lock_guard lock(mutex);
  auto& entry = entries[name];
  if (!entry) entry = std::make_shared<Entry>();
  return entry;
}

}  // namespace

fs::path cache_file(const TableOrigin& origin) {
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016llx",
                static_cast<unsigned long long>(scope_of(identity(origin))));
  return cache_folder() / "tables" / (slug(origin.name) + "-" + hash + ".table");
}

std::shared_ptr<const Table> open_table(const TableOrigin& origin,
                                        const std::function<TableBuilder()>& prepare) {
  const std::string key = key_of(origin);
  const auto entry = entry_of(identity(origin));
  std::string not_kept;
  std::unique_lock lock(entry->mutex);
  if (entry->table && entry->key == key) return entry->table;
  const fs::path path = cache_file_or_none(origin, not_kept);
  std::shared_ptr<const Table> table = path.empty() ? nullptr : from_cache(path, key);
  if (!table) {
    const auto image = std::make_shared<const std::string>(prepare().image(key));
    keep(path, *image, not_kept);
    table = std::make_shared<const Table>(*image, key, image);
  }
  entry->key = key;
  entry->table = table;
  // Unlock before giving a note: its receiver may take locks.
  lock.unlock();
  if (!not_kept.empty()) warn_once(not_kept);
  return table;
}

}  // namespace sau::detail
