#include "sau/serve_http/secret_file.hpp"

#include <fmt/format.h>

#include "sau/core/error.hpp"

namespace sau {

std::string exposure_of(const std::filesystem::path& file) {
  using std::filesystem::perms;
  std::error_code error;
  const perms mode = std::filesystem::status(file, error).permissions();
  if (error || mode == perms::unknown) return "";  // whoever reads the file says why it cannot
  const auto has = [mode](perms bit) { return (mode & bit) != perms::none; };
  if (has(perms::others_write)) {
    throw Error(
        fmt::format("{}: everybody on this machine may write to it (mode {:03o}), so it is not "
                    "used; chmod 600 makes it private",
                    file.string(), static_cast<unsigned>(mode) & 0777U));
  }
  if (!has(perms::others_read)) return "";
  return fmt::format(
      "{}: everybody on this machine may read it (mode {:03o}); chmod 600 makes it private",
      file.string(), static_cast<unsigned>(mode) & 0777U);
}

}  // namespace sau
