#pragma once

#include <string>

#include "sau/core/error.hpp"

namespace sau::testing {

// What the Error thrown by `action` says; empty when nothing was thrown.
template <class Kind = Error, class F>
std::string error_of(F&& action) {
  try {
    action();
  } catch (const Kind& error) {
    return error.what();
  }
  return "";
}

}  // namespace sau::testing
