#include "sau/fetch/verify.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "sau/core/error.hpp"
#include "sau/data/unpack.hpp"

namespace sau {
namespace {

std::uint64_t count_lines(std::string_view content) {
  const auto ends = static_cast<std::uint64_t>(std::ranges::count(content, '\n'));
  return ends + (content.empty() || content.ends_with('\n') ? 0 : 1);
}

// Servers often answer with a web page when the file is gone.
std::string page_hint(std::string_view content) {
  const std::size_t start = content.find_first_not_of(" \t\r\n");
  const bool page = start != std::string_view::npos && content.substr(start).starts_with('<');
  return page ? "; it looks like a web page" : "";
}

}  // namespace

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw Error("cannot compute SHA-256");
  }
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

std::string mismatch(const DataFile& file, std::string_view content) {
  if (!file.sha256.empty()) {
    const std::string found = sha256(content);
    if (found == file.sha256) return "";
    return "its SHA-256 is " + found + " (" + std::to_string(content.size()) +
           " bytes), expected " + std::string(file.sha256) + " (" + std::to_string(file.bytes) +
           " bytes)" + page_hint(content);
  }
  if (!content.starts_with(file.start)) {
    return "it does not begin with '" + std::string(file.start) + "'" + page_hint(content);
  }
  const std::uint64_t lines = count_lines(content);
  if (lines == file.lines) return "";
  return "it has " + std::to_string(lines) + " lines, expected " + std::to_string(file.lines);
}

FileReport check_data_file(const std::filesystem::path& folder, const DataFile& file) {
  const auto found = locate_data_file(folder, file);
  if (!found) return {FileState::kMissing, folder / file.path, ""};
  try {
    const std::string why = mismatch(file, read_unpacked(*found));
    if (!why.empty()) return {FileState::kBad, *found, why};
  } catch (const Error& error) {
    return {FileState::kBad, *found, error.what()};
  }
  return {file.sha256.empty() ? FileState::kUnverified : FileState::kGood, *found, ""};
}

}  // namespace sau
