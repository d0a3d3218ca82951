#pragma once

#include <span>

#include "core/embedded_file.hpp"

namespace sau::detail {

// The page as web/ builds it: one file called "report". The source is generated at build time.
std::span<const EmbeddedFile> embedded_web();

}  // namespace sau::detail
