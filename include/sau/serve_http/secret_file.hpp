#pragma once

#include <filesystem>
#include <string>

namespace sau {

// Looks at who else may use a file that holds a secret. Throws Error if everybody on this machine
// may write to it. Returns a sentence for the operator if everybody may read it, and "" otherwise.
// Members of the file's group are trusted.
std::string exposure_of(const std::filesystem::path& file);

}  // namespace sau
