#include "cluster/spool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "core/bytes.hpp"
#include "core/open_file.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"

namespace sau::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "sauspool";
constexpr const char* kExtension = ".spool";
// The front of a file: its kind and its first record; of a record: its size, its checksum, and the
// checksum of these two.
constexpr std::uint64_t kFileFront = 16, kRecordFront = 12;
constexpr std::uint32_t kLargestRecord = 1U << 30;

std::uint32_t checksum_of_record(Sequence sequence, std::string_view record) {
  return crc32(record, crc32({reinterpret_cast<const char*>(&sequence), sizeof sequence}));
}

void append_record(std::string& bytes, Sequence sequence, std::string_view record) {
  const std::size_t begin = bytes.size();
  ByteWriter writer(bytes);
  writer.put(static_cast<std::uint32_t>(record.size()));
  writer.put(checksum_of_record(sequence, record));
  writer.put(crc32(std::string_view(bytes).substr(begin)));
  bytes.append(record);
}

struct RecordFront {
  std::uint32_t size = 0, checksum = 0;
  bool is_good = false;
};
RecordFront read_front(std::string_view bytes) {
  ByteReader reader(bytes);
  RecordFront front{.size = reader.take<std::uint32_t>(), .checksum = reader.take<std::uint32_t>()};
  front.is_good = bytes.size() >= kRecordFront &&
                  reader.take<std::uint32_t>() == crc32(bytes.substr(0, 2 * sizeof front.size));
  return front;
}

// Writes everything. If that fails, returns false, and errno says why.
bool write_all(int file, std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    at += static_cast<std::uint64_t>(written);
  }
  return true;
}

}  // namespace

Spool::Spool(fs::path folder, SpoolOptions options)
    : folder_(std::move(folder)), options_(std::move(options)) {
  fs::create_directories(folder_);
  lock_ = ::open((folder_ / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    const std::string why = std::strerror(errno);
    if (lock_ >= 0) ::close(lock_);
    throw Error(
        fmt::format("{}: cannot be locked: {}; is another node using it?", folder_.string(), why));
  }
  try {
    open_all();
  } catch (...) {
    ::close(lock_);
    throw;
  }
}

Spool::~Spool() {
  if (file_ >= 0) ::close(file_);
  ::close(lock_);
}

fs::path Spool::file_of(Sequence first) const {
  return folder_ / fmt::format("{:020}{}", first, kExtension);
}

void Spool::open_all() {
  std::vector<Sequence> firsts;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() != kExtension) continue;
    const std::string stem = entry.path().stem().string();
    Sequence first = 0;
    for (const char digit : stem) {
      if (digit < '0' || digit > '9')
        throw Error(entry.path().string() + ": not a file of a spool");
      first = 10 * first + static_cast<Sequence>(digit - '0');
    }
    firsts.push_back(first);
  }
  std::ranges::sort(firsts);
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    Segment segment{.first = firsts[i]};
    if (i > 0 && segment.first != last_ + 1) {
      throw Error(fmt::format("{}: begins with record {}, but the records before it end at {}",
                              file_of(segment.first).string(), segment.first, last_));
    }
    const std::uint64_t count = check(segment, i + 1 == firsts.size());
    last_ = segment.first - 1 + count;
    segments_.push_back(segment);
  }
  if (segments_.empty()) {
    if (const Status begun = begin_segment(1); !begun.ok()) throw Error(begun.failure().message);
    return;
  }
  first_ = segments_.front().first;
  file_ = ::open(file_of(segments_.back().first).c_str(), O_RDWR | O_CLOEXEC);
  if (file_ < 0) throw Error(failed("cannot be opened").message);
  has_torn_end_ = true;
  if (const Status cut_off = cut(); !cut_off.ok()) throw Error(cut_off.failure().message);
}

