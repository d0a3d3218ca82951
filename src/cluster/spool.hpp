#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "sau/store/failure.hpp"
#include "sau/store/record.hpp"

namespace sau::detail {

struct SpoolOptions {
  std::uint64_t segment_bytes = std::uint64_t{16} << 20;  // a new file begins after that many
  // Called with one sentence for each repair made while opening.
  std::function<void(const std::string&)> note = {};
};

// A queue of records on disk, numbered from 1. Records are added at the end, read from anywhere,
// and dropped from the front when somebody else has them. docs/formats/spool.md has the bytes.
// One thread calls append() and probe(); the rest is thread-safe.
class Spool {
 public:
  // Continues where the folder's records end. A last record that is torn was never acknowledged:
  // it is cut off. Throws Error when anything else is damaged, or another process has the spool.
  Spool(std::filesystem::path folder, SpoolOptions options);
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  ~Spool();

  // On success all of them are on disk; after a failure none of them is in the spool. A later call
  // tries anew.
  Status append(std::span<const std::string> records);

  // After a failed append: whether there is room again. Tries it, and makes room if it can.
  Status probe();

  // The oldest record that is not dropped, and the latest; first() is last() + 1 if there is none.
  Sequence first() const;
  Sequence last() const;
  std::uint64_t bytes() const;  // of all files

  // Records from `from` on: at least one if it exists, then as many as fit into `bytes`. `from`
  // must not be dropped.
  Result<std::vector<std::string>> read(Sequence from, std::size_t bytes) const;

  // Forgets the records up to here. Files go as a whole, the last one never.
  void drop(Sequence through);

 private:
  struct Segment {
    Sequence first = 1;
    std::uint64_t bytes = 0;  // that are on disk and good
  };

  std::filesystem::path file_of(Sequence first) const;
  void open_all();
  // Reads a segment to its end. Returns the number of records.
  std::uint64_t check(Segment& segment, bool is_last);
  Status begin_segment(Sequence first);
  Status cut();
  // After a failed append, if all records are dropped: a new file, so that the old one can go.
  Status make_room();
  Failure failed(const std::string& what) const;

  const std::filesystem::path folder_;
  const SpoolOptions options_;
  int lock_ = -1;
  int file_ = -1;              // the last segment; used only by the thread that appends
  bool has_torn_end_ = false;  // a failed write may have left bytes at its end
  bool failed_ = false;        // whether the latest append failed

  mutable std::mutex mutex_;
  std::deque<Segment> segments_;
  Sequence first_ = 1, last_ = 0;
  // Where the record after the one that was read last begins.
  mutable Sequence next_read_ = 0;
  mutable Sequence next_segment_ = 0;
  mutable std::uint64_t next_offset_ = 0;
};

}  // namespace sau::detail
