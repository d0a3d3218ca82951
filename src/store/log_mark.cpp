#include "store/log_mark.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/bytes.hpp"
#include "core/hash.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/store/event_store.hpp"

namespace sau {
namespace detail {
namespace {

// The copies are so far apart that no write to one disk sector touches both.
constexpr std::size_t kCopyRoom = 4096, kCopies = 2;
constexpr auto kSyncEvery = std::chrono::seconds(1);

Failure failed(const std::filesystem::path& file) {
  return {Failure::Code::kUnavailable, file.string() + ": " + std::strerror(errno)};
}

// The head, the manifest's name and size, and a checksum.
std::string encode_copy(const LogHead& head, const ManifestPlace& manifest) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.put_text(encode(head));
  writer.put_text(manifest.name);
  writer.put(static_cast<std::uint64_t>(manifest.size));
  writer.put(static_cast<std::uint64_t>(hash_of(bytes)));
  return bytes;
}

std::optional<Acknowledged> decode_copy(std::string_view bytes) {
  ByteReader reader(bytes);
  const auto head = decode_log_head(reader.take_text());
  Acknowledged found;
  found.manifest.name = reader.take_text();
  found.manifest.size = reader.take<std::uint64_t>();
  const std::size_t end = bytes.size() - reader.left();
  if (!head.ok() || reader.take<std::uint64_t>() != hash_of(bytes.substr(0, end))) {
    return std::nullopt;
  }
  found.head = head.value();
  return found;
}

}  // namespace

LogMark::LogMark(const std::filesystem::path& store_folder)
    : folder_(store_folder), file_(mark_file(store_folder)) {}

LogMark::~LogMark() {
  if (descriptor_ < 0) return;
  static_cast<void>(sync());
  ::close(descriptor_);
}

std::optional<Acknowledged> LogMark::read(const std::filesystem::path& store_folder) {
  const auto file = mark_file(store_folder);
  if (!std::filesystem::exists(file)) return std::nullopt;
  const std::string bytes = read_file(file);
  std::optional<Acknowledged> latest;
  for (std::size_t copy = 0; copy < kCopies; ++copy) {
    const std::size_t place = std::min(copy * kCopyRoom, bytes.size());
    const auto found = decode_copy(std::string_view(bytes).substr(place, kCopyRoom));
    if (found && (!latest || found->head.last >= latest->head.last)) latest = found;
  }
  if (!latest)
    throw Error(
        file.string() +
        ": damaged: neither of its two copies is whole. `sau log accept --help` says how to "
        "recreate it");
  return latest;
}

void LogMark::begin(const LogHead& head) {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  manifest_ = manifest_place(folder_);
  seen_size_ = 0;
  std::string bytes(kCopies * kCopyRoom, '\0');
  const std::string copy = encode_copy(head, manifest_);
  for (std::size_t i = 0; i < kCopies; ++i) std::ranges::copy(copy, bytes.data() + i * kCopyRoom);
  write_file(file_, bytes);
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw Error(failed(file_).message);
}

Status LogMark::set(const LogHead& head) {
  const bool sync_now = std::chrono::steady_clock::now() >= synced_ + kSyncEvery;
  if (sync_now) {
    // The size that was seen a second ago: by now RocksDB has synced it.
    manifest_.size = std::max(manifest_.size, seen_size_);
    std::error_code gone;
    const auto size = std::filesystem::file_size(folder_ / manifest_.name, gone);
    seen_size_ = gone ? 0 : size;
  }
  const std::string bytes = encode_copy(head, manifest_);
  const auto place = static_cast<off_t>((turn_++ % kCopies) * kCopyRoom);
  ssize_t written = 0;
  do {
    written = ::pwrite(descriptor_, bytes.data(), bytes.size(), place);
  } while (written < 0 && errno == EINTR);
  if (written != static_cast<ssize_t>(bytes.size())) return failed(file_);
  if (sync_now) return sync();
  return Done{};
}

Status LogMark::sync() {
  synced_ = std::chrono::steady_clock::now();
  if (::fdatasync(descriptor_) != 0) return failed(file_);
  return Done{};
}

std::filesystem::path mark_file(const std::filesystem::path& store_folder) {
  return store_folder.string() + ".mark";
}

}  // namespace detail

std::optional<LogHead> acknowledged_head(const std::filesystem::path& folder) {
  const auto found = detail::LogMark::read(folder);
  if (!found) return std::nullopt;
  return found->head;
}

}  // namespace sau
