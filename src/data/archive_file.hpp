#pragma once

#include <functional>
#include <string_view>

namespace sau {

// Takes what is unpacked, piece by piece. It may throw to stop the unpacking.
using UnpackedSink = std::function<void(std::string_view piece)>;

// These functions use libarchive. They throw an Error that has only the reason.

// A file of compress (.Z).
void unpack_compress(std::string_view bytes, const UnpackedSink& sink);

// The only file of a zip archive, or the one called `member` in any folder, plain or with .gz, .xz
// or .Z appended.
void unpack_zip(std::string_view bytes, std::string_view member, const UnpackedSink& sink);

}  // namespace sau
