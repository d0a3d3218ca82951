#pragma once

#include <span>

#include "core/embedded_file.hpp"

namespace sau::detail {

// experiments/papers/*.json and *.csv, sorted by name.
std::span<const EmbeddedFile> embedded_papers();
std::span<const EmbeddedFile> embedded_paper_numbers();

}  // namespace sau::detail
