#pragma once

#include <cstdint>
#include <string_view>

namespace sau {

// One file of a zip archive, still compressed; `data` points into the archive.
struct ZipMember {
  std::string_view data;
  bool stored = false;     // otherwise deflated
  std::uint64_t size = 0;  // of the content
  std::uint32_t crc = 0;
};

// The only file of the archive, or the one called `member` in whatever folder, plain or with .gz,
// .xz or .Z appended. Throws Error with the reason alone.
ZipMember find_zip_member(std::string_view archive, std::string_view member);

}  // namespace sau
