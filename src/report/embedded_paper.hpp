#pragma once

#include <span>

#include "core/embedded_file.hpp"

namespace sau::detail {

// The files src/report/paper/*.csv, sorted by name. The source is generated at build time.
std::span<const EmbeddedFile> embedded_paper();

}  // namespace sau::detail
