#pragma once

#include <string>

#include "sau/core/error.hpp"

namespace sau::testing {

// The message of the Error that `action` throws; empty if it throws none.
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
