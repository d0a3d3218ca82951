#pragma once

#include <span>

#include "core/embedded_file.hpp"

namespace sau::detail {

// The page at /, as built by web/: one file called "live". The source is generated at build time.
std::span<const EmbeddedFile> embedded_live();

}  // namespace sau::detail