std::uint64_t Spool::check(Segment& segment, bool is_last) {
  const fs::path path = file_of(segment.first);
  const std::string bytes = read_file(path);
  std::string front(kMagic);
  ByteWriter(front).put(segment.first);
  if (!bytes.starts_with(front)) {
    // A first write that was cut short holds no record.
    if (is_last && bytes.size() < kFileFront) {
      const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      const bool written = file >= 0 && write_all(file, front, 0) && ::fdatasync(file) == 0;
      if (file >= 0) ::close(file);
      if (!written) throw Error(failed("cannot be repaired").message);
      segment.bytes = kFileFront;
      return 0;
    }
    throw Error(path.string() + ": is damaged: its front is wrong");
  }
  std::uint64_t at = kFileFront, count = 0;
  while (at < bytes.size()) {
    const std::string_view rest = std::string_view(bytes).substr(at);
    const RecordFront record = read_front(rest);
    const std::uint64_t left = rest.size(), size = record.size;
    const bool is_whole = record.is_good && size <= left - kRecordFront;
    const bool is_good =
        is_whole && checksum_of_record(segment.first + count, rest.substr(kRecordFront, size)) ==
                        record.checksum;
    if (!is_good) {
      // Only the end of the last file can be torn: whatever is before it was synced.
      const bool is_torn = left < kRecordFront || (record.is_good && !is_whole) ||
                           (is_whole && kRecordFront + size == left) ||
                           rest.find_first_not_of('\0') == std::string_view::npos;
      if (!is_last || !is_torn) {
        throw Error(fmt::format("{}: is damaged at byte {}, record {}", path.string(), at,
                                segment.first + count));
      }
      if (options_.note) {
        options_.note(fmt::format(
            "{}: {} bytes of a record that was being written, and was not acknowledged, are cut "
            "off",
            path.string(), left));
      }
      break;
    }
    at += kRecordFront + size;
    ++count;
  }
  segment.bytes = at;
  return count;
}

Failure Spool::failed(const std::string& what) const {
  return {Failure::Code::kUnavailable,
          fmt::format("the spool {} {}: {}", folder_.string(), what, std::strerror(errno))};
}

Status Spool::begin_segment(Sequence first) {
  const fs::path path = file_of(first);
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return failed("cannot be written");
  std::string front(kMagic);
  ByteWriter(front).put(first);
  std::optional<Failure> failure;
  if (!write_all(file, front, 0) || ::fdatasync(file) != 0) failure = failed("cannot be written");
  try {
    if (!failure) sync_folder(folder_);
  } catch (const Error& error) {
    failure = Failure{Failure::Code::kUnavailable, error.what()};
  }
  if (failure) {
    ::close(file);
    std::error_code ignored;
    fs::remove(path, ignored);
    return std::move(*failure);
  }
  if (file_ >= 0) ::close(file_);
  file_ = file;
  has_torn_end_ = false;
  const std::lock_guard lock(mutex_);
  segments_.push_back({.first = first, .bytes = kFileFront});
  return Done{};
}

// Removes what a failed write has left behind the good bytes.
Status Spool::cut() {
  if (!has_torn_end_) return Done{};
  const std::uint64_t size = segments_.back().bytes;
  if (::ftruncate(file_, static_cast<off_t>(size)) != 0 || ::fdatasync(file_) != 0) {
    return failed("cannot be written");
  }
  has_torn_end_ = false;
  return Done{};
}

Status Spool::make_room() {
  if (!failed_ || first() <= last_ || segments_.back().bytes == kFileFront) return Done{};
  if (Status begun = begin_segment(last_ + 1); !begun.ok()) return begun;
  drop(last_);
  return Done{};
}

Status Spool::probe() {
  constexpr std::size_t kRoom = std::size_t{64} << 10;
  if (Status ready = cut(); !ready.ok()) return ready;
  if (Status made = make_room(); !made.ok()) return made;
  Status room = Done{};
  if (!write_all(file_, std::string(kRoom, '\0'), segments_.back().bytes) ||
      ::fdatasync(file_) != 0) {
    room = failed("cannot be written");
  }
  has_torn_end_ = true;
  const Status clean = cut();
  return room.ok() ? clean : room;
}

