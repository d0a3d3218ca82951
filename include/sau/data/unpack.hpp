#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace sau {

// No data set comes close to this size. A file that unpacks to more is a mistake or an attack.
inline constexpr std::size_t kUnpackLimit = std::size_t{1} << 31;

// The content of a file in memory, decompressed as its first bytes say: gzip, xz, compress (.Z) or
// zip; anything else is returned as it is. A zip gives its only file, or the one called `member`,
// in any folder of the archive, plain or with .gz, .xz or .Z appended. `name` is for messages.
// Throws Error when it is damaged, cut short, or larger than `limit`.
std::string unpack(std::string bytes, std::string_view name, std::string_view member = {},
                   std::size_t limit = kUnpackLimit);

// The same for a file. Without `member` it is the file's name without .zip. Anything but a
// regular file is refused.
std::string read_unpacked(const std::filesystem::path& path, std::string_view member = {});

}  // namespace sau
