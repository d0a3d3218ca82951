#include "sau/data/unpack.hpp"

#include <lzma.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "data/archive_file.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"

namespace sau {
namespace {

using Byte = unsigned char;

constexpr std::size_t kBlock = std::size_t{1} << 16;
constexpr std::uint64_t kXzMemory = std::uint64_t{1} << 28;

const Byte* data_of(std::string_view bytes) { return reinterpret_cast<const Byte*>(bytes.data()); }

// Collects what a decoder gives and stops it at the limit.
class Output {
 public:
  explicit Output(std::size_t limit) : limit_(limit), block_(kBlock) {}

  Byte* room() { return block_.data(); }
  static constexpr std::size_t room_size() { return kBlock; }

  void take(std::size_t used) {
    take(std::string_view(reinterpret_cast<const char*>(block_.data()), used));
  }
  void take(std::string_view bytes) {
    if (bytes.size() > limit_ - out_.size()) {
      throw Error("it holds more than the limit of " + std::to_string(limit_) + " bytes");
    }
    out_.append(bytes);
  }

  std::string finish() { return std::move(out_); }

 private:
  std::size_t limit_;
  std::vector<Byte> block_;
  std::string out_;
};

// Uses zlib itself, because libarchive does not check the checksum of a gzip file.
void unpack_gzip(std::string_view bytes, Output& out) {
  constexpr int kGzipOnly = 16;
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK) throw Error("no memory");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, &inflateEnd);
  std::string_view rest = bytes;
  for (;;) {
    // zlib counts in 32 bits, so the input goes in pieces.
    const auto piece = std::min<std::size_t>(rest.size(), std::numeric_limits<uInt>::max());
    stream.next_in = const_cast<Byte*>(data_of(rest));  // NOLINT: the interface of zlib
    stream.avail_in = static_cast<uInt>(piece);
    stream.next_out = out.room();
    stream.avail_out = static_cast<uInt>(Output::room_size());
    const int code = inflate(&stream, Z_NO_FLUSH);
    rest.remove_prefix(piece - stream.avail_in);
    out.take(Output::room_size() - stream.avail_out);
    if (code == Z_STREAM_END) {
      // A gzip file may be several, one after the other; padding with zeros is common.
      if (rest.find_first_not_of('\0') == std::string_view::npos) return;
      if (inflateReset(&stream) != Z_OK) throw Error("it is damaged");
    } else if (code == Z_BUF_ERROR || (code == Z_OK && rest.empty() && stream.avail_out > 0)) {
      throw Error("it is cut short");
    } else if (code != Z_OK) {
      throw Error("it is damaged");
    }
  }
}

// Uses liblzma itself, because libarchive lets it take a gigabyte of memory and has no setting for
// that.
void unpack_xz(std::string_view bytes, Output& out) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kXzMemory, LZMA_CONCATENATED) != LZMA_OK) {
    throw Error("no memory");
  }
  const std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> guard(&stream, &lzma_end);
  stream.next_in = data_of(bytes);
  stream.avail_in = bytes.size();
  lzma_ret code = LZMA_OK;
  while (code == LZMA_OK) {
    stream.next_out = out.room();
    stream.avail_out = Output::room_size();
    code = lzma_code(&stream, LZMA_FINISH);
    out.take(Output::room_size() - stream.avail_out);
  }
  if (code == LZMA_BUF_ERROR) throw Error("it is cut short");
  if (code == LZMA_MEMLIMIT_ERROR) throw Error("it needs more than 256 MB of memory");
  if (code != LZMA_STREAM_END) throw Error("it is damaged");
}

// Throws an Error that has only the reason.
std::string unpack_any(std::string bytes, std::string_view member, std::size_t limit) {
  using namespace std::string_view_literals;
  const std::string_view view = bytes;
  Output out(limit);
  const auto sink = [&out](std::string_view piece) { out.take(piece); };
  if (view.starts_with("\x1F\x8B"sv)) {
    unpack_gzip(view, out);
  } else if (view.starts_with("\xFD\x37zXZ\0"sv)) {
    unpack_xz(view, out);
  } else if (view.starts_with("\x1F\x9D"sv)) {
    unpack_compress(view, sink);
  } else if (view.starts_with("PK\x03\x04"sv) || view.starts_with("PK\x05\x06"sv)) {
    unpack_zip(view, member, sink);
    std::string inner = out.finish();
    // Publishers put compressed files into a zip; a zip inside a zip is left alone.
    return inner.starts_with("PK\x03\x04") ? inner : unpack_any(std::move(inner), {}, limit);
  } else {
    if (bytes.size() > limit) out.take(view);
    return bytes;
  }
  return out.finish();
}

}  // namespace

std::string unpack(std::string bytes, std::string_view name, std::string_view member,
                   std::size_t limit) {
  try {
    return unpack_any(std::move(bytes), member, limit);
  } catch (const Error& error) {
    throw Error("cannot unpack " + std::string(name) + ": " + error.what());
  }
}

std::string read_unpacked(const std::filesystem::path& path, std::string_view member) {
  // Check before opening: a pipe without a writer would never open.
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode)) {
      throw Error("cannot read " + path.string() + ": it is not a regular file");
    }
    if (static_cast<std::uint64_t>(info.st_size) > kUnpackLimit) {
      throw Error("cannot read " + path.string() + ": it has " + std::to_string(info.st_size) +
                  " bytes, more than the limit of " + std::to_string(kUnpackLimit));
    }
  }
  std::string stem = path.filename().string();
  if (stem.ends_with(".zip")) stem.resize(stem.size() - 4);
  return unpack(read_file(path), path.string(), member.empty() ? stem : member);
}

}  // namespace sau