Status Spool::append(std::span<const std::string> records) {
  if (records.empty()) return Done{};
  const bool failed_before = std::exchange(failed_, true);
  if (Status ready = cut(); !ready.ok()) return ready;
  if (failed_before) {
    if (Status made = make_room(); !made.ok()) return made;
  }
  if (segments_.back().bytes >= options_.segment_bytes) {
    if (Status begun = begin_segment(last_ + 1); !begun.ok()) return begun;
  }
  std::string bytes;
  Sequence next = last_;
  for (const std::string& record : records) {
    if (record.size() > kLargestRecord) {
      return Failure{Failure::Code::kTooLarge, "the record is too large for the spool"};
    }
    append_record(bytes, ++next, record);
  }
  const std::uint64_t at = segments_.back().bytes;
  if (!write_all(file_, bytes, at) || ::fdatasync(file_) != 0) {
    const Failure failure = failed("cannot be written");
    has_torn_end_ = true;
    static_cast<void>(cut());  // tried again by the next call
    return failure;
  }
  const std::lock_guard lock(mutex_);
  segments_.back().bytes += bytes.size();
  last_ = next;
  failed_ = false;
  return Done{};
}

Sequence Spool::first() const {
  const std::lock_guard lock(mutex_);
  return first_;
}

Sequence Spool::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

std::uint64_t Spool::bytes() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (const Segment& each : segments_) sum += each.bytes;
  return sum;
}

Result<std::vector<std::string>> Spool::read(Sequence from, std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> records;
  if (from > last_) return records;
  SAU_ASSERT(from >= first_, "the record is dropped");
  auto segment = std::ranges::upper_bound(segments_, from, {}, &Segment::first) - 1;
  Sequence next = segment->first;
  std::uint64_t at = kFileFront;
  if (next_read_ == from && next_segment_ == segment->first) {
    next = from;
    at = next_offset_;
  }
  const OpenFile file(file_of(segment->first));
  if (file.number() < 0) return failed("cannot be read");
  std::size_t taken = 0;
  std::string front(kRecordFront, '\0'), record;
  while (at < segment->bytes) {
    if (::pread(file.number(), front.data(), front.size(), static_cast<off_t>(at)) !=
        static_cast<ssize_t>(front.size())) {
      return failed("cannot be read");
    }
    const auto [size, checksum, is_good] = read_front(front);
    if (!is_good) {
      return Failure{Failure::Code::kInternal,
                     fmt::format("{}: is damaged at byte {}, record {}",
                                 file_of(segment->first).string(), at, next)};
    }
    if (next >= from) {
      if (!records.empty() && taken + size > bytes) break;
      record.resize(size);
      if (::pread(file.number(), record.data(), size, static_cast<off_t>(at + kRecordFront)) !=
              static_cast<ssize_t>(size) ||
          checksum_of_record(next, record) != checksum) {
        return Failure{Failure::Code::kInternal,
                       fmt::format("{}: is damaged at byte {}, record {}",
                                   file_of(segment->first).string(), at, next)};
      }
      taken += size;
      records.push_back(record);
    }
    at += kRecordFront + size;
    ++next;
  }
  next_read_ = next;
  next_segment_ = segment->first;
  next_offset_ = at;
  return records;
}

void Spool::drop(Sequence through) {
  std::vector<fs::path> files;
  {
    const std::lock_guard lock(mutex_);
    through = std::min(through, last_);
    first_ = std::max(first_, through + 1);
    while (segments_.size() > 1 && segments_[1].first <= first_) {
      files.push_back(file_of(segments_.front().first));
      segments_.pop_front();
    }
  }
  std::error_code ignored;
  for (const fs::path& file : files) fs::remove(file, ignored);
}

}  // namespace sau::detail
