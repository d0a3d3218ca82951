#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "core/gradual_file.hpp"
#include "core/open_file.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/store/event_store.hpp"
#include "store/continuity.hpp"
#include "store/log_mark.hpp"
#include "store/rocks_database.hpp"
#include "store/wal_check.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 100;
constexpr auto kPause = std::chrono::milliseconds(20);

// A file that stays readable when its name is removed.
class FileOfImage {
 public:
  explicit FileOfImage(const fs::path& path) : path_(path), file_(path) {
    struct stat state {};
    if (file_.number() < 0 || ::fstat(file_.number(), &state) != 0) {
      throw Error(path.string() + ": " + std::strerror(errno));
    }
    size_ = static_cast<std::uint64_t>(state.st_size);
  }

  // Copies the bytes that it had when it was opened, and syncs the copy.
  void copy_to(const fs::path& folder) const {
    detail::GradualFile out(folder / path_.filename(), O_EXCL);
    std::vector<char> block(1U << 20);
    for (std::uint64_t place = 0; place < size_;) {
      const std::size_t wanted = std::min<std::uint64_t>(block.size(), size_ - place);
      const ssize_t got = ::pread(file_.number(), block.data(), wanted, static_cast<off_t>(place));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        throw Error(path_.string() + ": cannot be read: " +
                    (got < 0 ? std::strerror(errno) : "it has become shorter"));
      }
      out.write({block.data(), static_cast<std::size_t>(got)});
      place += static_cast<std::uint64_t>(got);
    }
    out.finish();
  }

 private:
  fs::path path_;
  detail::OpenFile file_;
  std::uint64_t size_ = 0;
};

struct Image {
  detail::ManifestPlace manifest;
  std::string manifest_bytes;
  std::vector<FileOfImage> tables, logs;
};

// Opens every file of one moment. Tables are opened after the list of them was read, and logs after
// the tables. If the list is still the same at the end, no file is missing.
Image open_image(const fs::path& folder) {
  for (int tries = 1;; ++tries) {
    std::string trouble = folder.string() + ": its files keep changing";
    try {
      Image image;
      image.manifest = detail::manifest_place(folder);
      image.manifest_bytes = read_file(folder / image.manifest.name).substr(0, image.manifest.size);
      for (const char* extension : {".sst", ".log"}) {
        auto& files = extension == std::string_view(".sst") ? image.tables : image.logs;
        for (const auto& entry : fs::directory_iterator(folder)) {
          if (entry.path().extension() == extension) files.emplace_back(entry.path());
        }
      }
      if (detail::manifest_place(folder) == image.manifest) return image;
    } catch (const std::exception& error) {
      trouble = error.what();
    }
    if (tries == kTries) throw Error(detail::with_advice(trouble));
    std::this_thread::sleep_for(kPause);
  }
}

void copy_files(const Image& image, const fs::path& to) {
  fs::create_directories(to);
  write_file(to / image.manifest.name, image.manifest_bytes);
  for (const FileOfImage& table : image.tables) table.copy_to(to);
  for (const FileOfImage& log : image.logs) log.copy_to(to);
  write_file(to / "CURRENT", image.manifest.name + "\n");
}

}  // namespace

void copy_event_store(const fs::path& from, const fs::path& to) {
  if (!fs::exists(from / "CURRENT")) {
    throw Error(from.string() + ": there is no event store here");
  }
  const auto acknowledged = acknowledged_head(from);
  if (!acknowledged) {
    throw Error(detail::mark_file(from).string() + ": missing: it says what was acknowledged");
  }
  if (fs::exists(to)) throw Error(to.string() + ": already exists");
  try {
    copy_files(open_image(from), to);
    // Cut off a record that was being written at that moment.
    if (const auto torn = detail::find_torn_end(to))
      detail::cut_off(*torn, "a record that was being written");
    const LogHead head =
        open_event_store(to, {.read_only = true, .verify = false, .accept_loss = true})->head();
    const std::string wrong = detail::check_acknowledged(head, *acknowledged);
    if (!wrong.empty()) throw Error(from.string() + ": " + wrong);
    detail::LogMark(to).begin(head);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(to, ignored);
    fs::remove(detail::mark_file(to), ignored);
    throw;
  }
}

}  // namespace sau
