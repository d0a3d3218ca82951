#include "store/kept_files.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace sau::detail {
namespace {

using rocksdb::IOStatus;

// A table that is open, for one of those who read it.
class SharedTable final : public rocksdb::FSRandomAccessFileWrapper {
 public:
  explicit SharedTable(std::shared_ptr<rocksdb::FSRandomAccessFile> file)
      : FSRandomAccessFileWrapper(file.get()), file_(std::move(file)) {}

 private:
  std::shared_ptr<rocksdb::FSRandomAccessFile> file_;
};

class KeptFiles final : public rocksdb::FileSystemWrapper {
 public:
  KeptFiles() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "sau.kept_files"; }

  IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                               rocksdb::IODebugContext* debug) override {
    if (!name.ends_with(".sst")) {
      return FileSystemWrapper::NewRandomAccessFile(name, options, file, debug);
    }
    const std::lock_guard lock(mutex_);
    auto found = tables_.find(name);
    if (found == tables_.end()) {
      std::unique_ptr<rocksdb::FSRandomAccessFile> opened;
      IOStatus status = FileSystemWrapper::NewRandomAccessFile(name, options, &opened, debug);
      std::uint64_t size = 0;
      if (status.ok()) status = FileSystemWrapper::GetFileSize(name, {}, &size, debug);
      if (!status.ok()) return status;
      found = tables_.emplace(name, Table{std::move(opened), size}).first;
    }
    *file = std::make_unique<SharedTable>(found->second.file);
    return IOStatus::OK();
  }

  IOStatus GetFileSize(const std::string& name, const rocksdb::IOOptions& options,
                       std::uint64_t* size, rocksdb::IODebugContext* debug) override {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = tables_.find(name); found != tables_.end()) {
        *size = found->second.size;  // tables do not change
        return IOStatus::OK();
      }
    }
    return FileSystemWrapper::GetFileSize(name, options, size, debug);
  }

 private:
  struct Table {
    std::shared_ptr<rocksdb::FSRandomAccessFile> file;
    std::uint64_t size = 0;
  };

  std::mutex mutex_;
  std::map<std::string, Table> tables_;
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> keeping_tables_open() { return std::make_shared<KeptFiles>(); }

}  // namespace sau::detail
