#include "store/line_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "core/hash.hpp"
#include "sau/core/error.hpp"

namespace sau::detail {
namespace {

constexpr std::size_t kStep = 262'144, kLongestLine = std::size_t{256} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

struct LineFile::Stream {
  gzFile file = nullptr;
  XXH3_state_t* hash = XXH3_createState();
  std::uint64_t bytes = 0;

  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (file != nullptr) ::gzclose(file);
    XXH3_freeState(hash);
  }
};

LineFile::LineFile(const std::filesystem::path& path)
    : name_(path.string()), stream_(std::make_unique<Stream>()) {
  if (stream_->hash == nullptr) throw Error(name_ + ": out of memory");
  XXH3_64bits_reset(stream_->hash);
  if (std::filesystem::is_directory(path)) throw Error(name_ + ": is a folder, not a file");
  // Takes a plain file as it is.
  stream_->file = ::gzopen(path.c_str(), "rb");
  if (stream_->file == nullptr) throw Error(fmt::format("{}: {}", name_, std::strerror(errno)));
  ::gzbuffer(stream_->file, kStep);
}

LineFile::~LineFile() = default;

std::optional<LineFile::Line> LineFile::next() {
  std::size_t searched = begin_;
  for (;;) {
    if (const std::size_t end = buffer_.find('\n', searched); end != std::string::npos) {
      std::string_view text(buffer_.data() + begin_, end - begin_);
      begin_ = end + 1;
      if (text.ends_with('\r')) text.remove_suffix(1);
      return Line{text, true};
    }
    if (ended_) {
      if (begin_ == buffer_.size()) return std::nullopt;
      const std::string_view text(buffer_.data() + begin_, buffer_.size() - begin_);
      begin_ = buffer_.size();
      return Line{text, false};
    }
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched = buffer_.size();
    if (searched > kLongestLine) {
      throw Error(fmt::format("{}: a line has more than {} bytes", name_, kLongestLine));
    }
    buffer_.resize(searched + kStep);
    const int read = ::gzread(stream_->file, buffer_.data() + searched, kStep);
    if (read < 0) {
      int code = Z_OK;
      const char* const why = ::gzerror(stream_->file, &code);
      throw Error(fmt::format("{}: cannot be read to its end: {}", name_,
                              code == Z_ERRNO ? std::strerror(errno) : why));
    }
    buffer_.resize(searched + static_cast<std::size_t>(read));
    XXH3_64bits_update(stream_->hash, buffer_.data() + searched, static_cast<std::size_t>(read));
    stream_->bytes += static_cast<std::uint64_t>(read);
    if (!started_ && std::string_view(buffer_).starts_with(kByteOrderMark)) {
      begin_ = searched = kByteOrderMark.size();
    }
    started_ = true;
    // gzread() returns less than it was asked for only at the end; a packed file that was cut off
    // shows as an error of the next call.
    if (read == 0) {
      int code = Z_OK;
      ::gzerror(stream_->file, &code);
      if (code == Z_BUF_ERROR) {
        throw Error(name_ + ": cannot be read to its end: the packed data is cut off");
      }
      ended_ = true;
    }
  }
}

std::uint64_t LineFile::checksum() const noexcept { return XXH3_64bits_digest(stream_->hash); }
std::uint64_t LineFile::bytes() const noexcept { return stream_->bytes; }

}  // namespace sau::detail
