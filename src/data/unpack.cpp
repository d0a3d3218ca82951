#include "sau/data/unpack.hpp"

#include <lzma.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "data/zip.hpp"
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
  Output(std::string_view name, std::size_t limit) : name_(name), limit_(limit), block_(kBlock) {}

  Byte* room() { return block_.data(); }
  static constexpr std::size_t room_size() { return kBlock; }

  void take(std::size_t used) {
    if (used > limit_ - out_.size()) fail_limit();
    out_.append(reinterpret_cast<const char*>(block_.data()), used);
  }
  void take(std::string_view bytes) {
    if (bytes.size() > limit_ - out_.size()) fail_limit();
    out_.append(bytes);
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw Error("cannot unpack " + std::string(name_) + ": " + why);
  }
  std::string finish() { return std::move(out_); }

 private:
  [[noreturn]] void fail_limit() const {
    fail("it holds more than the limit of " + std::to_string(limit_) + " bytes");
  }

  std::string_view name_;
  std::size_t limit_;
  std::vector<Byte> block_;
  std::string out_;
};

// zlib counts in 32 bits, so that the input goes in by pieces.
void inflate_into(Output& out, std::string_view bytes, int window, bool members) {
  z_stream stream{};
  if (inflateInit2(&stream, window) != Z_OK) out.fail("no memory");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, &inflateEnd);
  std::string_view rest = bytes;
  for (;;) {
    const auto piece = std::min<std::size_t>(rest.size(), std::numeric_limits<uInt>::max());
    stream.next_in = const_cast<Byte*>(data_of(rest));  // NOLINT: the interface of zlib
    stream.avail_in = static_cast<uInt>(piece);
    stream.next_out = out.room();
    stream.avail_out = static_cast<uInt>(Output::room_size());
    const int code = inflate(&stream, Z_NO_FLUSH);
    rest.remove_prefix(piece - stream.avail_in);
    out.take(Output::room_size() - stream.avail_out);
    if (code == Z_STREAM_END) {
      // A gzip file may be several, one behind the other; padding with zeros is customary.
      if (!members || rest.find_first_not_of('\0') == std::string_view::npos) return;
      if (inflateReset(&stream) != Z_OK) out.fail("it is damaged");
    } else if (code == Z_BUF_ERROR || (code == Z_OK && rest.empty() && stream.avail_out > 0)) {
      out.fail("it is cut short");
    } else if (code != Z_OK) {
      out.fail("it is damaged");
    }
  }
}

std::string unpack_gzip(std::string_view bytes, Output out) {
  constexpr int kGzipOnly = 16;
  inflate_into(out, bytes, MAX_WBITS + kGzipOnly, true);
  return out.finish();
}

std::string unpack_xz(std::string_view bytes, Output out) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kXzMemory, LZMA_CONCATENATED) != LZMA_OK) {
    out.fail("no memory");
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
  if (code == LZMA_BUF_ERROR) out.fail("it is cut short");
  if (code == LZMA_MEMLIMIT_ERROR) out.fail("it needs more than 256 MB of memory");
  if (code != LZMA_STREAM_END) out.fail("it is damaged");
  return out.finish();
}

// The LZW of compress (Welch 1984): codes of 9 bits and more, lowest bit first. Codes are written
// in groups of eight; when their width changes, the rest of the group is skipped.
class LzwReader {
 public:
  LzwReader(std::string_view bytes, Output& out) : bytes_(bytes), out_(out) {
    if (bytes.size() < 3) out.fail("it is cut short");
    const int flags = data_of(bytes)[2];
    max_width_ = flags & 0x1F;
    block_mode_ = (flags & 0x80) != 0;
    if (max_width_ < kMinWidth || max_width_ > 16) out.fail("it is damaged");
    prefix_.resize(std::size_t{1} << max_width_);
    suffix_.resize(std::size_t{1} << max_width_);
    for (std::uint32_t i = 0; i < 256; ++i) suffix_[i] = static_cast<Byte>(i);
    next_ = first_free();
  }

  void run() {
    std::int64_t previous = -1;
    for (;;) {
      if (next_ > last_of_width() && width_ < max_width_) {
        skip_group();
        ++width_;
      }
      const std::int64_t code = read_code();
      if (code < 0) return;
      if (code == kClear && block_mode_) {
        skip_group();
        width_ = kMinWidth;
        next_ = first_free();
        previous = -1;
        continue;
      }
      emit(static_cast<std::uint32_t>(code), previous);
      previous = code;
    }
  }

