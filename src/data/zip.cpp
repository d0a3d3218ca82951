#include "data/zip.hpp"

#include <string>
#include <vector>

#include "sau/core/error.hpp"

namespace sau {
namespace {

constexpr std::uint32_t kLocal = 0x04034B50, kCentral = 0x02014B50;
constexpr std::string_view kEnd("PK\x05\x06", 4);
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;

// A number of the archive, lowest byte first. Throws Error beyond the end.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t width) {
  if (at > bytes.size() || width > bytes.size() - at) throw Error("it is cut short");
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

std::string_view part(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
  if (at > bytes.size() || size > bytes.size() - at) throw Error("it is cut short");
  return bytes.substr(at, size);
}

struct Entry {
  std::string_view name;
  std::uint64_t flags, method, crc, packed, size, offset;
};

// The directory at the end is what counts: local headers may lack sizes.
std::vector<Entry> directory(std::string_view archive) {
  const std::size_t end = archive.rfind(kEnd);
  if (end == std::string_view::npos || archive.size() - end < kEndSize) {
    throw Error("it is cut short");
  }
  const std::uint64_t count = number(archive, end + 10, 2);
  std::uint64_t at = number(archive, end + 16, 4);
  if (count == 0xFFFF || at == 0xFFFFFFFF) throw Error("the zip64 form is not read here");
  std::vector<Entry> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (number(archive, at, 4) != kCentral) throw Error("it is damaged");
    const auto field = [&](std::size_t offset, std::size_t width) {
      return number(archive, at + offset, width);
    };
    const std::uint64_t name_size = field(28, 2);
    const Entry entry{.name = part(archive, at + kCentralSize, name_size),
                      .flags = field(8, 2),
                      .method = field(10, 2),
                      .crc = field(16, 4),
                      .packed = field(20, 4),
                      .size = field(24, 4),
                      .offset = field(42, 4)};
    if (!entry.name.ends_with('/')) entries.push_back(entry);
    at += kCentralSize + name_size + field(30, 2) + field(32, 2);
  }
  return entries;
}

bool is_called(std::string_view path, std::string_view member) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (member.empty() || !name.starts_with(member)) return false;
  name.remove_prefix(member.size());
  return name.empty() || name == ".gz" || name == ".xz" || name == ".Z";
}

const Entry& chosen(const std::vector<Entry>& entries, std::string_view member) {
  for (const Entry& entry : entries) {
    if (is_called(entry.name, member)) return entry;
  }
  if (entries.size() == 1) return entries.front();
  if (entries.empty()) throw Error("the archive is empty");
  std::string text = "the archive holds several files, none of them called '";
  text += std::string(member) + "': ";
  for (std::size_t i = 0; i < entries.size() && i < 10; ++i) {
    text += (i > 0 ? ", " : "") + std::string(entries[i].name);
  }
  throw Error(text);
}

}  // namespace

ZipMember find_zip_member(std::string_view archive, std::string_view member) {
  const std::vector<Entry> entries = directory(archive);
  const Entry& entry = chosen(entries, member);
  if ((entry.flags & 1) != 0) throw Error("the archive is encrypted");
  if (entry.method != 0 && entry.method != 8) {
    throw Error("compression method " + std::to_string(entry.method) + " is not known here");
  }
  if (number(archive, entry.offset, 4) != kLocal) throw Error("it is damaged");
  const std::uint64_t start = entry.offset + kLocalSize + number(archive, entry.offset + 26, 2) +
                              number(archive, entry.offset + 28, 2);
  return {.data = part(archive, start, entry.packed),
          .stored = entry.method == 0,
          .size = entry.size,
          .crc = static_cast<std::uint32_t>(entry.crc)};
}

}  // namespace sau
