#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sau/core/archive.hpp"
#include "sau/core/error.hpp"

namespace sau {

// The binary files of sau. All have a front of 32 bytes, a JSON header, a payload and a checksum
// (docs/formats/container.md). read_file() and write_file() read and write them on disk.
struct FileKind {
  std::string_view name;          // at most 8 bytes
  std::uint32_t version, oldest;  // the version we write, and the oldest we read
};
inline constexpr FileKind kAgentFile{"agent", 2, 1}, kModelFile{"model", 3, 1},
    kTableFile{"table", 3, 3}, kAnyFile{"", 0, 0};

// The bytes are not a complete, undamaged file.
class DamagedFile : public Error {
 public:
  using Error::Error;
};

// begin_container() returns the start of a file, padded to a multiple of 8 bytes. Append the
// payload to it; finish_container() returns the complete file.
std::string begin_container(const FileKind& kind, std::string_view header);
std::string finish_container(std::string bytes);

struct Container {
  std::string name;  // for errors
  FileKind kind;
  std::uint32_t version = 0;
  std::string header;
  std::string_view payload;  // part of the bytes that were opened

  // Entries of the header. Throw DamagedFile if there is no such entry or it has another type.
  std::string text(const char* key) const;
  std::uint64_t number(const char* key) const;

  // Calls load() with the payload, which must be a list of fields that load() reads to the end.
  // Any failure becomes an Error that names the file.
  void read_state(const std::function<void(StateReader&)>& load) const;
};

// Throws an Error that names the file and the first thing wrong with it. It is a DamagedFile,
// unless the file is intact but of another kind or of a version that this program cannot read.
Container open_container(std::string_view bytes, std::string name, const FileKind& kind = kAnyFile);

}  // namespace sau
