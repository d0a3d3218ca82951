#pragma once

#include <span>

#include "core/embedded_file.hpp"

namespace sau::detail {

// One file, `report`: the page that web/ is bundled into. The source is generated at build time.
std::span<const EmbeddedFile> embedded_web();

}  // namespace sau::detail
