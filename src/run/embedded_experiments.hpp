#pragma once

#include <span>
#include <string_view>

namespace sau::detail {

struct EmbeddedFile {
  std::string_view name;  // without folder and extension
  std::string_view text;
};

// The files experiments/*.json as they were when the library was built, sorted by name. The source
// is generated at build time.
std::span<const EmbeddedFile> embedded_experiments();

}  // namespace sau::detail
