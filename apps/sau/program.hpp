#pragma once

#include <span>

#include "commands.hpp"

namespace sau::cli {

struct Program {
  const char* name;
  const char* description;
  const char* footer;  // of --help
  std::span<const Command> commands;
};

// All that main() does: reads the command line, runs the command, and turns every exception into a
// line on standard error. Returns the exit code: 0 good, 1 failed, 2 wrong usage.
int run_program(const Program& program, int argc, char** argv);

}  // namespace sau::cli
