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

// Writes the whole file or nothing: to a temporary file, which is synced and renamed to `path`. The
// folder is synced, too. If only that fails, `path` has the new bytes, but maybe not after a power
// failure.
// Thread-safe, even for the same path: the last call wins. `check` may look at the temporary file
// before it is renamed. If it throws, `path` is left as it was.
void write_file(const std::filesystem::path& path, std::string_view bytes,
                const std::function<void(const std::filesystem::path& temporary)>& check = {});

// Puts the names in the folder on disk: files that were made, renamed or removed in it stay so
// after a power failure. Throws Error if that is not sure.
void sync_folder(const std::filesystem::path& folder);

}  // namespace sau
