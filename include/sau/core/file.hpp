#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace sau {

// CRC-32 as in zip and PNG (polynomial 0xEDB88320), so that other tools can check it.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0) noexcept;

// The whole file. Throws Error with the path and the reason.
std::string read_file(const std::filesystem::path& path);

// Writes the whole file or nothing: to a temporary file, which is synced and renamed to `path`.
// Thread-safe, even for the same path: the last call wins. `check` may look at the temporary file
// before it is renamed. If it throws, `path` is left as it was.
void write_file(const std::filesystem::path& path, std::string_view bytes,
                const std::function<void(const std::filesystem::path& temporary)>& check = {});

}  // namespace sau