 private:
  static constexpr int kMinWidth = 9;
  static constexpr std::int64_t kClear = 256;

  std::uint32_t first_free() const { return block_mode_ ? 257 : 256; }
  std::uint32_t last_of_width() const { return (std::uint32_t{1} << width_) - 1; }

  std::int64_t read_code() {
    const auto width = static_cast<std::size_t>(width_);
    if (position_ + width > 8 * bytes_.size()) return -1;
    std::uint32_t code = 0;
    for (std::size_t got = 0; got < width;) {
      const std::size_t shift = position_ % 8;
      const std::size_t count = std::min(8 - shift, width - got);
      const std::uint32_t part = (data_of(bytes_)[position_ / 8] >> shift) & ((1U << count) - 1);
      code |= part << got;
      got += count;
      position_ += count;
    }
    return code;
  }

  void skip_group() {
    const std::size_t group = 8 * static_cast<std::size_t>(width_);
    position_ = group_start_ + (position_ - group_start_ + group - 1) / group * group;
    group_start_ = position_;
  }

  // Writes the text of `code` and enters the previous text with its first byte added.
  void emit(std::uint32_t code, std::int64_t previous) {
    const bool known = code < 256 || (code >= first_free() && code < next_);
    if (!known && (code != next_ || previous < 0)) out_.fail("it is damaged");
    text_.clear();
    std::uint32_t at = known ? code : static_cast<std::uint32_t>(previous);
    for (; at >= 256; at = prefix_[at]) text_.push_back(static_cast<char>(suffix_[at]));
    text_.push_back(static_cast<char>(suffix_[at]));
    std::ranges::reverse(text_);
    if (!known) text_.push_back(text_.front());
    if (previous >= 0 && next_ < prefix_.size()) {
      prefix_[next_] = static_cast<std::uint32_t>(previous);
      suffix_[next_] = static_cast<Byte>(text_.front());
      ++next_;
    }
    out_.take(text_);
  }

  std::string_view bytes_;
  Output& out_;
  int max_width_ = 0, width_ = kMinWidth;
  bool block_mode_ = false;
  std::size_t position_ = 24, group_start_ = 24;  // in bits
  std::uint32_t next_ = 0;
  std::vector<std::uint32_t> prefix_;
  std::vector<Byte> suffix_;
  std::string text_;
};

std::string unpack_lzw(std::string_view bytes, Output out) {
  LzwReader(bytes, out).run();
  return out.finish();
}

std::string unpack_zip(std::string_view bytes, std::string_view member, Output out) {
  ZipMember found;
  try {
    found = find_zip_member(bytes, member);
  } catch (const Error& error) {
    out.fail(error.what());
  }
  if (found.stored) {
    out.take(found.data);
  } else {
    inflate_into(out, found.data, -MAX_WBITS, false);
  }
  std::string content = out.finish();
  if (content.size() != found.size || sau::crc32(content) != found.crc) out.fail("it is damaged");
  return content;
}

}  // namespace

std::string unpack(std::string bytes, std::string_view name, std::string_view member,
                   std::size_t limit) {
  using namespace std::string_view_literals;
  const std::string_view view = bytes;
  const auto out = [&] { return Output(name, limit); };
  if (view.starts_with("\x1F\x8B"sv)) return unpack_gzip(view, out());
  if (view.starts_with("\xFD\x37zXZ\0"sv)) return unpack_xz(view, out());
  if (view.starts_with("\x1F\x9D"sv)) return unpack_lzw(view, out());
  if (view.starts_with("PK\x03\x04"sv) || view.starts_with("PK\x05\x06"sv)) {
    std::string inner = unpack_zip(view, member, out());
    // Publishers put compressed files into a zip; a zip inside a zip is left alone.
    return inner.starts_with("PK\x03\x04") ? inner : unpack(std::move(inner), name, {}, limit);
  }
  if (bytes.size() > limit) out().take(view);
  return bytes;
}

std::string read_unpacked(const std::filesystem::path& path, std::string_view member) {
  // Before it is opened: a pipe without a writer would never open.
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
