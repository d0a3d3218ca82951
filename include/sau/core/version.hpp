#pragma once

#include <string_view>

namespace sau {

// Version of the library, such as "0.1.0".
std::string_view version();

// Short hash of the commit it was built from; "unknown" outside a git repository.
std::string_view commit();

// Compiler it was built with, such as "GNU 12.2.0".
std::string_view compiler();

}  // namespace sau
