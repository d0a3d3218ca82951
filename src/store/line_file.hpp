#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sau::detail {

// The lines of a text file, plain or packed with gzip, one after the other.
class LineFile {
 public:
  struct Line {
    std::string_view text;  // without its end; valid until the next line is read
    bool whole = true;      // false: the file ends without an end of line
  };

  // This and next() throw an Error that names the file.
  explicit LineFile(const std::filesystem::path& path);
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  ~LineFile();

  std::optional<Line> next();

  // Of the text read so far, unpacked: XXH3, and its size.
  std::uint64_t checksum() const noexcept;
  std::uint64_t bytes() const noexcept;

 private:
  struct Stream;  // keeps zlib out of this header

  std::string name_;
  std::unique_ptr<Stream> stream_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of what was not handed out yet
  bool started_ = false, ended_ = false;
};

}  // namespace sau::detail
