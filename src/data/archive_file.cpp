#include "data/archive_file.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>  // NOLINT(modernize-deprecated-headers): newlocale is not in <clocale>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sau/core/error.hpp"

namespace sau {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;

// libarchive converts names to the encoding of the locale, and gives no name if it cannot. So this
// thread, and no other, gets a UTF-8 locale for a while.
class Utf8Names {
 public:
  Utf8Names()
      : locale_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)),
        before_(locale_ == nullptr ? nullptr : ::uselocale(locale_)) {}
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;
  ~Utf8Names() {
    if (locale_ == nullptr) return;
    ::uselocale(before_);
    ::freelocale(locale_);
  }

 private:
  locale_t locale_, before_;
};

// One pass over the regular files of an archive in memory.
class ArchiveFile {
 public:
  enum class Format { kCompress, kZip };

  ArchiveFile(std::string_view bytes, Format format) : archive_(archive_read_new()) {
    if (!archive_) throw Error("no memory");
    if (format == Format::kZip) {
      // Use the directory at the end: headers before it may lack sizes.
      archive_read_support_format_zip_seekable(archive_.get());
    } else {
      archive_read_support_filter_compress(archive_.get());
      archive_read_support_format_raw(archive_.get());
      archive_read_support_format_empty(archive_.get());
    }
    if (archive_read_open_memory(archive_.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) fail();
    // libarchive would return a file that it does not recognise as .Z unchanged.
    if (format == Format::kCompress &&
        archive_filter_code(archive_.get(), 0) != ARCHIVE_FILTER_COMPRESS) {
      throw Error("it is damaged or cut short");
    }
  }

  // Goes to the next regular file. False: there is none.
  bool next() {
    do {
      const int code = archive_read_next_header(archive_.get(), &entry_);
      if (code == ARCHIVE_EOF) return false;
      // Warnings are about things that we do not use, such as an owner.
      if (code != ARCHIVE_OK && code != ARCHIVE_WARN) fail();
    } while (archive_entry_filetype(entry_) != AE_IFREG);
    return true;
  }

  std::string name() const {
    const char* text = archive_entry_pathname(entry_);
    return text == nullptr ? "" : text;
  }

  bool is_encrypted() const { return archive_entry_is_encrypted(entry_) != 0; }

  // How the file was compressed: the word in brackets of "ZIP 2.0 (deflation)".
  std::string method() const {
    const std::string_view text = archive_format_name(archive_.get());
    const std::size_t open = text.find('(');
    if (open == std::string_view::npos) return std::string(text);
    return std::string(text.substr(open + 1, text.find(')') - open - 1));
  }

  void read(const UnpackedSink& sink) {
    std::vector<char> block(kBlock);
    for (;;) {
      const la_ssize_t got = archive_read_data(archive_.get(), block.data(), block.size());
      // Warnings count here: a wrong checksum is one.
      if (got < 0) fail();
      if (got == 0) return;
      sink({block.data(), static_cast<std::size_t>(got)});
    }
  }

 private:
  struct Free {
    void operator()(archive* it) const { archive_read_free(it); }
  };

  [[noreturn]] void fail() const {
    const char* given = archive_error_string(archive_.get());
    const std::string_view why = given == nullptr ? "" : given;
    if (why.starts_with("Truncated")) throw Error("it is cut short");
    if (why.empty()) throw Error("it is damaged");
    throw Error("it is damaged or cut short (" + std::string(why) + ")");
  }

  std::unique_ptr<archive, Free> archive_;
  archive_entry* entry_ = nullptr;  // belongs to archive_
};

bool is_called(std::string_view path, std::string_view member) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (member.empty() || !name.starts_with(member)) return false;
  name.remove_prefix(member.size());
  return name.empty() || name == ".gz" || name == ".xz" || name == ".Z";
}

// The place of the wanted file among the regular files of the archive.
std::size_t place_of(const std::vector<std::string>& names, std::string_view member) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_called(names[i], member)) return i;
  }
  if (names.size() == 1) return 0;
  if (names.empty()) throw Error("the archive is empty");
  std::string text = "the archive holds several files, none of them called '";
  text += std::string(member) + "': ";
  for (std::size_t i = 0; i < names.size() && i < 10; ++i) text += (i > 0 ? ", " : "") + names[i];
  throw Error(text);
}

}  // namespace

void unpack_compress(std::string_view bytes, const UnpackedSink& sink) {
  ArchiveFile file(bytes, ArchiveFile::Format::kCompress);
  if (file.next()) file.read(sink);
}

void unpack_zip(std::string_view bytes, std::string_view member, const UnpackedSink& sink) {
  // An archive that begins with its end record is empty.
  if (bytes.starts_with("PK\x05\x06")) throw Error("the archive is empty");
  const Utf8Names utf8_names;
  std::vector<std::string> names;
  ArchiveFile listed(bytes, ArchiveFile::Format::kZip);
  while (listed.next()) names.push_back(listed.name());
  ArchiveFile file(bytes, ArchiveFile::Format::kZip);
  for (std::size_t left = place_of(names, member) + 1; left > 0; --left) {
    if (!file.next()) throw Error("it is damaged");
  }
  if (file.is_encrypted()) throw Error("the archive is encrypted");
  // Other methods may take gigabytes of memory to unpack.
  if (const std::string method = file.method(); method != "deflation" && method != "uncompressed") {
    throw Error("the compression method '" + method + "' is not supported");
  }
  file.read(sink);
}

}  // namespace sau
