#pragma once

#include <string_view>

namespace sau::detail {

// A file of the source tree as it was when the library was built (cmake/EmbedFiles.cmake).
struct EmbeddedFile {
  std::string_view name;  // without folder and extension
  std::string_view text;
};

}  // namespace sau::detail
