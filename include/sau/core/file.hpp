#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace sau {

// CRC-32 as in zip and PNG (polynomial 0xEDB88320), so that other tools can check it.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0) noexcept;

// The whole file. Throws Error with the path and the reason.
std::string read_file(const std::filesystem::path& path);

// Writes the whole file or nothing: to a temporary file, which is synced and renamed to `path`.
// Thread-safe, even for the same path: the last call wins.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace sau
