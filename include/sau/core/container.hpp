#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sau/core/archive.hpp"
#include "sau/core/error.hpp"

namespace sau {

// The binary files of sau: all have the same front, a header in JSON, a payload and a checksum
// (docs/formats/container.md). read_file() and write_file() bring them from and to disk.
struct FileKind {
  std::string_view name;          // at most 8 bytes
  std::uint32_t version, oldest;  // the format that is written, and the oldest that is read
};
inline constexpr FileKind kAgentFile{"agent", 2, 1}, kModelFile{"model", 2, 1},
    kTableFile{"table", 3, 3}, kAnyFile{"", 0, 0};

// The bytes are not those of a whole file.
class DamagedFile : public Error {
 public:
  using Error::Error;
};

// A file begins with begin_container(); the payload is appended to that, at a multiple of 8 bytes;
// finish_container() returns the whole.
std::string begin_container(const FileKind& kind, std::string_view header);
std::string finish_container(std::string bytes);

struct Container {
  std::string name;  // for errors
  FileKind kind;
  std::uint32_t version = 0;
  std::string header;
  std::string_view payload;  // part of the bytes that were opened

  // Entries of the header. They throw DamagedFile when there is no such entry of that type.
  std::string text(const char* key) const;
  std::uint64_t number(const char* key) const;

  // Calls load() with the payload, which must be a list of fields that load() reads to the end.
  // Any failure becomes an Error that names the file.
  void read_state(const std::function<void(StateReader&)>& load) const;
};

// Throws Error that names the file and the first thing that is wrong with it. It is DamagedFile
// unless the bytes are whole but of another kind or of a version that this program does not read.
Container open_container(std::string_view bytes, std::string name, const FileKind& kind = kAnyFile);

}  // namespace sau
