#include "run/cell_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

std::string hex32(std::uint32_t value) {
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08x", static_cast<unsigned>(value));
  return {text.data(), 8};
}

std::string curve_column(std::uint64_t point) { return "regret@" + std::to_string(point); }

// In double quotes, with quotes doubled and control characters, such as line ends, as spaces.
std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

// Takes the fields of a line from left to right.
class Fields {
 public:
  Fields(std::string_view line, const std::filesystem::path& path, std::uint64_t line_number)
      : rest_(line), path_(path), line_(line_number) {}

  double number(const std::string& column) {
    const std::string_view text = next(column);
    double value = 0.0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || !std::isfinite(value)) {
      fail("column " + column + " is '" + std::string(text) + "', expected a finite number");
    }
    return value;
  }

  std::string_view next(const std::string& column) {
    if (done_) fail("column " + column + " is missing");
    const std::size_t comma = rest_.find(',');
    const std::string_view field = rest_.substr(0, comma);
    done_ = comma == std::string_view::npos;
    rest_.remove_prefix(done_ ? rest_.size() : comma + 1);
    return field;
  }

  void nothing(const std::string& column) {
    if (!next(column).empty()) fail("column " + column + " is not empty in a trial that failed");
  }

  // A field in double quotes, or an empty one.
  std::string text(const std::string& column) {
    if (done_ || !rest_.starts_with('"')) {
      if (!next(column).empty()) fail("column " + column + " is not in double quotes");
      return "";
    }
    std::string result;
    std::size_t i = 1;
    for (; i < rest_.size(); ++i) {
      if (rest_[i] == '"' && (++i == rest_.size() || rest_[i] != '"')) break;
      result += rest_[i];
    }
    if (result.empty() || i >= rest_.size() || rest_[i] != ',') {
      fail("column " + column + " is not closed");
    }
    rest_.remove_prefix(i + 1);
    return result;
  }

  void finish() const {
    if (!done_) fail("there are more columns than the header names");
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(path_.string() + ", line " + std::to_string(line_) + ": is damaged: " + why);
  }

 private:
  std::string_view rest_;
  const std::filesystem::path& path_;
  std::uint64_t line_;
  bool done_ = false;
};

TrialRecord parse_row(std::string_view line, const std::filesystem::path& path,
                      std::uint64_t line_number, std::uint64_t expected,
                      std::span<const std::uint64_t> points, std::uint64_t format) {
  Fields fields(line, path, line_number);
  const std::size_t comma = line.rfind(',');
  if (comma == std::string_view::npos ||
      line.substr(comma + 1) != hex32(crc32(line.substr(0, comma)))) {
    fields.fail("its checksum does not match");
  }
  const std::string trial = std::to_string(expected);
  if (fields.next("trial") != trial) fields.fail("expected trial " + trial);
  TrialRecord record;
  if (format > 1) record.failure = fields.text("failed");
  if (record.failed()) {
    for (const char* column : {"regret", "reward", "stuck"}) fields.nothing(column);
    for (const std::uint64_t point : points) fields.nothing(curve_column(point));
  } else {
    record.regret = fields.number("regret");
    record.reward = fields.number("reward");
    record.stuck = fields.number("stuck") != 0.0;
    record.curve.reserve(points.size());
    for (const std::uint64_t point : points) {
      record.curve.push_back(fields.number(curve_column(point)));
    }
  }
  fields.next("crc32");
  fields.finish();
  return record;
}

}  // namespace

std::string cell_header(std::span<const std::uint64_t> points, std::uint64_t format) {
  std::string header =
      format > 1 ? "trial,failed,regret,reward,stuck" : "trial,regret,reward,stuck";
  for (const std::uint64_t point : points) header += "," + curve_column(point);
  return header + ",crc32";
}

std::string cell_row(std::uint64_t trial, const TrialRecord& record,
                     std::span<const std::uint64_t> points) {
  std::string row = std::to_string(trial) + ",";
  if (record.failed()) {
    row += in_quotes(record.failure) + ",,," + std::string(points.size(), ',');
  } else {
    row += "," + format_number(record.regret) + "," + format_number(record.reward) +
           (record.stuck ? ",1" : ",0");
    for (const double regret : record.curve) row += "," + format_number(regret);
  }
  return row + "," + hex32(crc32(row));
}

CellScan scan_cell(const std::filesystem::path& path, std::span<const std::uint64_t> points,
                   std::uint64_t format, const TrialSlice& slice,
                   const std::function<void(std::uint64_t, TrialRecord&&)>& take) {
  CellScan scan;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    if (!std::filesystem::exists(path)) return scan;
    throw Error("cannot read " + path.string() + ": " + std::strerror(errno));
  }
  std::string line;
  for (std::uint64_t number = 1; std::getline(file, line); ++number) {
    const bool torn = file.eof();  // no line end: the writer was stopped inside this line
    if (number == 1) {
      const std::string header = cell_header(points, format);
      if (torn ? !header.starts_with(line) : line != header) {
        throw Error(path.string() +
                    ", line 1: is damaged or has other steps: expected the header '" +
                    header.substr(0, 60) + "...'");
      }
    }
    if (torn) break;
    if (number > 1) {
      const std::uint64_t trial = slice.trial(scan.rows);
      take(trial, parse_row(line, path, number, trial, points, format));
      ++scan.rows;
    }
    scan.good_bytes += line.size() + 1;
  }
  return scan;
}

namespace {

// The length of the file up to its last line end, without a line that a stopped writer left torn;
// below 0 if the file cannot be read.
off_t whole_lines(int file, off_t size) {
  for (char last = 0; size > 0; --size) {
    if (::pread(file, &last, 1, size - 1) != 1) return -1;
    if (last == '\n') break;
  }
  return size;
}

// Appends the line to the open file, after the header if the file is empty. Returns 0, or the code
// of the error; then the file has the lines that it had before.
int write_line(int file, const char* path, const std::string& header, const std::string& line) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return errno;
  const off_t before = whole_lines(file, found.st_size);
  if (before < 0) return EIO;
  if (before != found.st_size && ::ftruncate(file, before) != 0) return errno;
  const bool fresh = before == 0 && !header.empty();
  const std::string text = (fresh ? header + "\n" : "") + line + "\n";
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(file, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int code = count < 0 ? errno : EIO;
      if (before == 0) {
        ::unlink(path);
      } else if (::ftruncate(file, before) != 0) {
        // Whoever opens the file next ignores a row without a line end.
      }
      return code;
    }
    written += static_cast<std::size_t>(count);
  }
  return 0;
}

}  // namespace

void append_line(const std::filesystem::path& path, const std::string& header,
                 const std::string& line) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  int code = file < 0 ? errno : write_line(file, path.c_str(), header, line);
  // Some file systems say only now that they could not write. After EINTR the file is closed.
  if (file >= 0 && ::close(file) != 0 && errno != EINTR && code == 0) code = errno;
  if (code != 0) throw Error("cannot write " + path.string() + ": " + std::strerror(code));
}

}  // namespace sau
