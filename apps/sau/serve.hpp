#pragma once

#include <string>

#include "serve_flags.hpp"

namespace sau::cli {

// Serves the folder, and those of --app, until Ctrl-C or SIGTERM. Returns the exit code.
int serve(const std::string& folder, ServeFlags flags);

}  // namespace sau::cli
