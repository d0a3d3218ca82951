#pragma once

#include <span>

#include "core/embedded_file.hpp"

namespace sau::detail {

// The files experiments/*.json, sorted by name. The source is generated at build time.
std::span<const EmbeddedFile> embedded_experiments();

}  // namespace sau::detail
